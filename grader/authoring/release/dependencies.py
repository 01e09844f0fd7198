"""Finds what a release uses: modules of the library, and packages to install.

A module is used where code imports it, or names it in a string: "course_lib.decoding.translator".
"""

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from grader.course.course import Course

from ...exchange import course_files
from .imports import ENGINE, Tree, cells, parsed

KNOWN_FAULTS = "known_faults"  # the plugin that `student debug` calls
PROGRAMS = ("grader/student/", "grader/checking/notebook.py")  # where students enter the grader
ALWAYS = frozenset({"ipykernel"})  # what runs a notebook
BEHIND = {"torch.utils.tensorboard": "tensorboard", "tqdm.auto": "ipywidgets"}
Files = dict[str, bytes]  # by path in the release
REFERENCE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)+)(?::\w+)?")  # "package.module:name"
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def without_unused(course: Course, files: Files, ids: Sequence[str]) -> Files:
    """The files of a release but for the library's that nothing uses; `ids`: what is out."""
    libraries = _libraries(course)
    entries = [path for path in files if not path.startswith(libraries)]
    used = _reached(Tree(files), entries, _named(course, ids))
    folders = {PurePosixPath(path).parent for path in used}
    return {
        path: data
        for path, data in files.items()
        if not path.startswith(libraries)
        or path in used
        or path == f"{course.facts.library}/__init__.py"  # it states the version
        or (not path.endswith(".py") and PurePosixPath(path).parent in folders)
    }


def packages(
    course: Course, files: Files, ids: Sequence[str], listed: Sequence[str], apart: str = ""
) -> list[str]:
    """The lines of `listed` requirements that the notebooks and checks need; not those `apart`."""
    imports = ALWAYS.union(*(one.imports for one in course.assignments if one.id in ids))
    for path in of_work(course, files, ids, apart):
        names = (name for node in _code(path, files[path]) for name in _imported(path, node))
        imports |= {BEHIND.get(name, name) for name in names}
    return course_files.needed_packages({}, imports, listed)


def of_work(course: Course, files: Files, ids: Sequence[str], apart: str = "") -> set[str]:
    """The paths of the code that students need for their work, which is not in the folder `apart`.

    Of the grader it is what its programs import at once: torch comes with an assignment's notebook.
    """
    others = (*_libraries(course), f"{ENGINE}/", *([apart] if apart else []))
    entries = [path for path in files if path.startswith(PROGRAMS) or not path.startswith(others)]
    return _reached(Tree(files), entries, _named(course, ids))


def _libraries(course: Course) -> tuple[str, ...]:
    return tuple(f"{name}/" for name in course.facts.libraries)


def _named(course: Course, ids: Sequence[str]) -> list[str]:
    """The modules that `course.toml` names for students, of the assignments that are out."""
    facts = course.facts
    found = [own.module for own in facts.student_commands.values() if own.assignment in ids]
    lists = [one.checklist.checks for one in course.assignments if one.checklist and one.id in ids]
    known = [facts.plugins[KNOWN_FAULTS]] if lists and KNOWN_FAULTS in facts.plugins else []
    return [reference.partition(":")[0] for reference in [*found, *lists, *known]]


def _reached(tree: Tree, entries: Iterable[str], named: Iterable[str]) -> set[str]:
    """The paths of entries and named modules that are code, and of all modules that these use."""
    found = set[str]()
    left = [*entries, *(tree.path(module) for module in named)]
    while left:
        path = left.pop()
        if path in found or not path.endswith((".py", ".ipynb")):
            continue
        found.add(path)
        nodes = [*_code(path, tree.files[path])]
        for name in {name for node in nodes for name in (*_imported(path, node), *_quoted(node))}:
            parts = name.split(".")
            left += [tree.path(".".join(parts[:end])) for end in range(1, len(parts) + 1)]
    return found


def _code(path: str, data: bytes) -> Iterator[ast.AST]:
    """The nodes of a module or notebook; of the grader's without those in functions."""
    sources = [data.decode()] if path.endswith(".py") else cells(path, data).values()
    for source in sources:
        with contextlib.suppress(SyntaxError):  # `imported.faults` says so
            yield from _nodes(parsed(source), not path.startswith(f"{ENGINE}/"))


def _nodes(tree: ast.AST, of_functions: bool) -> Iterator[ast.AST]:
    """The nodes of code, but for those that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        if of_functions or not isinstance(node, FUNCTIONS):
            yield from _nodes(node, of_functions)


def _imported(path: str, node: ast.AST) -> Iterator[str]:
    """The modules, and names that may be modules, that a statement of a file imports."""
    module = path.removesuffix(".py").replace("/", ".")
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = module.split(".")[: -node.level] if node.level else []
        base = ".".join([*above, *filter(None, [node.module])])
        yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def _quoted(node: ast.AST) -> list[str]:
    """The module that a string names, if it is one."""
    text = node.value if isinstance(node, ast.Constant) else ""
    match = REFERENCE.fullmatch(text) if isinstance(text, str) else None
    return [match[1]] if match else []
