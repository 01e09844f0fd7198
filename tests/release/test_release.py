"""What students get: the tree of a week, the proof that nothing hidden is in it, where it goes."""

import ast
import datetime
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from unittest import mock

import pytest
from checkout import ROOT
from setup_world import with_repository
from world import COURSE

from grader.authoring.release import changes, contents, folder, handbook, proof, release
from grader.authoring.views import notebooks, texts
from grader.cli.authoring import release_command
from grader.cli.authoring.authoring_options import Release
from grader.cli.output import UsageProblem
from grader.course import mistakes
from grader.course.course import Course
from grader.gradebook.rules import late_policy
from grader.library import student_tree
from grader.library.components import Component

pytestmark = pytest.mark.xdist_group("release")  # it is made once
NONE_OUT = datetime.date(2027, 2, 1)
SOFTMAX = "course_lib.numpy_forms.attention:softmax"
STEP = "course_lib.training.translation_step:translation_step"  # much like assignment 3's
ATTENTION = "course_lib.numpy_forms.attention:attention"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The release of week 1, made with the command, and its zip; and what its proof looked for."""
    place = tmp_path_factory.mktemp("release") / "week"
    grades = place.parent / "grades"
    options = Release(place, week=1, zip=True, today=NONE_OUT, out=grades, lectures=False)
    with mock.patch.object(proof, "find", wraps=proof.find) as find:
        assert release_command.run(options) == 0
    [(_, hidden)] = [call.args for call in find.call_args_list]
    return place, hidden


@pytest.fixture(scope="module")
def week(made):
    return made[0]


@pytest.fixture(scope="module")
def hidden(made):
    """What is looked for in week 1, when no answer is out."""
    return made[1]


@pytest.fixture(scope="module")
def files(week):
    return folder.read(week)


@pytest.mark.long
def test_the_lectures_notebooks_hold_nothing_hidden(hidden):
    """Of all parts, in the week in which no answer is out."""
    pytest.importorskip("sphinx", reason="the extra `site` needs Python 3.11")
    from book.notebooks import lecture_notebook

    parts = {
        f"lectures/notebooks/{path.stem}.ipynb": notebooks.dump(
            lecture_notebook.build(COURSE, path)
        ).encode()
        for path in sorted((ROOT / "lectures").glob("part*_*.md"))
    }
    assert len(parts) == len(COURSE.parts)
    assert proof.find(parts, hidden) == []
    assert proof.unexcused(COURSE, parts, []) == []


def test_a_week_is_all_that_a_student_needs_and_no_more(files):
    assert {"README.md", "LICENSE", "AI_POLICY.md", "AGENTS.md", "CHANGELOG.md", "course.toml"} <= {
        *files
    }
    assert {"data/registry.toml", "data/README.md", "requirements.txt", "pyproject.toml"} <= {
        *files
    }
    assert "assignments/a1/a1.ipynb" in files
    assert "assignments/a1/public_tests/exercise_1_4.py" in files
    assert not [name for name in files if name.startswith(("assignments/a2", "solutions"))]
    assert not [name for name in files if "autograder" in name]
    assert b"import autograder" not in b"".join(files.values())
    assert {name.partition("/")[0] for name in files if name.startswith("grader")} == {"grader.zip"}
    library = [name for name in files if name.startswith("course_lib/")]
    assert len(library) < 20, "a1 uses one picture of the library"
    assert len(files) < 60


def test_of_the_library_there_is_what_notebooks_and_checks_use():
    files = contents.of_week(COURSE, 4, [])
    assert "course_lib/decoding/translate_command.py" in files, "`student translate`"
    assert "course_lib/analysis/attended_words.py" in files, "what it imports by a name in a string"
    assert "course_lib/diagnosis/broken_classifiers.py" in files, "`student debug` shows them"
    assert "course_lib/explorer/explorer.css" in files
    assert not [name for name in files if name.startswith("course_study/")]
    stub = files["course_lib/attention.py"].decode()
    assert 'raise NotImplementedError("merge_heads is not in this release yet' in stub


FIRST = "ipykernel ipython jaxtyping matplotlib numpy pydantic scipy tomli".split()
THIRD = "accelerate datasets huggingface_hub ipywidgets pyarrow safetensors tensorboard tokenizers"
NEEDED = {  # week → the packages that its assignments need more than those before
    1: FIRST,
    2: ["torch"],
    3: [*THIRD.split(), "tqdm"],
    4: ["sacrebleu"],
    6: ["optuna", "sqlalchemy"],
}


@pytest.mark.long
@pytest.mark.parametrize("week", NEEDED)
def test_a_week_installs_what_its_assignments_need(week):
    files = contents.of_week(COURSE, week, [])
    listed = files["requirements.txt"].decode().splitlines()
    expected = [name for number, names in NEEDED.items() if number <= week for name in names]
    assert [line.partition(">")[0] for line in listed] == sorted(expected)
    in_command = "--extra-index-url https://download.pytorch.org/whl/cpu" in str(files["README.md"])
    assert in_command == (week > 1)


def test_the_lectures_notebooks_may_need_more_than_the_assignments(monkeypatch):
    cell = notebooks.new_cell("code", "c1", "import torch", {})
    lecture = {"lectures/notebooks/x.ipynb": notebooks.dump(notebooks.of_cells([cell])).encode()}
    monkeypatch.setattr(contents, "_lectures", lambda *_: lecture)
    files = contents.of_week(COURSE, 1, [], lectures=True)
    assert "torch" not in files["requirements.txt"].decode()
    assert 'lectures = ["torch>=2.5"]' in files["pyproject.toml"].decode()
    readme = files["README.md"].decode()
    assert ".venv/bin/pip install torch --extra-index-url" in readme
    beside = contents.for_lectures(COURSE, files, ["a1"])
    release.check_imports(files, beside)
    with pytest.raises(release.BrokenError, match=r"x.ipynb, cell 1: imports torch, which no"):
        release.check_imports(files)


@pytest.mark.parametrize("assignment", COURSE.assignments, ids=lambda one: one.id)
def test_hours_agree_wherever_they_are_stated(assignment):
    said = texts.hours(assignment.minutes)
    (row,) = [
        line
        for line in handbook.readme(COURSE, COURSE.assignments, [], "3.10").splitlines()
        if f"(assignments/{assignment.id}/README.md)" in line and line.startswith("|")
    ]
    plan = (COURSE.root / "lectures" / "README.md").read_text(encoding="utf-8")  # the study plan
    assert row.split("|")[4].strip().split(" + ")[0] == said
    assert f"About {said}" in texts.readme(COURSE, assignment)
    assert f"about {said}" in texts.header(COURSE, assignment, "starter")
    assert f"(../assignments/{assignment.id}/README.md) (about {said})" in plan


def test_the_readme_says_what_to_hand_in_and_where_to_begin_again(files):
    said = files["README.md"].decode()
    assert "upload the archive that `student submit a1`" in said
    assert "Assignment 1: up to 3 days late" in said
    assert "`assignments/a1/starter/a1.ipynb` is the original notebook" in said
    assert "assignments/a1/starter/a1.ipynb" in files
    out = COURSE.assignments[:4]
    later = handbook.readme(COURSE, out, [], "3.10")
    assert "For assignments 3 and 4, it also contains the files in" in later
    assert "Assignments 1, 2, 3 and 4: up to 3 days late" in later


def test_it_installs_as_a_project_with_lower_bounds_only(files):
    requirements = files["requirements.txt"].decode().splitlines()
    assert "numpy>=1.26" in requirements
    assert not [line for line in requirements if "==" in line or "<" in line.partition(";")[0]]
    pyproject = files["pyproject.toml"].decode()
    with zipfile.ZipFile(io.BytesIO(files["grader.zip"])) as packed:
        assert {"__main__.py", "grader/student/program.py"} <= {*packed.namelist()}
    assert 'student = "grader.student.program:main"' in pyproject
    assert "student check" in files["README.md"].decode()


@pytest.mark.long
def test_the_unpacked_zip_installs_without_a_network(week, tmp_path):
    """In a fresh environment, where pip has no index, no wheels and no build tools."""
    with zipfile.ZipFile(week.with_name("week.zip")) as packed:
        packed.extractall(tmp_path)
    tree, home = tmp_path / "course", tmp_path / "home"
    (tree / "requirements.txt").write_text("pip>=1\n", encoding="utf-8")  # of those that are there
    subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
    hidden = ("PIP_", "PYTHON", "UV_")
    variables = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
    variables |= {"PIP_CONFIG_FILE": os.devnull, "HOME": str(home)}

    def offline(*command, where=home):
        return subprocess.run(command, cwd=where, env=variables, capture_output=True, text=True)

    pip = [home / "venv/bin/python", "-m", "pip", "--disable-pip-version-check"]
    done = offline(*pip, "install", "--no-index", "-e", ".", where=tree)
    assert done.returncode == 0, done.stderr
    found = offline(home / "venv/bin/python", "-c", "import course_lib; print(course_lib.__file__)")
    assert found.stdout.strip() == str(tree / "course_lib" / "__init__.py")
    found = offline(home / "venv/bin/python", "-c", "import grader; print(grader.__file__)")
    assert found.stdout.strip() == str(tree / "grader.zip" / "grader" / "__init__.py")
    assert "submit" in offline(home / "venv/bin/student", "--help").stdout
    assert offline(*pip, "check").returncode == 0
    (tree / "requirements.txt").write_text("nowhere-to-be-had>=1\n", encoding="utf-8")
    assert "nowhere-to-be-had" in offline(*pip, "install", "--no-index", "-e", str(tree)).stderr


def test_the_zip_holds_the_same_files_and_has_the_same_bytes_every_time(week, files):
    data = week.with_name("week.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        inside = {name.removeprefix("course/"): packed.read(name) for name in packed.namelist()}
    assert inside == files
    assert data == folder.packed(dict(reversed(files.items())))


def test_a_second_release_of_the_week_changes_nothing(week, files, tmp_path):
    again = folder.with_packed_grader(contents.of_week(COURSE, 1, []))
    before, changelog = changes.previous(files, "week")
    assert changes.finished(again, "Week 1", [], before, changelog) == files
    assert changes.finished(again, "Week 1", [], None, "") == files


def test_the_finished_tree_holds_nothing_hidden(files, hidden):
    assert proof.find(files, hidden) == []


def answer(reference=ATTENTION):
    return Component.parse(reference).source


def renamed(source):
    """The same code with every argument and local variable under another name."""
    tree = ast.parse(source)
    own = {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    own |= {
        n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.arg in own:
            node.arg = f"my_{node.arg}"
        elif isinstance(node, ast.Name) and node.id in own:
            node.id = f"my_{node.id}"
        elif isinstance(node, ast.FunctionDef):
            node.name = "mine"
    return ast.unparse(tree)


ANSWER, RENAMED = answer(), renamed(answer())
LINES = ast.unparse(ast.parse(ANSWER).body[0].body[1:]).splitlines()[-4:-1]
THREE_LINES = "def f():\n" + "".join(f"    {line.strip()}\n" for line in LINES)
END = textwrap.indent(ast.unparse(ast.parse(RENAMED).body[0].body[-4:]), "    ")
RUBRIC = "The weights sum to one because of the softmax, not the division."
A_BUG = mistakes.named(COURSE, "a1/attention_masked_minus_ten_thousand")  # no visible test shows it
MODULE, README = "course_lib/data/extra.py", "README.md"

PLANTED = {  # a file, and what is in it
    "an answer in a module": (MODULE, f'"""Extra."""\n\n{ANSWER}'),
    "an answer under other names": (MODULE, RENAMED),
    "three lines of an answer": (MODULE, THREE_LINES),
    "an answer in a docstring": (MODULE, f"def f():\n    r'''For example:\n\n{ANSWER}'''\n"),
    "in a hidden attribute": (README, f'<p hidden data-x="{ANSWER}">'.replace("\n", "&#10;")),
    "under other names in a README": (README, f"# Title\n\n{textwrap.indent(RENAMED, '    ')}"),
    "lines under other names in a README": (README, f"# Title\n\nText.\n\n{END}\nMore.\n"),
    "an answer in JSON": ("data/extra.json", json.dumps({"a": [{"b": ANSWER}]})),
    "an answer in TOML": ("data/extra.toml", f"text = '''\n{ANSWER}'''\n"),
    "an answer in a zip": ("data/extra.zip", folder.packed({"x.py": ANSWER.encode()})),
    "an answer in a compressed file": ("data/extra.gz", gzip.compress(ANSWER.encode())),
    "an answer in UTF-16": ("data/extra.txt", ANSWER.encode("utf-16-le")),
    "compressed in a zip": (
        "data/extra.zip", folder.packed({"x.xz": lzma.compress(ANSWER.encode())})
    ),
    "a damaged zip": ("data/extra.zip", folder.packed({"x.py": b"x = 1\n"})[:-30]),
    "a hidden test by name": (
        "data/README.md", "see test_leading_axes_of_the_mask, or test_large_scores in the suite\n"
    ),
    "a file of hidden tests": ("data/test_1_4_attention.py", "\n"),
    "a rubric": ("assignments/a1/README.md", f"Hello.\n\n> {RUBRIC}\n"),
    "a named mistake": ("data/notes.txt", f"see {A_BUG.name}\n"),
}  # fmt: skip
PRINTED = {"output_type": "stream", "name": "stdout", "text": ANSWER.splitlines(True)}
FENCE = f"Text.\n\n```python\n{RENAMED}\n```\n\nMore.\n"
IN_A_NOTEBOOK = {  # what is done to it and its cells with code
    "an answer in an output": lambda _, code: code[3]["outputs"].append(PRINTED),
    "an answer in metadata": lambda one, _: one["metadata"].update(source={"old": ANSWER}),
    "under other names in a fence": lambda one, _: one["cells"][0].update(source=FENCE),
    "the sentence of a mistake": lambda _, code: code[2]["metadata"].update(note=A_BUG.sentence),
}


@pytest.mark.parametrize("what", [*PLANTED, *IN_A_NOTEBOOK])
def test_a_planted_leak_is_found_with_its_file(files, hidden, what):
    path, content = PLANTED.get(what, ("assignments/a1/a1.ipynb", ""))
    if what in IN_A_NOTEBOOK:
        notebook = json.loads(files[path])
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        IN_A_NOTEBOOK[what](notebook, code)
        content = notebooks.dump(notebook)
    leaks = proof.find({path: content.encode() if isinstance(content, str) else content}, hidden)
    assert leaks, what
    assert {str(leak).partition(",")[0].partition(":")[0].partition("!")[0] for leak in leaks} == {
        path
    }


def test_an_answer_under_other_names_is_not_excused_by_a_module_of_the_checkout():
    """The proof reads what is public from the checkout; a leak there must not excuse itself."""
    planted = {"course_lib/data/extra.py": renamed(answer(SOFTMAX)).encode()}
    [leak] = proof.unexcused(COURSE, planted, [])
    assert str(leak).startswith("course_lib/data/extra.py: holds a function body of")
    assert str(leak).endswith("numpy_forms.attention:softmax, under other names")


def test_a_leak_is_told_with_its_line(files, hidden):
    planted = {"README.md": f"# Title\n\nText.\n\n{answer()}".encode()}
    [leak] = [x for x in proof.find(planted, hidden) if ATTENTION in x.what][:1]
    number = int(leak.where.removeprefix("README.md, line "))
    assert 5 < number <= 5 + answer().count("\n")


def test_a_release_with_a_leak_is_not_written(files, hidden, monkeypatch):
    monkeypatch.setattr(proof, "marks", lambda *_: hidden)
    leaking = {**files, "README.md": files["README.md"] + answer().encode()}
    with pytest.raises(release.LeakError, match=r"README.md, line \d+: holds the answer"):
        release.prove(COURSE, leaking, [])


# Every release of the course: each week, before any answer is out and after each late date.

AFTER = [
    late_policy.last_late_date(COURSE, a, {}) + datetime.timedelta(days=1)
    for a in COURSE.assignments
]
OUT = [[], *(late_policy.ended(COURSE, {}, day) for day in AFTER)]
RELEASES = dict.fromkeys(  # an assignment's second week releases what its first did
    (a.week, *(b.id for b in contents.in_week(COURSE, a.week, out) if b.id in out))
    for a in COURSE.assignments
    for out in OUT
)


@pytest.mark.parametrize("out", OUT[1:], ids="-".join)
def test_an_answer_that_is_out_is_no_leak_of_one_that_looks_like_it(out):
    """An encoder looks like a decoder, and one training step like the next assignment's."""
    files = {"course_lib/out.py": student_tree.released_code(COURSE, out).encode()}
    for id in out:
        files |= contents.solution(COURSE.assignment(id), contents.SOLUTIONS)
    assert proof.unexcused(COURSE, files, out) == []


def test_what_looks_like_an_answer_that_is_out_hides_no_other():
    planted = {"course_lib/data/extra.py": renamed(answer(STEP)).encode()}
    [leak] = proof.unexcused(COURSE, planted, ["a1", "a2", "a3"])
    assert str(leak).endswith(f"{STEP}, under other names")


@pytest.mark.slow
@pytest.mark.parametrize("which", RELEASES, ids=lambda which: "-".join(map(str, which)))
def test_every_release_of_the_course_can_be_made(which):
    week, *out = which
    allowed = contents.of_library(COURSE, contents.in_week(COURSE, week, out), out)
    release.prove(COURSE, contents.of_week(COURSE, week, out), out, allowed)


# What a release refuses, and what self-study gets.


def test_a_branch_that_no_badge_names_is_refused(tmp_path, monkeypatch):
    course = with_repository(COURSE, "https://github.com/ada/transformers")
    monkeypatch.setattr(Course, "here", lambda: course)
    options = Release(tmp_path / "to", week=1, git_branch="students")
    with pytest.raises(UsageProblem, match="name the branch main; give that, or change student_br"):
        release_command.run(options)


@pytest.mark.long
def test_self_study_keeps_hidden_tests_and_answers_in_a_folder_apart():
    files = contents.opened(COURSE)
    apart = {name for name in files if name.startswith("after_an_attempt/")}
    for assignment in COURSE.assignments:
        assert f"after_an_attempt/solutions/{assignment.id}.ipynb" in apart
        assert [
            n
            for n in apart
            if n.startswith(f"after_an_attempt/autograder/{assignment.id}/exercise_")
        ]
        starter = json.loads(files[f"assignments/{assignment.id}/{assignment.id}.ipynb"])
        assert not [cell for cell in starter["cells"] if cell.get("outputs")]
    assert not [
        name for name in files.keys() - apart if "autograder" in name or "solutions" in name
    ]
    assert not [name for name in apart if name.endswith("exercise.toml")]
    assert b"after you have tried" in files["after_an_attempt/README.md"]
    whole = Path(Component.parse(SOFTMAX).module.replace(".", "/")).with_suffix(".py").as_posix()
    assert b"NotImplementedError" not in files[whole]


def test_a_reader_without_an_instructor_begins_with_assignment_1_and_has_no_dates():
    alone, taught = (
        handbook.readme(COURSE, COURSE.assignments, [], "3.10", opened) for opened in (True, False)
    )
    assert "uv run jupyter lab assignments/a1/a1.ipynb" in alone
    assert "uv run jupyter lab assignments/a5/a5.ipynb" in taught
    due = str(COURSE.assignments[0].due.year)
    assert due in taught
    assert due not in alone


def test_one_thing_is_released_at_a_time(tmp_path):
    for options in ({}, {"week": 1, "self_study": True}):
        with pytest.raises(UsageProblem, match="choose one"):
            release_command.run(Release(tmp_path / "to", **options))
