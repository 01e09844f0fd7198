"""`course build`: writes every generated file, or says which are out of date."""

import ast
import copy
import hashlib
import io
import json
import os
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.lab import Lab

from ..course.course_file import shown
from ..library.components import BuildError
from ..library.student_tree import unreleased
from . import consistency, likeness, visible_answers
from .views import notebooks, pictures, text_notebook, texts
from .views.notebooks import Notebook

DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
EXECUTION_SECONDS = 3600  # per cell; some train a model, on any machine
KERNEL = {
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # otherwise the kernel warns on stderr
    "TQDM_DISABLE": "1",  # nobody watches: no bars among the outputs
}


@dataclass(frozen=True)
class Target:
    """One generated file and its expected text (without outputs if the build executes it)."""

    path: Path
    text: str
    is_executed: bool = False

    def write(self, text: str) -> None:
        """Write the file, with `text` in place of the text without outputs."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text, encoding="utf-8")

    @property
    def name(self) -> str:
        return shown(self.path)

    def text_with(self, executed: Notebook) -> str:
        """The expected text beside these outputs, from which a text may take numbers."""
        return self.text

    def drift(self) -> str:
        """Why the file on disk is out of date, or ""."""
        if not self.path.exists():
            return "is missing"
        found = self.path.read_text(encoding="utf-8")
        if not self.is_executed:
            return "" if found == self.text else "differs from what its source generates"
        executed = json.loads(found)
        if notebooks.dump(_bare(executed)) != self.text_with(executed):
            return "differs from what its source generates"
        if not _is_of(executed, json.loads(self.text)):
            return "has outputs of an older version"
        return ""


@dataclass(frozen=True)
class PictureTarget(Target):
    """A drawing's picture, whose bytes are kept while the drawing is the same."""

    data: bytes = b""
    is_current: bool = False

    def drift(self) -> str:
        return "" if self.is_current else "is not the picture of the present drawing"

    def write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.data)


@dataclass(frozen=True)
class AnswersTarget(Target):
    """The answers to visible tests, made anew only if what they follow from changes."""

    assignment: Assignment | None = None
    solution: bytes = b""  # the notebook as it is built; it is run only when there are answers

    def drift(self) -> str:
        assert self.assignment is not None
        current = visible_answers.is_current(
            self.assignment, self.path.with_suffix(".py"), self.solution
        )
        return "" if current else "has answers of an older version"

    def write(self, text: str) -> None:
        assert self.assignment is not None
        super().write(
            visible_answers.text(self.assignment, self.path.with_suffix(".py"), self.solution)
        )


def targets(course: Course, only: list[str] | None = None) -> Iterator[Target]:
    """Every generated file of the course. Raises BuildError, also if a starter leaks an answer."""
    consistency.check(course)
    if not only:
        documents = course.plugin("documents")
        yield from documents(course) if documents else ()
    for assignment in course.notebooks:
        if only and assignment.id not in only:
            continue
        starter = notebooks.build(course, assignment, "starter")
        _prove_no_leak(course, assignment, starter)
        folder = assignment.folder
        yield Target(assignment.starter, notebooks.dump(starter))
        if assignment is not course.exam:
            yield Target(folder / "README.md", texts.readme(course, assignment))
        for cell in text_notebook.read(assignment):
            if cell.directive == "drawing":
                made = text_notebook.drawing_of(course, assignment, cell)
                yield Target(folder / "drawings" / f"{made.name}.svg", made.svg)
                current = pictures.is_current(assignment, made)
                place, data = pictures.path_of(assignment, made), pictures.of(assignment, made)
                yield PictureTarget(place, "", data=data, is_current=current)
        solution = notebooks.build(course, assignment, "solution")
        text = notebooks.dump(solution)
        for tests in assignment.public_tests:
            path = tests.with_suffix(".json")
            yield AnswersTarget(path, "", assignment=assignment, solution=text.encode())
        yield Target(assignment.solution, text, is_executed=True)


def drifted(course: Course, only: list[str] | None = None) -> list[str]:
    """One sentence for each generated file that is not up to date."""
    return [f"{t.name} {reason}" for t in targets(course, only) if (reason := t.drift())]


def write(
    course: Course,
    only: list[str] | None = None,
    execute: bool = True,
    log: Callable[[str], None] = print,
) -> list[str]:
    """Write what is out of date, executing solutions; returns the names of the written files."""
    written = []
    for target in targets(course, only):
        if not target.drift():
            continue
        text = target.text
        if target.is_executed and execute:
            text = notebooks.dump(_executed(target, log))
        target.write(text)
        written.append(target.name)
    return written


def _executed(target: Target, log: Callable[[str], None]) -> Notebook:
    """The notebook with its outputs, which are reused if its code has not changed."""
    notebook: Notebook = json.loads(target.text)
    if target.path.exists():
        before = json.loads(target.path.read_text(encoding="utf-8"))
        if _is_of(before, notebook):
            return _with_outputs(json.loads(target.text_with(before)), before)
    log(f"running {target.path.name}")
    target.path.parent.mkdir(parents=True, exist_ok=True)
    executed = run(notebook, target.path.parent)
    return _with_outputs(json.loads(target.text_with(executed)), executed)


def _with_outputs(notebook: Notebook, executed: Notebook) -> Notebook:
    """`notebook` with the outputs of `executed`, whose code is the same."""
    found = copy.deepcopy(notebook)
    found["metadata"]["course"]["executed"] = _digest(notebook)
    for cell, ran in zip(_code(found), _code(executed), strict=True):
        cell["outputs"], cell["execution_count"] = ran["outputs"], ran["execution_count"]
    return found


def run(notebook: Notebook, folder: Path) -> Notebook:
    """Execute a notebook. Raises BuildError with the traceback of a cell that fails."""
    import nbclient
    import nbformat

    node = nbformat.reads(notebooks.dump(notebook), as_version=4)
    client = nbclient.NotebookClient(
        node,
        timeout=EXECUTION_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    try:
        client.execute(env=os.environ | KERNEL)
    except nbclient.exceptions.CellExecutionError as error:
        raise BuildError(f"a cell of the notebook fails:\n{str(error)[-1500:]}") from None
    return _with_outputs(notebook, json.loads(nbformat.writes(node)))


def _bare(notebook: Notebook) -> Notebook:
    """The notebook without outputs and without the digest of its execution."""
    bare = copy.deepcopy(notebook)
    bare["metadata"].get("course", {}).pop("executed", None)
    for cell in bare["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return bare


def _code(notebook: Notebook) -> list[notebooks.Cell]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _digest(notebook: Notebook) -> str:
    """Hash of what outputs depend on: code in order, without prose and set-up, and data."""
    code = [c for c in _code(notebook) if notebooks.SETUP not in c["metadata"].get("tags", ())]
    sources = [_without_prose("".join(cell["source"])) for cell in code]
    sources += notebook["metadata"].get("course", {}).get("reads", {}).values()
    return hashlib.sha256(json.dumps(sources).encode()).hexdigest()


def _without_prose(source: str) -> str:
    """The code of a cell without docstrings and comments; a cell with magics is unchanged."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return source
    lines = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno
            lines[first - 1 : last] = [""] * (last - first + 1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(line for line in lines if line.strip())


def _is_of(executed: Notebook, notebook: Notebook) -> bool:
    """Whether `executed` has the outputs of this notebook's code."""
    digest = executed["metadata"].get("course", {}).get("executed")
    return digest == _digest(executed) == _digest(notebook)


def _prove_no_leak(course: Course, assignment: Assignment, starter: Notebook) -> None:
    code = likeness.code_of_notebook(f"starter {assignment.id}", starter)
    hidden: Iterable[str] = unreleased(course)
    if isinstance(assignment, Lab):  # whose own answers are in the library
        hidden = {*hidden, *(c for e in assignment.exercises for c in e.components)}
    if assignment is course.exam:  # which shows other answers, with a mistake each
        broken = {cell.argument for cell in text_notebook.read(assignment) if cell.bug}
        hidden = {c for e in assignment.exercises for c in e.components} - broken
    leaks = likeness.find_leaks(code, hidden)
    if leaks:
        raise BuildError("; ".join(map(str, leaks)))
