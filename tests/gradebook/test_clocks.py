"""When a submission came in: each clock, what it may not believe, and hostile repositories."""

import datetime
import os
import shutil
import subprocess
import zoneinfo

import checkout
import pytest

from grader.intake import clocks, submissions

IDS = ["a1", "a2"]
COMMITTED = "2027-02-08T21:00:00+01:00"
SAVED = datetime.datetime(2027, 1, 15, 8, tzinfo=datetime.timezone.utc)


def place(path, text=checkout.EMPTY):
    os.utime(checkout.place(path, text), (SAVED.timestamp(), SAVED.timestamp()))
    return path


def git(folder, *arguments, time=COMMITTED):
    environment = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_COMMITTER_DATE": time,
        "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
        **{f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER")
           for what in ("NAME", "EMAIL")},
    }  # fmt: skip
    command = ["git", "-C", folder, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True).stdout


@pytest.fixture
def repository(tmp_path):
    """A student's repository as GitHub Classroom has it: the last commit does not touch a1."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed here")
    folder = tmp_path / "ada"
    place(folder / "a1" / "a1.ipynb")
    git(tmp_path, "init", "-q", "-b", "main", folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "handed in")
    place(folder / "notes.md", "later")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "more", time="2027-03-01T00:00:00Z")
    return folder


def only(folder):
    (found,) = submissions.find(folder, IDS)
    return found


# ---------------------------------------------------------------- the file, nbgrader


def test_the_date_of_the_file_is_the_last_resort(tmp_path):
    place(tmp_path / "ada" / "a1" / "a1.ipynb")
    found = only(tmp_path)
    assert (found.received, found.received_from, found.notices) == (SAVED, "file", [])


@pytest.mark.parametrize(
    "text", ["2026-02-08 21:00:00.000000 UTC", "2026-02-08 22:00:00.000000 +0100\n"]
)
def test_nbgraders_timestamp_counts(tmp_path, text):
    place(tmp_path / "ada" / "a1" / "a1.ipynb")
    place(tmp_path / "ada" / "a1" / "timestamp.txt", text)
    found = only(tmp_path)
    assert found.received_from == "nbgrader"
    assert found.received.isoformat()[:10] == "2026-02-08"
    assert found.received.utctimetuple().tm_hour == 21


@pytest.mark.parametrize("text", ["2026-02-08 22:00:00.5", "2026-02-08 22:00:00 CET"])
def test_a_timestamp_without_a_zone_is_in_that_of_the_course(tmp_path, text):
    place(tmp_path / "ada" / "a1" / "a1.ipynb")
    place(tmp_path / "ada" / "a1" / "timestamp.txt", text)
    (found,) = submissions.find(tmp_path, IDS, zone=zoneinfo.ZoneInfo("Europe/Berlin"))
    assert (found.received_from, found.received.utctimetuple().tm_hour) == ("nbgrader", 21)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-02-08 21:00:00.000000 CET", "\udcff", "0001-01-01 00:00:00+23:00"],
)
def test_a_timestamp_that_cannot_be_read_is_told(tmp_path, text):
    place(tmp_path / "ada" / "a1" / "a1.ipynb")
    (tmp_path / "ada" / "a1" / "timestamp.txt").write_bytes(text.encode("utf-8", "surrogateescape"))
    found = only(tmp_path)
    assert (found.received, found.received_from) == (SAVED, "file")
    assert "`timestamp.txt` cannot be read" in found.notices[0]


@pytest.mark.parametrize(
    "where",
    [
        "ada",  # beside the notebook in a folder that the student made
        "ada/week1",
        "Ada Lovelace_12_assignsubmission_file_/a1",  # Moodle keeps a student's own folders
        "submission_12/a1",
    ],
)
def test_a_timestamp_where_a_student_could_put_it_is_not_believed(tmp_path, where):
    place(tmp_path / where / "a1.ipynb")
    place(tmp_path / where / "timestamp.txt", "2026-02-08 21:00:00.000000 UTC")
    assert only(tmp_path).received_from == "file"


def test_a_timestamp_that_is_a_pipe_does_not_hang(tmp_path):
    place(tmp_path / "ada" / "a1" / "a1.ipynb")
    os.mkfifo(tmp_path / "ada" / "a1" / "timestamp.txt")
    assert only(tmp_path).received_from == "file"


# ---------------------------------------------------------------- git


def test_the_newest_commit_that_touches_the_notebook_counts(repository):
    place(repository / "a1" / "timestamp.txt", "2026-02-08 21:00:00.000000 UTC")
    found = only(repository.parent)
    assert found.received_from == "git"
    assert found.received == datetime.datetime.fromisoformat(COMMITTED)


@pytest.mark.parametrize("change", ["packed", "detached", "packed objects"])
def test_any_usual_repository_can_be_read(repository, change):
    steps = {"packed": ["pack-refs", "--all"], "detached": ["checkout", "-q", "--detach"]}
    git(repository, *steps.get(change, ["gc", "-q"]))
    assert only(repository.parent).received_from == "git"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo ' ' >> a1/a1.ipynb", "changed after the last commit"),
        ("git rm -q --cached a1/a1.ipynb; git -c user.name=a -c user.email=a commit -qm x",
         "in no commit"),
        ("rm -r .git/objects; mkdir .git/objects", "in no commit"),
        ("echo 'ref: refs/heads/../../../secret' > .git/HEAD", "HEAD names no commit"),
        ("echo 'ref: refs/heads/none' > .git/HEAD", "HEAD names no commit"),
        ("rm .git/HEAD; mkfifo .git/HEAD", "HEAD cannot be read"),
        ("rm .git/HEAD; ln -s /etc/passwd .git/HEAD", "HEAD cannot be read"),
        ("mv .git other; ln -s other .git", "is a link"),
        ("mv .git other; echo gitdir: other > .git", "not a folder"),
        ("mv .git/objects .git/other; ln -s other .git/objects", "is a link"),
        ("git rev-parse HEAD > .git/shallow", "the clone is shallow"),
    ],
)  # fmt: skip
def test_a_repository_that_cannot_tell_is_told(repository, command, reason):
    subprocess.run(["bash", "-c", command], cwd=repository, check=True)
    found = only(repository.parent)
    assert found.received_from == "file"
    assert reason in found.notices[-1]


@pytest.mark.parametrize("time", ["@253402300800 +0000", "@1800000000 +9959"])
def test_a_commit_of_a_time_that_no_clock_says_is_told(repository, time):
    place(repository / "a1" / "a1.ipynb", "{}")
    git(repository, "commit", "-q", "-a", "-m", "year 10000, or a zone of four days", time=time)
    found = only(repository.parent)
    assert (found.received, found.received_from) == (SAVED, "file")
    assert "is not a time" in found.notices[0]


def test_a_commit_in_utc_is_read_as_newer_versions_of_git_write_it(repository, monkeypatch):
    written = clocks._git
    monkeypatch.setattr(clocks, "_git", lambda *said: written(*said).replace("+01:00", "Z"))
    assert only(repository.parent).received.isoformat() == "2027-02-08T21:00:00+00:00"


def test_a_pipe_among_the_objects_does_not_hang(repository, monkeypatch):
    monkeypatch.setattr(clocks, "SECONDS", 1.0)
    commit = git(repository, "rev-parse", "HEAD").decode().strip()
    path = repository / ".git" / "objects" / commit[:2] / commit[2:]
    path.unlink()
    os.mkfifo(path)
    assert only(repository.parent).received_from == "file"


def hostile(repository, canary):
    """Settings that make git run a program: on signatures, file listings and missing objects."""
    program = repository / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {canary}\n")
    program.chmod(0o755)
    settings = {
        "core.fsmonitor": program,
        "core.hooksPath": repository,
        "core.pager": program,
        "core.sshCommand": program,
        "log.showSignature": "true",
        "gpg.program": program,
        "protocol.ext.allow": "always",
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program}",
    }
    for name, value in settings.items():
        git(repository, "config", name, str(value))


def signed(repository):
    """The newest commit again, with something that looks like a signature."""
    text = git(repository, "cat-file", "commit", "HEAD~1").decode()
    head, _, message = text.partition("\n\n")
    sign = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repository,
        input=f"{head}\n{sign}\n\n{message}".encode(),
        capture_output=True,
        check=True,
    )
    git(repository, "update-ref", "refs/heads/main", made.stdout.decode().strip())


def test_settings_of_a_hostile_repository_run_nothing(repository, tmp_path):
    canary = tmp_path / "canary"
    signed(repository)
    hostile(repository, canary)
    ours = only(tmp_path)
    assert not canary.exists()
    assert ours.received_from == "git"
    subprocess.run(["git", "log", "-1"], cwd=repository, capture_output=True)
    assert canary.exists(), "plain git runs the program"


def test_missing_objects_are_not_fetched(repository, tmp_path):
    canary = tmp_path / "canary"
    blob = git(repository, "rev-parse", "HEAD:a1").decode().strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    hostile(repository, canary)
    ours = only(tmp_path)
    assert not canary.exists()
    assert ours.received_from == "file"
    subprocess.run(["git", "cat-file", "-p", blob], cwd=repository, capture_output=True, timeout=60)
    assert canary.exists(), "plain git runs the program"


def test_a_huge_object_is_not_unpacked(repository, monkeypatch):
    """Its message compresses to nothing; git would take its full size."""
    monkeypatch.setattr(clocks, "MEMORY", 128 * 2**20)
    huge = repository / "message"
    huge.write_bytes(b"a" * 200 * 2**20)
    git(repository, "commit", "-q", "--allow-empty", "-F", huge)
    huge.unlink()
    assert only(repository.parent).received_from == "file"
    git(repository, "reset", "-q", "--soft", "HEAD~1")
    assert only(repository.parent).received_from == "git"
