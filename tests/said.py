"""What a command says of a user's mistake."""


def one_sentence(done, code, *parts):
    assert done.returncode == code, (done.returncode, done.stdout[-800:], done.stderr[-2000:])
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr
