"""Finds what a release's code needs and the release lacks, without running it.

So nothing stays unseen behind an exercise that is not written yet: a name that a module does not
define, a module that is left out, a package that the requirements do not bring, a global name that
nothing binds.
"""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from IPython.core.inputtransformer2 import TransformerManager

from grader.course.tree import modules
from grader.notebook import notebook_file
from grader.notebook.statements import global_names

OF_IPYTHON = frozenset("In Out display exit get_ipython quit _ __ ___".split())
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
OUTSIDE = "noqa: F821"  # linters know this comment, too
MISSING = ("ImportError", "ModuleNotFoundError")
ENGINE = "grader"  # its packages: some courses have torch, others do not need it
NOT_BROUGHT = "which no package in requirements.txt provides"


@dataclass(frozen=True)
class Fault:
    """One place of a release that cannot work, and why."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass
class Tree:
    """The modules of a release, and the packages that its requirements bring."""

    files: Mapping[str, bytes]
    root: str = ""  # where its imports begin: "", or a folder that ends in /
    packages: frozenset[str] = frozenset()
    _names: dict[str, frozenset[str]] = field(default_factory=dict)

    def path(self, module: str) -> str:
        """The file of a module, a folder for a package without `__init__.py`, or ""."""
        place = self.root + module.replace(".", "/")
        for path in (f"{place}.py", f"{place}/__init__.py"):
            if path in self.files:
                return path
        return f"{place}/" if any(path.startswith(f"{place}/") for path in self.files) else ""

    def names(self, module: str) -> frozenset[str]:
        """The names that a module binds."""
        path = self.path(module)
        if path not in self._names:
            text = self.files.get(path, b"").decode()
            self._names[path] = bound(parsed(text))
        return self._names[path]

    def lacks(self, module: str, name: str = "") -> str:
        """Why an import of a module, or of a name from it, fails; "" if it does not."""
        top = module.partition(".")[0]
        if self.path(top):
            if not self.path(module):
                return f"imports {module}, which is not in this release"
            names = self.names(module) if name else frozenset()
            if name in (*names, "", "*") or "__getattr__" in names or self.path(f"{module}.{name}"):
                return ""
            return f"imports {name} from {module}, which does not have it in this release"
        if top in sys.stdlib_module_names or top in self.packages:
            return ""
        return f"imports {top}, {NOT_BROUGHT}"


def faults(
    files: Mapping[str, bytes], apart: str = "", beside: Collection[str] = ()
) -> list[Fault]:
    """Everything that is missing in a release.

    `apart` is a folder, ending in /, whose code imports from there and from the rest. What is
    `beside` may need packages that the requirements do not bring.
    """
    listed = files.get("requirements.txt", b"").decode().splitlines()
    packages = modules(tuple(line.strip() for line in listed if line.strip()))
    main = Tree(files, "", packages)
    inside = Tree({**files, **_moved(files, apart)}, "", packages) if apart else main
    found: list[Fault] = []
    for path in sorted(files):
        if path.endswith(".py"):
            tree = inside if apart and path.startswith(apart) else main
            module = path.removeprefix(apart).removesuffix(".py").replace("/", ".")
            here = _in_cells(tree, module, {path: files[path].decode()})
        elif path.endswith(".ipynb"):
            here = _in_cells(main, "", cells(path, files[path]))
        else:
            continue
        optional = path in beside or path.startswith(f"{ENGINE}/")
        found += [f for f in here if not (optional and f.what.endswith(NOT_BROUGHT))]
    return found


def _moved(files: Mapping[str, bytes], apart: str) -> dict[str, bytes]:
    return {p.removeprefix(apart): data for p, data in files.items() if p.startswith(apart)}


def cells(path: str, data: bytes) -> dict[str, str]:
    """The code of a notebook by place, as IPython hands it to Python."""
    plain = TransformerManager().transform_cell
    code = [cell for cell in notebook_file.read(data) if cell.kind == "code"]
    return {f"{path}, cell {cell.number}": plain(cell.source) for cell in code}


def _in_cells(tree: Tree, module: str, cells: dict[str, str]) -> Iterator[Fault]:
    """The faults of code in one namespace: a module's, or the cells of a notebook."""
    bodies: dict[str, ast.Module] = {}
    for where, source in cells.items():
        try:
            bodies[where] = parsed(source)
        except SyntaxError as error:
            yield Fault(where, f"line {error.lineno} is not valid Python: {error.msg}")
    known, modules = set[str](OF_IPYTHON), dict[str, str]()
    for body in bodies.values():
        known |= bound(body)
        modules |= _modules(tree, body)
    for where, body in bodies.items():
        yield from (Fault(where, why) for why in _of_imports(tree, module, body))
        yield from (Fault(where, why) for why in _of_attributes(tree, modules, body))
        used = global_names(cells[where]) & _uses(body, cells[where])
        for name in sorted(used - known) if "*" not in known else ():
            yield Fault(where, f"uses the name {name}, which nothing defines")


def _uses(body: ast.Module, source: str) -> set[str]:
    """The names in code, except special ones and those that a comment says are from outside."""
    lines = source.splitlines()
    nodes = (node for node in ast.walk(body) if isinstance(node, ast.Name))
    names = {node.id for node in nodes if OUTSIDE not in lines[node.lineno - 1]}
    return {name for name in names if not name.startswith("__")}


@lru_cache(maxsize=4096)
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


@lru_cache(maxsize=4096)  # most files of one release are those of another
def bound(tree: ast.AST) -> frozenset[str]:
    """The global names that code binds; "*" after a star import."""
    found = {name for n in ast.walk(tree) if isinstance(n, ast.Global) for name in n.names}
    nodes = [*ast.iter_child_nodes(tree)]
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, NAMED) and node.name:
            found.add(node.name)
        if not isinstance(node, SCOPES):
            nodes += ast.iter_child_nodes(node)
    return frozenset(found)


def _guarded(tree: ast.AST) -> set[ast.AST]:
    """The nodes in a `try` that does without what cannot be imported."""
    found = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Try):
            caught = {getattr(n, "id", "") for h in node.handlers for n in ast.walk(h.type or h)}
            if caught & {*MISSING, "Exception"} or any(h.type is None for h in node.handlers):
                found |= {inner for statement in node.body for inner in ast.walk(statement)}
    return found


def _of_imports(tree: Tree, module: str, body: ast.Module) -> Iterator[str]:
    guarded = _guarded(body)
    for node in ast.walk(body):
        if node in guarded or not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        yield from filter(None, _lacking(tree, module, node))


def _lacking(tree: Tree, module: str, node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [tree.lacks(alias.name) for alias in node.names]
    above = module.split(".")[: -node.level] if node.level else []
    base = ".".join([*above, *filter(None, [node.module])])
    whole = tree.lacks(base)
    return [whole] if whole else [tree.lacks(base, alias.name) for alias in node.names]


def _modules(tree: Tree, body: ast.Module) -> dict[str, str]:
    """The release's modules that names of a namespace stand for: name → module."""
    found: dict[str, str] = {}
    for node in ast.walk(body):
        if isinstance(node, ast.Import):
            found |= {a.asname: a.name for a in node.names if a.asname}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    names = (n for n in ast.walk(body) if isinstance(n, (ast.Name, ast.arg)))
    own = {n.arg if isinstance(n, ast.arg) else n.id for n in names if _binds(n)}
    return {n: m for n, m in found.items() if tree.path(m).endswith(".py") and n not in own}


def _binds(node: ast.Name | ast.arg) -> bool:
    return isinstance(node, ast.arg) or isinstance(node.ctx, ast.Store)


def _of_attributes(tree: Tree, modules: dict[str, str], body: ast.Module) -> Iterator[str]:
    for node in ast.walk(body):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            if module and not node.attr.startswith("__") and tree.lacks(module, node.attr):
                yield f"uses {node.value.id}.{node.attr}, which {module} does not have"
