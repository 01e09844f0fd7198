"""The files and packages that another machine needs to grade or check one assignment."""

import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_file import shown
from grader.course.record.files import EXPORTED
from grader.course.record.files import FILE as RECORD
from grader.course.tree import FILE

from ..course import toml
from ..library import student_tree

# The packages of the grader that run one submission.
GRADING = """checking classroom course gradebook grading intake judge notebook report sandbox seam
    library student""".split()
KINDS = (".py", ".toml", ".html", ".css", ".js", ".ipynb", ".json", ".md")
EXTRAS = ("student", "instructor")
Files = dict[str, bytes]  # by path, as in the checkout


def grader(packages: Iterable[str]) -> Files:
    """These packages of the grader, and what it needs of the hidden side."""
    files = _under(*(f"grader/{name}" for name in packages), "autograder/stand_ins")
    return files | _of("grader/__init__.py", "autograder/__init__.py")


def library() -> Files:
    """The whole of the library and of its extensions, answers included."""
    return _under(*Course.here().facts.libraries)


def hidden_tests(assignment: Assignment) -> Files:
    """The assignment's hidden tests, what they take from earlier ones, and measured thresholds."""
    measured = [shown(path) for e in assignment.exercises for path in e.calibration]
    course = Course.here()
    place = [other.id for other in course.graded].index(assignment.id)
    shared = [
        shown(path)
        for other in course.graded[: place + 1]
        for kind in ("*.py", f"*/{RECORD}")
        for path in sorted(other.hidden.glob(kind))
    ]
    exercises = [shown(assignment.hidden_folder(exercise.id)) for exercise in assignment.exercises]
    return _under(*exercises) | _of(*shared, *measured)


def own_answer(assignment: Assignment) -> Files:
    """The course's own notebook without its outputs, and what mistakes in it answer.

    The answers are computed here, as a grade is not to wait for them.
    """
    from ..judge import mistaken  # heavy

    notebook = json.loads(assignment.solution.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = []
    files = {shown(assignment.solution): json.dumps(notebook).encode()}
    kept = mistaken.all_kept(assignment)
    return files | {
        path.relative_to(assignment.root).as_posix(): path.read_bytes() for path in kept
    }


def handed_out(assignment: Assignment) -> Files:
    """The students' files of the assignment: starter and visible tests. And the syllabus."""
    registry = _of("data/registry.toml", "data/README.md")
    exercises = {EXPORTED: student_tree.exercises(Course.here().notebooks).encode()}
    return _under(f"assignments/{assignment.id}") | registry | _of(FILE) | exercises


def requirements(lines: Sequence[str] = ()) -> Files:
    """The packages that pip must install, by default all; and the versions that were tested."""
    text = "\n".join([*(lines or packages()), ""])
    return {"requirements.txt": text.encode()} | _of("constraints.txt")


def packages() -> list[str]:
    """The requirements of students and instructors, as in pyproject.toml."""
    project = toml.loads((Course.here().root / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]


def _under(*folders: str) -> Files:
    """The files of these folders, without caches, hidden files and what students hand in."""
    found, root = Files(), Course.here().root
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root).parts
            left_out = any(re.match(r"\.|__pycache__$|submission$", part) for part in inside)
            if path.is_file() and path.suffix in KINDS and not left_out:
                found["/".join(inside)] = path.read_bytes()
    return found


def _of(*names: str) -> Files:
    return {name: Path(Course.here().root / name).read_bytes() for name in names}


ENTRIES = (  # where the processes of a judge begin, and what notebooks import of the grader
    r"grader\.exchange\.gradescope_run|grader\.judge\.workers\..+|grader\.sandbox\..+"
    r"|grader\.checking\.notebook|grader\.notebook\.ipython_syntax|autograder\.(?!stand_ins).+"
)


def needed_packages(
    files: Mapping[str, bytes], imports: Iterable[str], listed: Iterable[str]
) -> list[str]:
    """The lines of a requirements file that are needed, of all `listed`.

    `files` are the sources by path, `imports` the modules that notebooks of the assignment import.
    """
    packages = {module.partition(".")[0] for module in [*imports, *_reached(files)]}
    packages -= sys.stdlib_module_names
    distributions = packages_distributions()
    found = {name for package in packages for name in distributions.get(package, [package])}
    names = {canonicalize_name(name) for name in found}
    return [line for line in listed if canonicalize_name(Requirement(line).name) in names]


def _reached(files: Mapping[str, bytes]) -> set[str]:
    """Every module that is imported from the entries on, without those that functions import.

    Functions import what other commands need, or what only some assignments' notebooks use.
    """
    modules = {_module(path): path for path in files if path.endswith(".py")}
    left = [name for name in modules if re.fullmatch(ENTRIES, name)]
    found = set[str]()
    while left:
        name = left.pop()
        if name in found:
            continue
        found.add(name)
        if name in modules:
            path = modules[name]
            package = name if path.endswith("__init__.py") else name.rpartition(".")[0]
            left += _imported(ast.parse(files[path]), package)
        left += [name.rpartition(".")[0]] if "." in name else []
    return found


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The modules, and names that may be modules, that importing this source imports."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not (
            isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        ):
            yield from _imported(node, package)
