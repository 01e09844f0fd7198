"""The command line as its users meet it: bad input is one clear sentence and an exit code."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from functools import partial

import in_process
import proofs
import pytest
from checkout import place
from in_process import one_sentence
from sample_results import sample
from world import COURSE, judge
from world_tables import cases

from autograder.demo import bundled_class
from grader.authoring.proof.cases import Case, variants
from grader.cli import main
from grader.course import mistakes

PROGRAM = [sys.executable, "-c", "from grader.cli import main; main()"]


def course(*arguments, **options):
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


def python(code, **options):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, **options)


here = partial(in_process.run, main)


def test_help_is_there_and_imports_no_heavy_library():
    code = (
        "import sys\nfrom grader.cli import main\nsys.argv = ['course', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'numpy', 'matplotlib', 'sqlalchemy') if m in sys.modules])"
    )
    done = python(code)
    assert "Exit codes" in done.stdout
    assert done.stdout.strip().endswith("[]")


def test_an_output_without_a_check_mark_ends_no_command(world):
    world.add(sample("ada", reason="✓ and é"))
    options = {"env": os.environ | {"PYTHONIOENCODING": "cp1252"}, "encoding": "cp1252"}
    command = ("why", "ada", "a1", "--exercise", "1.1", "--out", world.out)
    done = course(*command, **options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "? and é" in done.stdout
    assert json.loads(course(*command, "--json", **options).stdout)["reason"] == "✓ and é"


def test_a_command_that_is_not_there():
    one_sentence(here("gade"), 2, "gade")


@cases("bad_input")
def test_bad_input_is_one_sentence_and_exit_code_2(world, monkeypatch, words, parts):
    (world.folder / "EMPTY").mkdir()
    world.file("FILE", "x")
    world.file("CLASS/s1/a1/a1.ipynb", proofs.notebook("a1", "starter"))
    names = ("MISSING", "EMPTY", "FILE", "CLASS")
    given = [world.folder / word if word in names else word for word in words.split()]
    monkeypatch.chdir(world.folder)
    one_sentence(here(*given), 2, *parts)


@cases("unknown_assignment")
def test_an_unknown_assignment_is_one_sentence(command, world, monkeypatch):
    world.add("ada")
    monkeypatch.chdir(world.out)
    told = "there is no assignment 'a9'; the course has a1, a2, a3, a4, a5, exam, lab1, lab2, lab3"
    one_sentence(here(*command.split()), 2, told)


def test_a_package_that_is_missing_is_named(tmp_path):
    place(tmp_path / "s1" / "a2" / "a2.ipynb", proofs.notebook("a2", "starter"))
    code = (
        "import sys\nsys.modules['torch'] = None\nfrom grader.cli import main\n"
        f"sys.argv = ['course', 'grade', {str(tmp_path)!r}, '--json']\nmain()"
    )
    one_sentence(python(code, cwd=tmp_path), 2, "'torch'", "pip install")


@contextmanager
def small_disk(folder, kib):
    """A real file system of that size. Needs the right to mount."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    if os.name != "posix" or os.getuid() != 0 or subprocess.run(["mount", *options]).returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_one_sentence_and_keeps_what_was_there(tmp_path):
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", b"{}")
    with small_disk(tmp_path / "disk", 160) as disk:
        (disk / "report.html").write_text("the last run's")
        with pytest.raises(OSError, match="space"):
            (disk / "filler").write_bytes(b"x" * 2**20)
        done = course("grade", tmp_path / "class", "--out", disk, "--json", cwd=tmp_path)
        one_sentence(done, 4, "full")
        assert (disk / "report.html").read_text() == "the last run's"


def graded(folder, out, *options):
    done = here("grade", folder, "--out", out, "--json", *options)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    for result in results:
        result["seconds"] = result["graded_at"] = None
    return results


@pytest.mark.slow
def test_grades_are_the_same_with_one_job_and_with_four_twice(tmp_path):
    folder = tmp_path / "class"
    place(folder / "s13-unreadable/a1/a1.ipynb", b"{")
    for name in ("scores_not_scaled", "softmax_fixed_axis"):
        wrong = Case("a1", "bug", bug=mistakes.named(COURSE, f"a1/{name}"))
        place(folder / name / "a1/a1.ipynb", wrong.notebook)
    for id in ("a1", "a2"):
        for kind in ("solution", "starter"):
            place(folder / kind / id / f"{id}.ipynb", proofs.notebook(id, kind))
    runs = [
        graded(folder, tmp_path / str(number), "--jobs", jobs)
        for number, jobs in enumerate((1, 4, 1, 4))
    ]
    assert runs[0] == runs[1] == runs[2] == runs[3]
    assert len(runs[0]) == 7


@pytest.fixture
def ungraded(world):
    """Two notebooks of assignment 1 that hold nothing."""
    for name in ("s1", "s2"):
        world.hand_in(f"{name}/a1/a1.ipynb", "{}")
    return world


@pytest.mark.parametrize("module", ["typer", "grader.cli.app", "grader.course.course"])
def test_an_interrupt_while_the_program_starts_is_one_sentence(tmp_path, module):
    code = (
        "import signal, sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: signal.raise_signal(signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from grader.cli import main\n"
        "sys.argv = ['course', 'grade', '.']\nmain()"
    )
    one_sentence(python(code), 130, "interrupted")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_files_hold_the_whole_class_whatever_a_run_is_about(ungraded):
    ungraded.add("s1", sample("not-graded", "a2"))
    done = ungraded.run("grade", ungraded.submitted, "--only", "s2")
    assert "This run: 1; the files contain all 3 results" in done.stdout, done.stderr
    assert "not-graded" not in done.stdout
    report, expected = ungraded.read("report.html"), {"s1": "a1", "s2": "a1", "not-graded": "a2"}
    for found in (ungraded.results(), ungraded.rows()):
        assert {student: one["assignment"] for student, one in found.items()} == expected
    assert all(student in report for student in expected)


def test_a_look_at_one_exercise_writes_nothing(ungraded):
    ungraded.file("out/grades.csv", "the class's")
    before, folder = contents(ungraded.out), ungraded.out
    for name in ("out", "none"):
        ungraded.out = ungraded.folder / name
        results = ungraded.json("grade", ungraded.submitted, "--exercise", "1.4")
        assert [result["student"] for result in results] == ["s1", "s2"]
    assert contents(folder) == before
    assert not ungraded.out.exists()


def test_a_grader_that_fails_has_an_exit_code_of_its_own(world, monkeypatch):
    world.hand_in("s1/a1/a1.ipynb", saved="2027-02-08T12:00:00Z")
    why = "could not be graded: no worker could be started; run the same command again"
    judge(monkeypatch, lambda found: sample("s1", outcome="UNGRADED", reason=why))
    grade = ("grade", world.submitted, "--json")
    told = "the grader failed on s1 a1: no worker could be started; run the same command again"
    assert told in world.run(*grade, code=5).stderr.splitlines()
    done = world.add("s1").run(*grade, code=5)
    kept = "; the earlier grade of the same files still counts: s1 a1"
    assert f"{told}{kept}" in done.stderr.splitlines()
    assert [r["outcome"] for r in json.loads(done.stdout)] == ["GRADED"]


def test_results_of_an_assignment_that_is_gone_are_left_out_and_named(world):
    world.add("s1", sample("s1").model_copy(update={"assignment": "a99"}))
    assert "results of a99 are left out" in world.run("report").stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_place_that_can_hold_nothing(tmp_path):
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", b"{}")
    for out in ("/proc/out", tmp_path / "class" / "s1" / "a1" / "a1.ipynb" / "out"):
        done = here("grade", tmp_path / "class", "--out", out, "--json")
        one_sentence(done, 4, str(out), "cannot be created")


def test_without_the_labels_a_class_is_not_graded_in_silence(tmp_path):
    place(tmp_path / "class" / "s1" / "a3" / "a3.ipynb", proofs.notebook("a3", "starter"))
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "cache")}
    offline.pop("COURSE_DATA", None)
    done = course("grade", tmp_path / "class", "--out", tmp_path / "out", env=offline)
    assert done.returncode == 2
    assert "sst2 is not available" in done.stderr
    assert "COURSE_DATA" in done.stderr
    done = here("grade", tmp_path / "class", "--labels-from", "nowhere")
    one_sentence(done, 2, "--labels-from nowhere", "mirror", "none")


def test_every_recipe_of_the_demonstration_exists():
    graded = COURSE.assignments
    known = {bug.name for a in graded for bug in mistakes.load(a)} | bundled_class.HOSTILE.keys()
    known |= {variant.name for a in graded for variant in variants(a)}
    used = [f"{one.bugs} {one.variants} {one.hostile}".split() for one in bundled_class.CLASS]
    assert [name for names in used for name in names if name not in known] == []
    assert len(used) >= 12
