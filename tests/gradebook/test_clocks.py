"""When a submission came in: each clock, what it may not believe, and hostile repositories."""

import datetime
import os
import shutil
import subprocess
import zoneinfo

import pytest
from checkout import EMPTY
from world_tables import cases

from grader.intake import clocks, submissions

IDS = ["a1", "a2"]
COMMITTED = "2027-02-08T21:00:00+01:00"
SAVED = datetime.datetime(2027, 1, 15, 8, tzinfo=datetime.timezone.utc)


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
def place(world):
    """Puts files into the class's folder that were saved long ago."""
    return lambda name, content=EMPTY: world.hand_in(name, content, SAVED.isoformat())


@pytest.fixture
def repository(world, place):
    """A student's repository as GitHub Classroom has it: the last commit does not touch a1."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed here")
    folder = place("ada/a1/a1.ipynb").parents[1]
    git(world.submitted, "init", "-q", "-b", "main", folder)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "handed in")
    place("ada/notes.md", "later")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "more", time="2027-03-01T00:00:00Z")
    return folder


def only(folder, **zone):
    (found,) = submissions.find(folder, IDS, **zone)
    return found


# ---------------------------------------------------------------- the file, nbgrader


def test_the_date_of_the_file_is_the_last_resort(world, place):
    place("ada/a1/a1.ipynb")
    found = only(world.submitted)
    assert (found.received, found.received_from, found.notices) == (SAVED, "file", [])


@cases("timestamps")
def test_nbgraders_timestamp_counts_if_it_can_be_read(world, place, text, zone, hour):
    place("ada/a1/a1.ipynb")
    place("ada/a1/timestamp.txt", text.encode("latin-1"))
    found = only(world.submitted, zone=zoneinfo.ZoneInfo(zone))
    if hour:
        assert found.received_from == "nbgrader"
        assert found.received.isoformat()[:10] == "2026-02-08"
        assert found.received.utctimetuple().tm_hour == hour
    else:
        assert (found.received, found.received_from) == (SAVED, "file")
        assert "`timestamp.txt` cannot be read" in found.notices[0]


@cases("not_believed")
def test_a_timestamp_where_a_student_could_put_it_is_not_believed(world, place, where):
    place(f"{where}/a1.ipynb")
    place(f"{where}/timestamp.txt", "2026-02-08 21:00:00.000000 UTC")
    assert only(world.submitted).received_from == "file"


def test_a_timestamp_that_is_a_pipe_does_not_hang(world, place):
    os.mkfifo(place("ada/a1/a1.ipynb").with_name("timestamp.txt"))
    assert only(world.submitted).received_from == "file"


# ---------------------------------------------------------------- git


def test_the_newest_commit_that_touches_the_notebook_counts(repository, place):
    place("ada/a1/timestamp.txt", "2026-02-08 21:00:00.000000 UTC")
    found = only(repository.parent)
    assert found.received_from == "git"
    assert found.received == datetime.datetime.fromisoformat(COMMITTED)


@pytest.mark.parametrize("change", ["packed", "detached", "packed objects"])
def test_any_usual_repository_can_be_read(repository, change):
    steps = {"packed": ["pack-refs", "--all"], "detached": ["checkout", "-q", "--detach"]}
    git(repository, *steps.get(change, ["gc", "-q"]))
    assert only(repository.parent).received_from == "git"


@cases("repositories")
def test_a_repository_that_cannot_tell_is_told(repository, command, reason):
    subprocess.run(["bash", "-c", command], cwd=repository, check=True)
    found = only(repository.parent)
    assert found.received_from == "file"
    assert reason in found.notices[-1]


@pytest.mark.parametrize("time", ["@253402300800 +0000", "@1800000000 +9959"])
def test_a_commit_of_a_time_that_no_clock_says_is_told(repository, place, time):
    place("ada/a1/a1.ipynb", "{}")
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
    ours = only(repository.parent)
    assert not canary.exists()
    assert ours.received_from == "git"
    subprocess.run(["git", "log", "-1"], cwd=repository, capture_output=True)
    assert canary.exists(), "plain git runs the program"


def test_missing_objects_are_not_fetched(repository, tmp_path):
    canary = tmp_path / "canary"
    blob = git(repository, "rev-parse", "HEAD:a1").decode().strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    hostile(repository, canary)
    ours = only(repository.parent)
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
