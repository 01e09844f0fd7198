"""The command line as its users meet it: bad input is one clear sentence and an exit code."""

import csv
import json
import os
import shutil
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
from typer.testing import CliRunner

from autograder.demo import bundled_class, models
from grader.authoring.proof import cases
from grader.authoring.proof.cases import Case
from grader.cli import main
from grader.cli.app import app
from grader.course import mistakes
from grader.gradebook.store import Store
from grader.grading import class_run

COURSE = [sys.executable, "-c", "from grader.cli import main; main()"]


def course(*arguments, **options):
    command = [*COURSE, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, **options)


here = partial(in_process.run, main)


def test_help_is_there_and_imports_no_heavy_library():
    code = (
        "import sys\nfrom grader.cli import main\nsys.argv = ['course', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('torch', 'numpy', 'matplotlib', 'sqlalchemy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Exit codes" in done.stdout
    assert done.stdout.strip().endswith("[]")


def test_an_output_without_a_check_mark_ends_no_command(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(sample("ada", reason="✓ and é"))
    options = {"env": os.environ | {"PYTHONIOENCODING": "cp1252"}, "encoding": "cp1252"}
    command = ("why", "ada", "a1", "--exercise", "1.1", "--out", tmp_path)
    done = course(*command, **options)
    assert (done.returncode, done.stderr) == (0, "")
    assert "? and é" in done.stdout
    assert json.loads(course(*command, "--json", **options).stdout)["reason"] == "✓ and é"


def test_a_command_that_is_not_there():
    one_sentence(here("gade"), 2, "gade")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("grade", "MISSING"), ("there is no such folder",)),
        (("grade", "EMPTY"), ("no notebook in it", "STUDENT.ipynb")),
        (("grade", "FILE"), ("is a file",)),
        (("grade", "CLASS", "--exercise", "1.99"), ("no exercise '1.99'", "1.4")),
        (("grade", "CLASS", "--only", "nobody"), ("no submission fits", "s1")),
        (("grade", "CLASS", "--out", "FILE"), ("is a file",)),
        (("grade", "CLASS", "--manual", "MISSING"), ("MISSING",)),
        (("grade", "CLASS", "--exercise", "1.4", "--manual", "FILE"), ("leave out --manual",)),
        (("grade", "CLASS", "--require-isolation", "Z"), ("give a tier",)),
        (("check", "a1", "MISSING"), ("there is no such file",)),
        (("check", "a1", "EMPTY"), ("is a folder",)),
        (("report", "EMPTY"), ("no results here",)),
        (("exam", "--to", "FILE"), ("FILE: a file is where a folder must be",)),
        (("challenge", "a1", "--to", "FILE"), ("FILE: a file is where a folder must be",)),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, arguments, parts):
    (tmp_path / "EMPTY").mkdir()
    (tmp_path / "FILE").write_text("x")
    place(tmp_path / "CLASS" / "s1" / "a1" / "a1.ipynb", proofs.notebook("a1", "starter"))
    names = ("MISSING", "EMPTY", "FILE", "CLASS")
    given = [tmp_path / a if a in names else a for a in arguments]
    monkeypatch.chdir(tmp_path)
    one_sentence(here(*given), 2, *parts)


@pytest.mark.parametrize(
    "command",
    [
        "check a9 a9.ipynb",
        "build a9",
        "grade . --assignment a9",
        "grade . --exercise 9.1",
        "similar . --assignment a9",
        "nbgrader . --assignment a9",
        "margins --assignment a9",
        "prove --assignment a9",
        "why ada a9 --out .",
        "history ada a9 --out .",
        "export csv a9 --to x.csv --out .",
        "feedback a9 --out .",
    ],
)
def test_an_unknown_assignment_is_one_sentence(command, tmp_path, monkeypatch):
    with Store(tmp_path / "results.db") as store:
        store.add(sample("ada"))
    monkeypatch.chdir(tmp_path)
    told = "there is no assignment 'a9'; the course has a1, a2, a3, a4, a5, exam, lab1, lab2, lab3"
    one_sentence(here(*command.split()), 2, told)


def test_a_package_that_is_missing_is_named(tmp_path):
    place(tmp_path / "s1" / "a2" / "a2.ipynb", proofs.notebook("a2", "starter"))
    code = (
        "import sys\nsys.modules['torch'] = None\nfrom grader.cli import main\n"
        f"sys.argv = ['course', 'grade', {str(tmp_path)!r}, '--json']\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    one_sentence(done, 2, "'torch'", "pip install")


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


in_one_process = pytest.mark.xdist_group("small_class")  # it is made and graded once


@pytest.fixture(scope="module")
def small_class(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    mistaken = {"s03-no-scaling": "a1/scores_not_scaled", "s04-one-axis": "a1/softmax_fixed_axis"}
    made = {"s01-reference": proofs.notebook("a1", "solution"), "s13-unreadable": b"{"}
    for student, name in mistaken.items():
        made[student] = Case("a1", "bug", bug=mistakes.named(proofs.COURSE, name)).notebook
    for student, data in made.items():
        place(folder / student / "a1" / "a1.ipynb", data)
    return folder


def graded(folder, out, *options):
    done = here("grade", folder, "--out", out, "--json", *options)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(done.stdout)
    for result in results:
        result["seconds"] = result["graded_at"] = None
    return results


@pytest.fixture(scope="module")
def small_class_graded(small_class, tmp_path_factory):
    """What a run made of it, and what the run printed; tests work on copies."""
    out = tmp_path_factory.mktemp("graded")
    return out, graded(small_class, out)


@pytest.mark.slow
def test_grades_are_the_same_with_one_job_and_with_four_twice(small_class, tmp_path):
    folder = shutil.copytree(small_class, tmp_path / "class")
    for student, kind in (("s01-reference", "solution"), ("s02-starter", "starter")):
        place(folder / student / "a2" / "a2.ipynb", proofs.notebook("a2", kind))
    runs = [
        graded(folder, tmp_path / str(number), "--jobs", jobs)
        for number, jobs in enumerate((1, 4, 1, 4))
    ]
    assert runs[0] == runs[1] == runs[2] == runs[3]
    assert len(runs[0]) == 6


@in_one_process
def test_what_is_known_is_not_graded_again(small_class, small_class_graded, tmp_path):
    kept, _ = small_class_graded
    before = {r["student"] + r["assignment"]: r for r in stored(kept)}
    out = shutil.copytree(kept, tmp_path / "out")
    graded(small_class, out)
    after = {r["student"] + r["assignment"]: r for r in stored(out)}
    readable = [name for name, result in before.items() if result["outcome"] != "INVALID"]
    assert len(readable) == 3
    assert all(before[name]["graded_at"] == after[name]["graded_at"] for name in readable)


def stored(out):
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


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
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    one_sentence(done, 130, "interrupted")


@in_one_process
def test_a_marker_sees_one_failing_test_in_full(small_class, tmp_path):
    done = here(
        "grade", small_class, "--out", tmp_path, "--only", "s03-no-scaling", "--exercise", "1.3",
        "--show",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "not divided by √d_k" in done.stdout
    assert "§3.2.1" in done.stdout
    assert not list(tmp_path.iterdir())


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def students(folder):
    """Students and assignments of each file that a run writes."""
    table = csv.DictReader((folder / "grades.csv").open(encoding="utf-8"))
    listed = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    report = (folder / "report.html").read_text(encoding="utf-8")
    found = {(result["student"], result["assignment"]) for result in listed}
    assert {(row["student"], row["assignment"]) for row in table} == found
    assert all(student in report for student, _ in found)
    return found


def test_files_hold_the_whole_class_whatever_a_run_is_about(tmp_path):
    for name in ("s1", "s2"):
        place(tmp_path / "class" / name / "a1" / "a1.ipynb", b"{}")
    with Store(tmp_path / "out" / "results.db") as store:
        for result in (sample("s1"), sample("not-graded", "a2")):
            store.add(result)
    done = here("grade", tmp_path / "class", "--out", tmp_path / "out", "--only", "s2")
    assert "This run: 1; the files contain all 3 results" in done.stdout, done.stderr
    assert "not-graded" not in done.stdout
    assert students(tmp_path / "out") == {("s1", "a1"), ("s2", "a1"), ("not-graded", "a2")}


@pytest.mark.parametrize("damage", [b"", b"no database at all\n" * 400], ids=["empty", "text"])
def test_over_a_damaged_gradebook_nothing_is_written(tmp_path, damage):
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", b"{}")
    out = tmp_path / "out"
    place(out / "results.db", damage)
    place(out / "grades.csv", b"the class's")
    place(out / "to_mark.csv", b"filled in")
    before = contents(out)
    for command in (("grade", tmp_path / "class", "--out", out, "--json"), ("report", out)):
        one_sentence(here(*command), 4, "results.db is damaged", "move it away")
        assert contents(out) == before


def test_a_look_at_one_exercise_writes_nothing(tmp_path):
    for student in ("s1", "s2"):
        place(tmp_path / "class" / student / "a1" / "a1.ipynb", b"{}")
    place(tmp_path / "out" / "grades.csv", b"the class's")
    before = contents(tmp_path / "out")
    for out in ("out", "none"):
        options = ("--out", tmp_path / out, "--exercise", "1.4", "--json")
        done = here("grade", tmp_path / "class", *options)
        assert [result["student"] for result in json.loads(done.stdout)] == ["s1", "s2"]
    assert contents(tmp_path / "out") == before
    assert not (tmp_path / "none").exists()


def test_a_grader_that_fails_has_an_exit_code_of_its_own(tmp_path, monkeypatch):
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", b"{}")
    why = "could not be graded: no worker could be started; run the same command again"
    failed = sample("s1", outcome="UNGRADED", reason=why)

    def grade_class(_submissions, _course, store, _settings):
        store.add(failed)
        yield failed

    monkeypatch.setattr(class_run, "grade_class", grade_class)
    given = ["grade", str(tmp_path / "class"), "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 5
    told = "the grader failed on s1 a1: no worker could be started; run the same command again"
    assert told in done.stderr.splitlines()
    with Store(tmp_path / "out" / "results.db") as store:
        store.add(sample("s1"))
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    assert done.exit_code == 5
    kept = "; the earlier grade of the same files still counts: s1 a1"
    assert f"{told}{kept}" in done.stderr.splitlines()
    assert [r["outcome"] for r in json.loads(done.stdout)] == ["GRADED"]


def test_results_of_an_assignment_that_is_gone_are_left_out_and_named(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(sample("s1"))
        store.add(sample("s1").model_copy(update={"assignment": "a99"}))
    done = here("report", tmp_path)
    assert done.returncode == 0
    assert "results of a99 are left out" in done.stderr


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
def test_a_place_that_can_hold_nothing(tmp_path):
    place(tmp_path / "class" / "s1" / "a1" / "a1.ipynb", b"{}")
    for out in ("/proc/out", tmp_path / "class" / "s1" / "a1" / "a1.ipynb" / "out"):
        done = here("grade", tmp_path / "class", "--out", out, "--json")
        one_sentence(done, 4, str(out), "cannot be created")


def test_check_on_a_saved_notebook_says_what_the_notebooks_own_check_says(tmp_path):
    replace = {
        "course_lib.numpy_forms.attention:scaled_scores": "def scaled_scores(query, key):\n"
        "    return query @ np.swapaxes(key, -1, -2)\n"
    }
    notebook = tmp_path / "a1.ipynb"
    notebook.write_bytes(proofs.notebook("a1", "starter", replace))
    done = here("check", "a1", notebook)
    assert done.returncode == 1
    assert "1.1 Softmax: not written yet" in done.stdout
    assert "not divided by √d_k" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_trained_model_is_graded_beside_its_notebook(tmp_path):
    models.train_classifiers(tmp_path / "models" / "accuracy", proofs.COURSE.assignment("a3").model)
    bundled_class.write(tmp_path / "made", proofs.COURSE, ["a3"], tmp_path / "models")
    folder, out = tmp_path / "class", tmp_path / "out"
    for student in ("s01-reference", "s04-one-axis", "s09-figures"):
        shutil.copytree(tmp_path / "made" / student, folder / student)
    found = {r["student"]: r for r in graded(folder, out, "--labels-from", "generated")}
    points = {s: {e["id"]: e["points"] for e in r["exercises"]} for s, r in found.items()}
    accuracy = {student: result["model"]["accuracy"] for student, result in found.items()}
    assert points["s01-reference"]["3.10"] == 12
    assert 50 < accuracy["s04-one-axis"] < accuracy["s01-reference"]
    assert points["s09-figures"]["3.10"] == 0
    options = ("--labels-from", "none", "--only", "s01-reference")
    (pending,) = graded(folder, out, *options)
    assert {e["id"]: e["points"] for e in pending["exercises"]}["3.10"] is None


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
    graded = proofs.COURSE.assignments
    known = {bug.name for a in graded for bug in mistakes.load(a)} | bundled_class.HOSTILE.keys()
    known |= {variant.name for a in graded for variant in cases.variants(a)}
    used = [f"{one.bugs} {one.variants} {one.hostile}".split() for one in bundled_class.CLASS]
    assert [name for names in used for name in names if name not in known] == []
    assert len(used) >= 12
