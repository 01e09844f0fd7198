"""Collects a submission's code without running it.

Kept are imports, functions, classes, and the assignments that the exercises' names need, also
within an `if`. Left out are expression statements, loops and plots. The last of several definitions
counts, but a stub never overrides a written one.
"""

import ast
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from ..course.assignment import Assignment
from ..seam import StudentError
from ..seam.errors import LOAD_ERROR, POLICY
from . import ban_routes, not_run
from .notebook_file import Cell
from .skipped_code import is_constant, loop_variables, touched
from .statements import Found, Statement, sort_cell

MAX_NOTICES = 100


@dataclass
class Collected:
    """The statements that the worker will execute, and what to report about the rest."""

    statements: list[Statement] = field(default_factory=list)
    unavailable: dict[str, str] = field(default_factory=dict)  # name → why
    refused: dict[str, str] = field(default_factory=dict)  # name → why it is not graded
    unwritten: set[str] = field(default_factory=set)  # names that are still stubs
    defined_in: dict[str, int] = field(default_factory=dict)  # name → cell of the one that counts
    notices: list[str] = field(default_factory=list)
    invalid: list[str] = field(default_factory=list)  # notices of cells that are not valid Python

    @property
    def written(self) -> set[str]:
        """The exercises' names that the notebook defines, broken or not, except stubs."""
        return (self.defined_in.keys() | self.unavailable.keys()) - self.unwritten

    def closure(self, names: Iterable[str]) -> list[Statement]:
        """The statements that these names need, transitively."""
        binding: dict[str, list[Statement]] = {}
        for statement in self.statements:
            for name in statement.names:
                binding.setdefault(name, []).append(statement)
        seen, waiting, kept = set[str](), [*names, "*"], dict[Statement, None]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for statement in binding.get(name, ()):
                if statement not in kept:
                    kept[statement] = None
                    waiting += statement.uses
        return [statement for statement in self.statements if statement in kept]


def collect(cells: list[Cell], names: Iterable[str]) -> Collected:
    """The definitions that the exercises' `names` need from a notebook's cells."""
    result = Collected()
    found: list[Found] = []
    for cell in cells:
        if cell.kind == "code":
            of_cell = sort_cell(cell)
            found += of_cell.found
            result.notices += of_cell.notices
            result.invalid += [of_cell.invalid] if of_cell.invalid else []
            result.unavailable.update(of_cell.broken)
    written = {n for f in found if f.kind == "definition" for n in f.statement.names}
    names = list(names)
    stubs = {n for f in found if f.kind == "stub" for n in f.statement.names}
    result.unwritten = (stubs - written) & set(names)
    kept = [f for f in found if f.kind != "stub" or not set(f.statement.names) <= written]
    uses = _uses(kept)
    needed = _needed(uses, names)
    for position in _scratch(kept, needed - set(names), needed):  # the last first
        again = kept.pop(position).statement
        result.notices.append(
            f"`{'`, `'.join(again.names)}` is set again in cell {again.cell}, after all that needs "
            "it: what was imported or defined before counts"
        )
    for f in kept:
        bound = set(f.statement.names)
        if f.kind in ("import", "definition", "stub") or (
            f.kind == "assignment" and bound & needed
        ):
            result.statements.append(f.statement)
            for name in bound & set(names):
                if name in result.defined_in and f.kind == "definition":
                    result.notices.append(
                        f"`{name}` is defined more than once: the last one, in cell "
                        f"{f.statement.cell}, counts"
                    )
                result.defined_in[name] = f.statement.cell
                result.unavailable.pop(name, None)
    _refuse_touched(kept, uses, names, result)
    bound = {n for f in found if f.kind not in ("import", "skipped") for n in f.statement.names}
    for name, why in not_run.definitions(cells, found).items():
        if name in needed - bound - result.unavailable.keys():
            result.unavailable[name] = why
            result.notices.append(why)
    if len(result.notices) > MAX_NOTICES:
        more = f"and {len(result.notices) - MAX_NOTICES} more notices of this kind"
        result.notices = [*result.notices[:MAX_NOTICES], more]
    return result


def _uses(found: list[Found]) -> dict[str, set[str]]:
    """By a name that the statements bind: the global names that they use."""
    uses: dict[str, set[str]] = {}
    for f in found:
        for name in f.statement.names if f.kind != "skipped" else ():
            uses.setdefault(name, set()).update(f.statement.uses)
    return uses


def _needed(uses: dict[str, set[str]], names: Iterable[str]) -> set[str]:
    """The exercises' names and every global name they use, transitively."""
    needed, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting += uses.get(name, ())
    return needed


def _scratch(found: list[Found], helping: Set[str], needed: Set[str]) -> list[int]:
    """Places of assignments to `helping` names, imported or defined before, used by nothing after.

    `stats = {…}` in a last cell leaves the answers above, which import `stats`, as they are.
    """
    made: dict[str, int] = {}  # by name: where it is first imported or defined
    for position, f in enumerate(found):
        if f.kind in ("import", "definition"):
            for name in f.statement.names:
                made.setdefault(name, position)
    scratch, used = list[int](), set[str]()
    for position, f in reversed(list(enumerate(found))):
        bound = set(f.statement.names) if f.kind != "skipped" else set[str]()
        again = bound and all(made.get(name, position) < position for name in bound)
        free = bound <= helping and not bound & used
        if f.kind == "assignment" and again and free and _is_fresh(f):
            scratch.append(position)
        elif bound & needed:
            used |= f.statement.uses
    return scratch


def _is_fresh(f: Found) -> bool:
    """Whether what it binds does not follow from what had these names before."""
    if f.kind != "assignment":
        return True
    return not isinstance(f.node, ast.AugAssign) and not f.statement.uses & set(f.statement.names)


def _refuse_touched(
    found: list[Found], uses: dict[str, set[str]], names: list[str], result: Collected
) -> None:
    """Refuse exercises that need a name set or changed by skipped code: its value is unknown.

    Not if it is bound anew after that, or if only a loop or a block takes the name of an import or
    a definition, which then counts. So does a constant: see `_constants`.
    """
    needed_by = {name: _needed(uses, [name]) for name in names}
    needed = set[str]().union(*needed_by.values())
    imported, made = set[str](), set[str]()
    anew: dict[str, int] = {}  # by name: where it is bound for the last time, from nothing before
    for position, f in enumerate(found):
        bound = set(f.statement.names) if f.kind != "skipped" else set[str]()
        imported |= bound if f.kind == "import" else set()
        made = made - bound if f.kind == "assignment" else made | bound
        anew |= dict.fromkeys(bound, position) if _is_fresh(f) else {}
    taken, notices = _constants(found, needed)
    result.notices += notices
    for position, f in enumerate(found):
        bound, changed = touched(f.node, imported) if f.kind == "skipped" else (set(), set())
        for name in sorted(((bound - made) | changed) & needed):
            if anew.get(name, -1) > position:
                continue
            if name not in changed and (cell := taken.get(position, {}).get(name)):
                result.notices.append(
                    f"a loop in cell {f.statement.cell} takes the name `{name}`: its value from "
                    f"cell {cell} counts"
                )
                continue
            why = (
                f"`{name}` is set in cell {f.statement.cell} by code that is not run when grading "
                "(a loop or a call): pass it as an argument, or set it by a plain assignment after "
                "that"
            )
            for dependent in names:
                if name in needed_by[dependent]:
                    result.refused[dependent] = why


def _constants(found: list[Found], needed: Set[str]) -> tuple[dict[int, dict[str, int]], list[str]]:
    """By the place of skipped code: names of earlier constants that its loops take as variables,
    with the constants' cells; and notices of constants that are set again.

    Only those that nothing needed uses after that. `EPS = 1e-9` is known, whatever
    `for EPS in (1e-6, 1e-3): …` tries later.
    """
    constants, taken = dict[str, int](), dict[int, dict[str, int]]()
    last, again = dict[str, int](), dict[str, int]()  # by name: the place of the last use, setting
    for position, f in enumerate(found):
        if f.kind == "skipped":
            taken[position] = {n: constants[n] for n in loop_variables(f.node) & constants.keys()}
            continue
        own = set(f.statement.names)
        last |= dict.fromkeys(f.statement.uses, position) if own & needed else {}
        if is_constant(f.node):
            again |= dict.fromkeys(own & constants.keys() & needed, position)
            constants |= dict.fromkeys(own, f.statement.cell)
        else:
            for name in own:
                constants.pop(name, None)
    notices = [
        f"`{name}` is set again in cell {found[at].statement.cell}: its last value counts"
        for name, at in again.items()
        if last.get(name, -1) < at
    ]
    unused = {
        at: {n: cell for n, cell in cells.items() if last.get(n, -1) < at}
        for at, cells in taken.items()
    }
    return unused, notices


def decided(assignment: Assignment, collected: Collected) -> dict[str, StudentError]:
    """By exercise: a name that it needs cannot be loaded, or leads around what it forbids."""
    verdicts = {}
    routes = ban_routes.used(collected.statements) if assignment.forbidden_anywhere else {}
    for exercise in assignment.exercises:
        refused = [collected.refused[n] for n in exercise.names if n in collected.refused]
        if refused:
            verdicts[exercise.id] = StudentError(LOAD_ERROR, refused[0])
        elif routes and assignment.forbidden_in(exercise):
            for statement in collected.closure(exercise.names):
                if name := routes.get(statement):
                    error = StudentError(POLICY, name, f"cell {statement.cell}")
                    verdicts.setdefault(exercise.id, error)
    return verdicts
