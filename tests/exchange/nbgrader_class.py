"""A class in an nbgrader course folder, and what its releases must not contain."""

import ast
import json
import shutil

from typer.testing import CliRunner
from world import table

from grader.authoring import likeness
from grader.authoring.views import notebooks
from grader.cli.app import app
from grader.course import mistakes
from grader.exchange.for_nbgrader import gradebook
from grader.library.components import Component
from grader.notebook import answer_cells, nbgrader_cells

BUG = "a1/attention_mask_ignored"
ALSO = "In a cell below."
ANSWER = "Without the factor, the softmax saturates."
SHORT = 12  # characters: a shorter line, such as `else:`, gives nothing away


class CourseFolder:
    """An nbgrader course folder, and nbgrader's own commands in it."""

    def __init__(self, path):
        self.path = path

    def nbgrader(self, *arguments):
        home = str(self.path.parent / "home")
        variables = {"HOME": home, "JUPYTER_CONFIG_DIR": home, "COURSE_PROFILE": "tiny"}
        return gradebook.nbgrader(list(arguments), self.path, **variables)

    def book(self):
        return gradebook.opened(gradebook.configured(self.path))

    def notebook(self, step, id="a1"):
        return json.loads((self.path / step / id / f"{id}.ipynb").read_text(encoding="utf-8"))

    def graded(self, *options):
        command = ["nbgrader", str(self.path), "--assignment", "a1", "--jobs", "1", *options]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, (done.output, done.exception)
        return done

    def export(self):
        """The rows of assignment 1 in the file that nbgrader exports, by student."""
        self.nbgrader("export", "--CsvExportPlugin.to=grades.csv")
        rows = table((self.path / "grades.csv").read_text(encoding="utf-8"))
        return {row["student_id"]: row for row in rows if row["assignment"] == "a1"}


def cells(notebook):
    named = ((c["metadata"].get("nbgrader", {}).get("grade_id"), c) for c in notebook["cells"])
    return {name: cell for name, cell in named if name}


def text(cell):
    return "".join(cell["source"])


def components(assignment):
    named = [reference for e in assignment.exercises for reference in e.components]
    return [Component.parse(reference) for reference in named]


def filled(release, sources, answers=()):
    """A released notebook with code in the cells that students fill in, and written answers."""
    copy = json.loads(json.dumps(release))
    for name, source in sources.items():
        cells(copy)[nbgrader_cells.component("a1", name)]["source"] = source
    for part in answers:
        cell = cells(copy)[nbgrader_cells.written(part)]
        cell["source"] = text(cell).replace(answer_cells.WRITTEN, ANSWER)
    return copy


def cheating(release, file):
    """A starter that says it has all points, and writes a file wherever it is run."""
    copy = json.loads(json.dumps(release))
    value = {"output_type": "execute_result", "execution_count": 1, "metadata": {}}
    for name, cell in cells(copy).items():
        if name.startswith("check-"):
            points = cell["metadata"]["nbgrader"]["points"]
            cell["outputs"] = [value | {"data": {"text/plain": str(points)}}]
    cells(copy)[nbgrader_cells.component("a1", "softmax")]["source"] = (
        f"import pathlib\npathlib.Path({str(file)!r}).write_text('ran')\n"
    )
    return copy


def hand_in(made, course):
    """The reference, a starter that cheats, a named bug, and a file that is no notebook.

    The answers are in cells without metadata (1.11.b of the reference), or in two cells.
    """
    release = made.notebook("release")
    right = {c.name: c.source for c in components(course.assignment("a1"))}
    bug = mistakes.named(course, BUG)
    name = Component.parse(bug.component).name
    wrong = right | {name: bug.apply(right[name])}
    reference = filled(release, right, ["1.11.a", "1.11.b"])
    del cells(reference)["written-1-11-b"]["metadata"]["nbgrader"]
    scattered = filled(release, wrong, ["1.11.a"])
    at = next(n for n, one in enumerate(scattered["cells"]) if ANSWER in text(one))
    scattered["cells"].insert(at + 1, {"cell_type": "raw", "metadata": {}, "source": ALSO})
    handed_in = {
        "ada": json.dumps(reference),
        "ben": json.dumps(cheating(release, made.path / "ran")),
        "cleo": json.dumps(scattered),
        "dan": "no notebook",
    }
    for student, data in handed_in.items():
        place = made.path / "submitted" / student / "a1"
        shutil.copytree(made.path / "release" / "a1", place)
        (place / "a1.ipynb").write_text(data, encoding="utf-8")
    copy = made.path / "submitted" / "ada" / "a1" / "a1-Copy1.ipynb"
    copy.write_text(handed_in["cleo"], encoding="utf-8")  # newer; formgrader never shows it


def lines(notebook):
    """The lines of a notebook that say something, without differences of space."""
    found = {" ".join(line.split()) for c in notebook["cells"] for line in text(c).splitlines()}
    return {line for line in found if len(line) >= SHORT}


def leaked(course, assignment, release):
    """What only the solution says, by the release's lines: code, answers, rubrics, predictions."""
    solution, starter = (notebooks.build(course, assignment, v) for v in ("solution", "starter"))
    return (lines(solution) - lines(starter)) & lines(release)


def without_answers(course, assignment, release):
    assert leaked(course, assignment, release) == set()
    hidden = [reference for e in assignment.exercises for reference in e.components]
    assert likeness.find_leaks(likeness.code_of_notebook("release", release), hidden) == []
    for component in components(assignment):
        cell = cells(release)[nbgrader_cells.component(assignment.id, component.name)]
        assert heads(text(cell)) == heads(component.source), component.name
    for name, cell in cells(release).items():
        if name.startswith("written-"):
            assert text(cell).rstrip().endswith(answer_cells.WRITTEN)
    assert text_of(release).count(answer_cells.PREDICTION) == text_of(
        notebooks.build(course, assignment, "starter")
    ).count(answer_cells.PREDICTION)


def text_of(notebook):
    return "\n".join(text(cell) for cell in notebook["cells"])


def heads(source):
    """Name, docstring and signature of functions, classes and methods; not of what is inside."""
    found = []
    for top in ast.parse(source).body:
        inside = top.body if isinstance(top, ast.ClassDef) else []
        for node in [top, *inside]:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                signature = ast.unparse(node.args) if isinstance(node, ast.FunctionDef) else ""
                found.append((node.name, ast.get_docstring(node), signature))
    return found
