"""Real runs of `course grade` that are killed, ended, or work side by side."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import proofs
import pytest

COURSE = [sys.executable, "-c", "from grader.cli import main; main()"]
STUDENTS = ["ada", "ben"]
END_SECONDS = 300.0  # generous: a busy machine

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc"),
    pytest.mark.xdist_group("graders"),
]


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    for student in STUDENTS:
        notebook = folder / student / "a1" / "a1.ipynb"
        notebook.parent.mkdir(parents=True)
        notebook.write_bytes(proofs.notebook("a1", "solution"))
    return folder


@pytest.fixture
def own():
    """A temporary folder of the run's own, whose name all its processes carry."""
    with tempfile.TemporaryDirectory(prefix="graders-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def started(folder, out, own, *options):
    return subprocess.Popen(
        [*COURSE, "grade", str(folder), "--out", str(out), "--jobs", "2", "--json", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(own)},
    )


def processes(own):
    """Every process that was started with this temporary folder, and is not a zombie."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            mine = f"TMPDIR={own}".encode() in (path / "environ").read_bytes().split(b"\0")
            if mine and (path / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append((int(path.name), (path / "cmdline").read_bytes()[-80:]))
        except OSError:
            continue
    return found


def wait_for(condition, what):
    until = time.monotonic() + END_SECONDS
    while not (found := condition()):
        assert time.monotonic() < until, what
        time.sleep(0.05)
    return found


def rows(database):
    try:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("SELECT student FROM results ORDER BY id").fetchall()
    except sqlite3.OperationalError:
        return []


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(signal.SIGKILL, id="kill -9", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, id="kill"),
    ],
)
def test_a_run_that_is_ended_leaves_nothing_and_the_next_one_completes(
    small_class, tmp_path, own, how
):
    out = tmp_path / "out"
    run = started(small_class, out, own)
    # a warm process, the server that forks judges, and judges: it is grading
    wait_for(lambda: run.poll() is not None or len(processes(own)) >= 5, "the run did not start")
    assert run.poll() is None, run.communicate()
    run.send_signal(how)
    _, told = run.communicate(timeout=END_SECONDS)
    assert run.returncode == (-signal.SIGKILL if how == signal.SIGKILL else 130), told
    assert "Traceback" not in told
    wait_for(lambda: not processes(own), f"still there: {processes(own)}")
    if how == signal.SIGTERM:
        assert list(own.iterdir()) == []
    again = started(small_class, out, own)
    done, told = again.communicate(timeout=600)
    assert again.returncode == 0, told
    assert [r["student"] for r in json.loads(done)] == STUDENTS
    assert sorted(rows(out / "results.db")) == [(student,) for student in STUDENTS]
    wait_for(lambda: not processes(own), "the next run leaves nothing")
    assert list(own.iterdir()) == []


def test_two_graders_into_one_folder_store_each_result_once(small_class, tmp_path, own):
    out = tmp_path / "out"
    runs = [started(small_class, out, own) for _ in range(2)]
    for run in runs:
        done, told = run.communicate(timeout=600)
        assert run.returncode == 0, told
        assert [r["student"] for r in json.loads(done)] == STUDENTS
    assert sorted(rows(out / "results.db")) == [(student,) for student in STUDENTS]
    assert [r["student"] for r in json.loads((out / "results.json").read_text())] == STUDENTS
    assert (out / "report.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert len((out / "grades.csv").read_text(encoding="utf-8").splitlines()) == 3
    pages, stored = "dashboard.html report.html", "results.db results.db.backup results.json"
    names = f"{pages} {stored} grades.csv to_mark.csv".split()
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
