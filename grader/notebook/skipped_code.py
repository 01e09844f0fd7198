"""Names whose values a statement of a notebook decides that is not run when grading."""

import ast
from collections import Counter
from collections.abc import Set

from .guards import Definition
from .statements import base_names

MUTATORS = frozenset(
    "append extend insert update add pop popitem remove discard clear setdefault sort reverse "
    "fill resize put __setitem__".split()
)
OPERATORS = (ast.unaryop, ast.operator, ast.expr_context)
WRITTEN = (ast.Constant, ast.Name, ast.Tuple, ast.UnaryOp, ast.BinOp, *OPERATORS)


def touched(node: ast.AST, imported: Set[str] = frozenset()) -> tuple[set[str], set[str]]:
    """Names that a skipped statement binds; those that it writes into or changes by a method.

    Names of a comprehension's, a function's or a class's own do not count, nor does what it sets in
    something `imported` (`sys.path[:0] = …`, `plt.rcParams[k] = v`).
    """
    bound, changed = set[str](), set[str]()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(node, frozenset())]
    while waiting:
        child, own = waiting.pop()
        own |= _names_of_scope(child)
        if isinstance(child, ast.Global):
            bound.update(child.names)
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            bound.update({child.id} - own)
        elif isinstance(child, (ast.Attribute, ast.Subscript)) and isinstance(child.ctx, ast.Store):
            changed.update(set(base_names(child)) - own)
        elif (
            isinstance(child, ast.Call)
            and isinstance(child.func, ast.Attribute)
            and child.func.attr in MUTATORS
            and isinstance(child.func.value, ast.Name)
        ):
            changed.update({child.func.value.id} - own)
        waiting += [(inner, own) for inner in ast.iter_child_nodes(child)]
    return bound, changed - imported


def loop_variables(node: ast.AST) -> set[str]:
    """Names that a skipped statement binds as variables of its `for` loops, and nowhere else.

    Not of a loop with a `break`: it searches, and the value with which it ends is a result.
    """
    loops = [part for part in ast.walk(node) if isinstance(part, ast.For)]
    whole = [one for one in loops if not any(isinstance(p, ast.Break) for p in ast.walk(one))]
    variables = Counter(name for loop in whole for name in _stored(loop.target))
    stored = Counter(_stored(node))
    return {name for name, count in variables.items() if stored[name] == count}


def _stored(node: ast.AST) -> list[str]:
    parts = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [part.id for part in parts if isinstance(part.ctx, ast.Store)]


def is_constant(node: ast.AST) -> bool:
    """Whether a statement gives names to numbers or texts that are written in it."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [part for one in (node.value, *targets) for part in ast.walk(one)]
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    names = sum(isinstance(part, ast.Name) for part in parts)
    only = names == len(_stored(node)) and all(isinstance(part, WRITTEN) for part in parts)
    return bool(values) and None not in values and only


def _names_of_scope(node: ast.AST) -> set[str]:
    """The names that belong to a comprehension, a function or a class, and to nothing outside."""
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        targets = [part for one in node.generators for part in ast.walk(one.target)]
        return {part.id for part in targets if isinstance(part, ast.Name)}
    if not isinstance(node, (*Definition, ast.Lambda)):
        return set()
    inside = list(ast.walk(node))
    names = {part.arg for part in inside if isinstance(part, ast.arg)}
    names |= {p.id for p in inside if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
    return names - {name for p in inside if isinstance(p, ast.Global) for name in p.names}
