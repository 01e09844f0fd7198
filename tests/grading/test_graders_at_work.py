"""Real runs of `course grade` that are killed, ended, or work side by side."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path

import proofs
import pytest
from checkout import ROOT, place

from grader.course.interrupts import Interrupts
from grader.grading import warm_processes

COURSE = [sys.executable, "-c", "from grader.cli import main; main()"]
STUDENTS = ["ada", "ben", "cyd"]
END_SECONDS = 300.0  # generous: a busy machine

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc"),
    pytest.mark.xdist_group("graders"),
]


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    for student in STUDENTS:
        place(folder / student / "a1" / "a1.ipynb", proofs.notebook("a1", "solution"))
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
        # tests that run in the background of a shell inherit that Ctrl-C is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
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


@pytest.mark.long
def test_runs_that_are_ended_leave_nothing_and_the_next_one_completes(small_class, tmp_path, own):
    out = tmp_path / "out"
    run = started(small_class, out, own)
    # a warm process, the server that forks judges, and judges: it is grading
    wait_for(lambda: run.poll() is not None or len(processes(own)) >= 5, "the run did not start")
    run.kill()
    run.communicate(timeout=END_SECONDS)
    assert run.returncode == -signal.SIGKILL
    wait_for(lambda: not processes(own), f"still there: {processes(own)}")
    assert [*own.glob(f"{warm_processes.PREFIX}*")], "it had no time to clean up"
    run = started(small_class, tmp_path / "elsewhere", own)
    wait_for(lambda: run.poll() is not None or len(processes(own)) >= 5, "the run did not start")
    run.terminate()
    _, told = run.communicate(timeout=END_SECONDS)
    assert run.returncode == 130, told
    assert "Traceback" not in told
    wait_for(lambda: not processes(own), f"still there: {processes(own)}")
    assert list(own.iterdir()) == []
    run = started(small_class, out, own, "--jobs", "1")
    wait_for(lambda: run.poll() is not None or rows(out / "results.db"), "nothing was stored")
    run.send_signal(signal.SIGINT)
    _, told = run.communicate(timeout=END_SECONDS)
    assert run.returncode == 130, told
    assert "run the command again" in told
    assert "Traceback" not in told
    assert 1 <= len(rows(out / "results.db")) < len(STUDENTS)
    wait_for(lambda: not processes(own), f"still there: {processes(own)}")
    assert list(own.iterdir()) == []
    again = started(small_class, out, own)
    done, told = again.communicate(timeout=600)
    assert again.returncode == 0, told
    assert [r["student"] for r in json.loads(done)] == STUDENTS
    assert sorted(rows(out / "results.db")) == [(student,) for student in STUDENTS]
    wait_for(lambda: not processes(own), "the next run leaves nothing")
    assert list(own.iterdir()) == []


@pytest.mark.long
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
    assert len((out / "grades.csv").read_text(encoding="utf-8").splitlines()) == 1 + len(STUDENTS)
    pages, stored = "dashboard.html report.html", "results.db results.db.backup results.json"
    names = f"{pages} report {stored} grades.csv to_mark.csv".split()
    assert sorted(path.name for path in out.iterdir()) == sorted(names)


# A signal in grading: it waits where something is half done, and is never lost.


@pytest.fixture(autouse=True)
def usual():
    """Ctrl-C as ever: it is ignored in what a shell starts with `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(number=signal.SIGINT):
    signal.raise_signal(number)


def begin_and_end(block, done, number=signal.SIGINT):
    with block:
        done.append("begun")
        interrupted(number)
        done.append("ended")


def test_it_waits_until_the_block_ends():
    done = []
    with pytest.raises(KeyboardInterrupt):
        begin_and_end(Interrupts(), done)
    assert done == ["begun", "ended"]


def test_a_second_one_does_not_wait():
    with Interrupts():
        interrupted()
        with pytest.raises(KeyboardInterrupt):
            interrupted()


def test_in_another_block_it_waits_for_the_outer_one():
    before, done = signal.getsignal(signal.SIGINT), []

    def outer():
        with Interrupts():
            begin_and_end(Interrupts(), done)
            done.append("the outer one too")

    with pytest.raises(KeyboardInterrupt):
        outer()
    assert done == ["begun", "ended", "the outer one too"]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_that_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            interrupted(signal.SIGTERM)
            assert interrupts.waiting is None
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_may_enter_it():
    told = []
    thread = threading.Thread(target=lambda: told.append(Interrupts().__enter__()))
    thread.start()
    thread.join()
    assert told


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_after_the_block_a_signal_ends_the_program_as_ever(number):
    program = (
        "import signal, sys\n"
        f"from {Interrupts.__module__} import Interrupts\n"
        f"signal.signal({int(number)}, signal.SIG_DFL)  # under nohup, SIGHUP is ignored\n"
        "with Interrupts():\n"
        f"    signal.raise_signal({int(number)})\n"
        "    print('cleaned up', flush=True)\n"
        "print('never')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (ended.returncode, ended.stdout) == (-number, "cleaned up\n")
