"""The `student` program in a tree as students have it, without a grader; and `hand_in`."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import proofs
import pytest
from checkout import ROOT, place
from in_process import one_sentence
from world_tables import texts

from grader.authoring.release import contents as release_contents
from grader.course.course import Course
from grader.course.grading import Grading, Group
from grader.intake import submissions
from grader.library import student_tree
from grader.student import archive, check, progress, submit, work
from grader.student.hand_in import hand_in

A1, A3 = proofs.COURSE.assignment("a1"), proofs.COURSE.assignment("a3")
SCALED = "course_lib.numpy_forms.attention:scaled_scores"
COUNTS = "course_lib.analysis.attention_properties:operation_counts"
UNSCALED = "def scaled_scores(query, key):\n    return query @ np.swapaxes(key, -1, -2)\n"
HANGS = "def scaled_scores(query, key):\n    import time\n    time.sleep(1000)\n"
ENDS = "def operation_counts(n, d):\n    import os\n    os._exit(0)\n"

pytestmark = pytest.mark.xdist_group("student_program")  # its tree is made once


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A release of assignment 1 for self-study: hidden tests to look at later, a second starter."""
    folder = tmp_path_factory.mktemp("course")
    student_tree.write(proofs.COURSE, folder, "a1", [])
    place(folder / "assignments/a1/starter/a1.ipynb", proofs.notebook("a1", "starter"))
    for name, data in release_contents.hidden_tests(Course.here()).items():
        place(folder / name, data)
    return folder


@pytest.fixture
def own(tree):
    """Writes the tree's notebook of assignment 1; nothing has been checked."""
    shutil.rmtree(tree / ".course", ignore_errors=True)

    def write(kind, replace=None, edit=lambda text: text):
        text = proofs.notebook("a1", kind, replace or {}).decode()
        return place(tree / "assignments/a1/a1.ipynb", edit(text).encode())

    return write


def student(folder, *arguments, program=None):
    command = [sys.executable, *(program or ["-m", "grader.student"]), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": ""}
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)


def test_check_says_what_the_notebooks_own_check_says_and_progress_remembers(tree, own):
    own("starter", {SCALED: UNSCALED})
    assert "? not checked  1.3\n" in student(tree, "progress").stdout
    done = student(tree, "check", "a1")
    assert done.returncode == 1, done.stderr
    assert "1.1 Softmax: not written yet" in done.stdout
    assert "not divided by √d_k" in done.stdout
    assert [path.name for path in (tree / ".course").iterdir()] == ["checks.json"]
    assert "✗ failing      1.3\n" in student(tree, "progress").stdout
    own("solution")
    place(tree / ".course/checks.json", b"{")
    assert student(tree / "assignments/a1", "check", "a1", program=installed()).returncode == 0
    told = student(tree, "progress").stdout
    assert "11 of 11 done, about 0 min left" in told
    assert re.search(r"^Week 1  a1 Self-attention in NumPy$", told, re.MULTILINE)
    assert set(json.loads((tree / ".course/checks.json").read_text())) == {
        e.id for e in A1.exercises if e.kind == "code"
    }


def installed():
    """The console script, from another checkout than the tree that the student is in."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); "
    return ["-c", f"{code}from grader.student.program import main; main(sys.argv[1:])"]


@pytest.mark.long
def test_full_opens_the_hidden_tests_after_an_attempt(tree, own):
    own("starter", {SCALED: UNSCALED})
    one_sentence(student(tree, "check", "a1", "--full"), 2, "try every", "yet: 1.1, 1.2, 1.4")
    own("solution")
    done = student(tree, "check", "a1", "--full")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    hidden = [int(n) for n in re.findall(r"(\d+) of \1 checks pass", done.stdout)]
    visible = re.findall(r"(\d+) of \1 visible", student(tree, "check", "a1").stdout)
    visible = [int(n) for n in visible]
    assert len(hidden) == len(visible) == 11
    assert sum(hidden) > sum(visible) + 20


@pytest.mark.long
def test_a_test_that_hangs_or_ends_its_process_costs_only_what_builds_on_it(tmp_path):
    path = place(tmp_path / "a1.ipynb", proofs.notebook("a1", "solution", {SCALED: HANGS}))
    done = check.run_tests(work.read(A1, path), seconds=2)
    assert failing(done) == ["1.3", "1.4", "1.5"]
    assert "none within 2 seconds" in done.of("1.3")[0].message.got
    assert (
        "not run: 2 earlier calls of exercise 1.3 took too long" in done.of("1.4")[-1].message.got
    )
    path.write_bytes(proofs.notebook("a1", "solution", {COUNTS: ENDS}))
    done = check.run_tests(work.read(A1, path))
    assert "the process ended" in done.of("1.9")[0].message.got
    assert failing(done) == ["1.9"]


def failing(done):
    return [e.id for e in A1.exercises if done.of(e.id) and not done.passes(e.id)]


@pytest.mark.long
def test_a_submission_is_graded_as_its_notebook_is(tree, own, tmp_path, capsys):
    """What `submit` makes, put where a class's submissions are, in both usual ways."""

    def open_work(text):
        """One answer is missing, one too long, one in two cells, and the last cell is cut off."""
        notebook = json.loads(text)
        starter = json.loads(proofs.notebook("a1", "starter"))
        of = {c["metadata"].get("nbgrader", {}).get("grade_id"): c for c in starter["cells"]}
        for cell in notebook["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "written-1-11-b":
                cell["source"] = of["written-1-11-b"]["source"]
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == "written-1-11-c":
                cell["source"] = "".join(cell["source"]) + " and so on" * 100
        whole = next(c for c in notebook["cells"] if "### 1.11.a" in "".join(c["source"]))
        more = {"cell_type": "raw", "metadata": {}, "source": whole["source"][-2:]}
        notebook["cells"].insert(notebook["cells"].index(whole) + 1, more)
        whole["source"] = whole["source"][:-2]
        cut_off = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"].append(cut_off | {"source": "print((1,"})
        return json.dumps(notebook)

    own("solution", {SCALED: UNSCALED}, open_work)
    checked = student(tree, "check", "a1").stdout
    place(tree / "assignments/a1/submission/notes.txt", b"mine")
    done = student(tree, "submit", "a1", "--to", tmp_path / "a1.zip")
    assert done.returncode == 1, done.stderr
    told = done.stdout
    assert "submission/notes.txt: the grader reads no such file for a1" in told
    assert re.search(r"^  1\.3   scaled_scores: cell \d+$", told, re.MULTILINE)
    assert "visible checks fail: 1.3" in told
    assert "not divided by √d_k" in told
    assert re.search(
        r"^  - cell \d+, line 1 is not valid Python: '.' was never closed$", told, re.M
    )
    assert re.search(r"^  - 1\.11\.c has \d{3} words; the limit is \d+$", told, re.M)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a1.zip"]
    first = (tmp_path / "a1.zip").read_bytes()
    student(tree, "submit", "a1", "--to", tmp_path / "a1.zip")
    assert (tmp_path / "a1.zip").read_bytes() == first
    place(tmp_path / "class/ada.zip", first)
    place(tmp_path / "class/ben/a1/a1.zip", first)
    found = submissions.find(tmp_path / "class", ["a1", "a2"])
    assert [(s.student, s.assignment, s.problem) for s in found] == [
        ("ada", "a1", ""),
        ("ben", "a1", ""),
    ]
    direct = proofs.graded(proofs.notebook("a1", "solution", {SCALED: UNSCALED}), "a1")
    for submission in found:
        result = proofs.graded(submission.data, "a1")
        assert result.totals.automatic == direct.totals.automatic < 98
        entry = next(entry for entry in result.exercises if entry.id == "1.11")
        words = {part.id: len(part.answer.split()) for part in entry.parts}
        assert words["1.11.b"] == 0
        place_of = next(part.notice for part in entry.parts if part.id == "1.11.a")
        assert re.fullmatch(r"in 2 cells: \d+ and \d+ \(raw\)", place_of)
        for id, where in (("1.11.a", f", {place_of}"), ("1.11.c", "")):
            assert f"  {id}: answered, {words[id]} words{where}\n" in told
        assert f"  ! the answer to 1.11.a is {place_of}\n" in checked
        assert "  1.11.b: no answer\n" in told
    shutil.rmtree(tree / "assignments/a1/submission")


def test_files_go_along_in_the_folder_where_the_grader_looks(tmp_path):
    path = place(tmp_path / "work/a3.ipynb", proofs.notebook("a3", "solution"))
    for name in A3.files:
        place(tmp_path / "work/submission" / name, name.encode())
    (tmp_path / "work/submission" / A3.files[-1]).unlink()
    (tmp_path / "work/submission" / A3.files[-1]).symlink_to(path)
    packed = archive.pack(archive.read(A3, path))
    assert packed.left_out == [f"submission/{A3.files[-1]}: is a link: put the file itself there"]
    place(tmp_path / "class/ada.zip", packed.data)
    [submission] = submissions.find(tmp_path / "class", ["a3"])
    assert submission.files() == ({name: name.encode() for name in A3.files[:-1]}, "")


@pytest.mark.parametrize(
    ("answers", "told"),
    [("[0 for text in texts]", None), ("['good' for text in texts]", "['good', 'good']")],
)
def test_a_trained_model_is_loaded_and_asked_from_the_archives_files(tmp_path, answers, told):
    code = (
        "from pathlib import Path\ndef load_model(folder):\n"
        "    return (Path(folder) / 'config.json').read_text()\n"
        f"def predict(model, texts):\n    return {answers}\n"
    )
    data = proofs.with_cells(proofs.notebook("a3", "starter"), code)
    path = place(tmp_path / "a3.ipynb", data)
    for name in A3.files:
        place(tmp_path / "submission" / name, b"{}")
    [tried] = check.run_tests(work.read(A3, path), model=True).of("3.10")
    assert (tried.message and tried.message.got) == told


def test_large_outputs_stay_at_home(tmp_path):
    notebook = json.loads(proofs.notebook("a1", "solution"))
    code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 40 * 2**20}]
    path = place(tmp_path / "a1.ipynb", json.dumps(notebook).encode())
    found = archive.read(A1, path)
    packed = archive.pack(found)
    assert len(packed.data) < 2**20
    assert packed.left_out == ["the notebook's largest outputs, 40.0 MiB: no test reads them"]
    assert found.collected.written >= {name for e in A1.exercises for name in e.names}


@pytest.mark.parametrize(("source", "told"), [("generated", True), ("mirror", False)])
def test_a_model_of_made_up_sentences_is_told_before_it_is_submitted(
    tree, tmp_path, capsys, source, told
):
    path = place(tmp_path / "work/a3.ipynb", proofs.notebook("a3", "starter"))
    data = {"name": "generated_sentences" if told else "sst2", "source": source}
    for name in A3.files:
        text = json.dumps({"data": data}) if name == "config.json" else name
        place(tmp_path / "work/submission" / name, text.encode())
    submit.run(A3, path, tmp_path / "a3.zip")
    said = capsys.readouterr().out
    sentence = (
        "the model was trained on generated_sentences, which a grammar made up, and is graded"
    )
    assert (f"- {sentence} on sst2: train it on real sentences" in said) is told


@pytest.mark.parametrize(
    ("exercise", "source", "state"),
    [
        ("3.10", "generated", progress.PRACTICE),
        ("3.10", "mirror", progress.DONE),
        ("3.20", "generated", progress.PRACTICE),
        ("3.20", "mirror", progress.UNCHECKED),  # a bonus: nobody knows before it is graded
    ],
)
def test_progress_says_what_a_model_was_trained_on(tmp_path, exercise, source, state):
    path = place(tmp_path / "a3.ipynb", proofs.notebook("a3", "starter"))
    name = "generated_sentences" if source == "generated" else "sst2"
    for file in A3.files:
        about = json.dumps({"data": {"name": name, "source": source}})
        place(tmp_path / "submission" / file, about.encode())
    assert progress._state(work.read(A3, path), A3.exercise(exercise), {}) == state


def test_check_alone_checks_what_is_begun_and_open(tree, own):
    own("starter")
    one_sentence(student(tree, "check"), 2, "no exercise is written yet", "a1.ipynb")
    own("starter", {SCALED: UNSCALED})
    done = student(tree, "check")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("a1 Self-attention in NumPy\n")
    assert "not divided by √d_k" in done.stdout
    own("solution")
    assert student(tree, "check").returncode == 0
    assert "All that you have begun is done" in student(tree, "check").stdout


def test_submit_names_each_unwritten_exercise_once(tree, own, tmp_path):
    own("starter", {SCALED: UNSCALED})
    told = student(tree, "submit", "a1", "--to", tmp_path / "a1.zip").stdout
    assert "  - not written yet: 1.1, 1.2, 1.4, " in told
    assert "  - visible checks fail: 1.3\n" in told
    names = [name for e in A1.exercises if e.id != "1.3" for name in (*e.names, e.title)]
    assert not [name for name in names if name in told.partition("Trial run")[0]]
    assert [told.count(f"{e.id},") for e in A1.exercises if e.id in ("1.1", "1.2", "1.4")] == [
        1
    ] * 3


# What stops a command: its arguments, and parts of the sentence.
BAD_INPUT = texts("bad_input", "student_program.toml")
ONE_AFTER_ANOTHER = """
import contextlib, io, json, sys
from grader.student.program import main
for arguments in json.loads(sys.argv[1]):
    said = [io.StringIO(), io.StringIO()]
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    print(json.dumps([code, *(one.getvalue() for one in said)]))
"""


def test_bad_input_is_one_sentence(tree, own):
    """Each command as a program of its own would run it, but the program starts once."""
    own("starter")
    place(tree / "empty.ipynb", b"")
    place(tree / "other.zip", b"mine")
    given = json.dumps([arguments for arguments, _ in BAD_INPUT])
    lines = student(tree, given, program=["-c", ONE_AFTER_ANOTHER]).stdout.splitlines()
    for (arguments, parts), line in zip(BAD_INPUT, lines, strict=True):
        done = subprocess.CompletedProcess(arguments, *json.loads(line))
        one_sentence(done, 2, *parts)
    assert (tree / "other.zip").read_bytes() == b"mine"


def test_a_wrong_folder_and_a_missing_package_are_one_sentence(tree, own, tmp_path):
    own("starter")
    place(tmp_path / "grader/__init__.py", b"")
    for package in ("course", "student"):
        shutil.copytree(tree / "grader" / package, tmp_path / "grader" / package)
    one_sentence(student(tmp_path, "progress"), 2, "change into the course's folder")
    code = "import sys; sys.modules['pydantic'] = None; import grader.student.program as p; "
    done = student(tree, "check", "a1", program=["-c", f"{code}p.main(sys.argv[1:])"])
    one_sentence(done, 2, "'pydantic' is not installed", "pip install")


def test_too_large_a_model_is_refused_before_it_is_uploaded(tmp_path):
    path = place(tmp_path / "a3.ipynb", proofs.notebook("a3", "starter"))
    large = place(tmp_path / "submission" / A3.files[0], b"")
    os.truncate(large, 65 * 2**20)
    done = student(ROOT, "submit", "a3", path, "--to", tmp_path / "a3.zip")
    one_sentence(done, 2, "65.0 MiB", "train a smaller model")
    assert not (tmp_path / "a3.zip").exists()


def test_a_notebook_shows_progress_as_a_table_and_as_text(tmp_path, monkeypatch):
    monkeypatch.setattr(progress.record, "load", dict)
    choice = Group(id="project", weight_percent=60, items=["a3", "a4"], best=1)
    course = proofs.COURSE.model_copy(update={"grading": Grading(groups=[choice])})
    monkeypatch.setattr(Course, "here", lambda: course)
    shown = progress.progress()
    assert f"a3 {A3.title} (the best 1 of a3, a4 counts)" in str(shown)
    assert f"a1 {A1.title}\n" in str(shown)
    assert "<table>" in shown._repr_html_()
    assert shown._repr_html_().count("<tr>") == 1 + sum(
        1 + len(a.exercises) for a in proofs.COURSE.assignments
    )
    assert repr(shown) == str(shown)
    left = sum(part.minutes_left for part in shown.parts)
    assert left == sum(a.minutes for a in proofs.COURSE.assignments), "every starter is untouched"


# The last cell of a notebook says what `student submit` says, and brings the archive home.


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURSE_RUNS", raising=False)
    monkeypatch.delenv("KAGGLE_KERNEL_RUN_TYPE", raising=False)
    return tmp_path


def names(path):
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def files_of(assignment, folder):
    (folder / "submission").mkdir()
    for name in assignment.files:
        (folder / "submission" / name).write_text("x", encoding="utf-8")
    return [f"submission/{name}" for name in assignment.files]


def test_it_says_what_the_grader_will_see_and_where_the_archive_is(home, capsys):
    (home / "a1.ipynb").write_bytes(proofs.notebook("a1", "solution", {SCALED: UNSCALED}))
    path = hand_in("a1")
    said = capsys.readouterr().out
    assert names(path) == ["a1.ipynb"]
    assert "  1.3   scaled_scores: cell " in said
    assert "visible checks fail: 1.3" in said
    assert said.endswith(f"The archive: {path.resolve()}\n")
    [found] = submissions.find(here_as_class(home, path), ["a1"])
    assert found.data == (home / "a1.ipynb").read_bytes()


def here_as_class(folder, path):
    (folder / "class").mkdir()
    (folder / "class" / "ada.zip").write_bytes(path.read_bytes())
    return folder / "class"


def test_on_colab_the_open_notebook_is_packed_and_downloaded(
    course, home, google_colab, monkeypatch, capsys
):
    monkeypatch.setenv("COURSE_RUNS", "runs")
    (home / "a1.ipynb").write_text("an earlier one", encoding="utf-8")
    path = hand_in("a1")
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("a1.ipynb")) == {"cells": []}
    said = capsys.readouterr().out
    assert "  1.1   softmax: not found in the notebook" in said
    assert "A copy is in runs/a1-submission.zip" in said
    assert said.endswith("downloaded submission.zip\n")
    assert (home / "runs" / "a1-submission.zip").read_bytes() == path.read_bytes()


def test_on_kaggle_the_files_are_packed_and_the_notebook_is_asked_for(
    course, home, monkeypatch, capsys
):
    monkeypatch.setenv("KAGGLE_KERNEL_RUN_TYPE", "Interactive")
    files = files_of(course.assignment("a3"), home)
    (home / files[0]).unlink()
    assert names(hand_in("a3")) == files[1:]
    said = capsys.readouterr().out
    assert "missing: a3.ipynb: save it here under this name, or download it" in said
    assert f"missing: {files[0]} (run the cells that write it)" in said
    assert "submission.zip" in said.splitlines()[-1]
    assert "The archive: " not in said


def test_what_cannot_be_submitted_is_one_sentence(course, home, capsys):
    assert hand_in("a1") is None
    assert capsys.readouterr().out.startswith("Not packed: a1.ipynb is not in this folder, nor ")
    (home / "a1.ipynb").write_text("{", encoding="utf-8")
    assert hand_in("a1") is None
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert said[-1].startswith("Not packed: a1.ipynb: ")
    with (home / files_of(course.assignment("a3"), home)[0]).open("wb") as large:
        large.truncate(65 * 2**20)
    assert hand_in("a3") is None
    assert "65.0 MiB, more than 64.0 MiB: train a smaller model" in capsys.readouterr().out
    assert not (home / "submission.zip").exists()
