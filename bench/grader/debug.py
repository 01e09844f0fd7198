"""Asks `student debug` about models with one mistake: every named one, and others from the web.

A mistake counts when it shows in a model: in a pass, a gradient, a step or a search, compared with
the right form. It is named when what debug says first is about its component, and it is accused
falsely when something that debug says is about other components only.
"""

import ast
import importlib
import re
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch

from course_lib.diagnosis import checklist, translator_checklist
from grader.authoring import results_file
from grader.course import course_file, mistakes
from grader.course.course import Course
from grader.course.record import mistake
from grader.library.components import module_text

from .debug_behavior import behavior, differ

NAME = "debug"
PLANTS, CHECKS = map(Path(__file__).with_name, ("debug_plants.toml", "debug_checks.toml"))
MODULES = (  # of course_lib, in course order: what one notebook with everything would define
    *("normalization", "residual", "attention"),
    *("positions", "masks", "embeddings", "feed_forward", "encoder", "classifier"),
    *("training.schedules", "training.optimizers", "training.classification_step"),
    *("decoder", "transformer", "training.losses", "training.translation_step"),
    "decoding.cache",
)
OF_TRANSLATOR = (
    {"causal_mask", "target_mask"}
    | {  # the rest is of the classifier
        name for module in MODULES[12:] for name in module_text(f"course_lib.{module}").definitions
    }
)
OF_A_PLACE = ("gradients", "runs")  # checks that say where: about that part, and what holds it


def _listed(table: str) -> dict[str, str]:
    """A table of `debug_checks.toml`, its groups written out."""
    content = course_file.data_of(CHECKS)
    groups = dict[str, str]()
    for name, components in content["groups"].items():  # one names only those before it
        groups[name] = components.format(**groups)
    return {name: components.format(**groups) for name, components in content[table].items()}


GROUPS, ABOUT, OF_PART, HOLDS = map(_listed, ("groups", "checks", "of_part", "holds"))


@dataclass(frozen=True)
class Row:
    """One mistake that shows in a model, and what debug says of it."""

    mistake: str
    component: str
    checks: tuple[str, ...]  # that are wrong, in their order
    says: str  # the first of them
    named: bool
    false: tuple[str, ...]  # about other components only
    seconds: float


def run(log: Callable[[str], None], only: Sequence[str] = (), jobs: int = 2) -> dict[str, Any]:
    """Judge every mistake, or `only` some; writes `results/debug.json` with a row for each."""
    bugs = [bug for bug in of_models() if not only or bug.name in only]
    rows = []
    with ProcessPoolExecutor(jobs) as pool:
        for bug, row in zip(bugs, pool.map(judge, bugs), strict=True):
            if row is not None:
                rows.append(row)
                sign = "  " if row.named and not row.false else "! "
                log(f"{sign}{bug.name}: {', '.join(row.checks) or 'nothing'}")
    measures = {
        "named": results_file.measure("percent", [100 * sum(r.named for r in rows) / len(rows)]),
        "accused_falsely": results_file.measure("mistakes", [sum(bool(r.false) for r in rows)]),
        "shown_by_a_model": results_file.measure("mistakes", [len(rows)]),
        "in_no_model": results_file.measure("mistakes", [len(bugs) - len(rows)]),
        "seconds": results_file.measure("s", [row.seconds for row in rows]),
    }
    about = {"name": "none", "source": "random weights", "sha256": ""}
    table = {"rows": [asdict(row) for row in rows]}
    command = "course bench debug" + (f" --only {','.join(only)}" if only else "")
    results_file.write(NAME, command, measures, about, table)
    return measures


def of_models() -> list[mistakes.Bug]:
    """Every named mistake of a component that a model uses, and every plant."""
    parts = {f"course_lib.{name}" for name in MODULES}
    named = [
        bug
        for assignment in Course.here().assignments
        for bug in mistakes.load(assignment)
        if bug.component.partition(":")[0] in parts
    ]
    return [*plants(), *reversed(named)]


def plants() -> list[mistakes.Bug]:
    """Every plant, as a named mistake."""
    found = []
    for place, text in course_file.data_of(PLANTS).items():
        for name, facts in mistake.read(text, f"course_lib.{place}", place).items():
            bug = mistakes.Bug.model_validate(facts)
            bug._name = name
            found.append(bug)
    return found


def judge(bug: mistakes.Bug) -> Row | None:
    """The verdict of debug on a model with this mistake; None if no model shows it."""
    torch.set_num_threads(1)
    names, component = namespace(bug), bug.component.partition(":")[2]
    if not differ(behavior(names), _right()):
        return None
    begun = time.process_time()
    said = wrong(names, component)
    about = [component in components(*one) for one in said]
    false = tuple(name for (name, _), right in zip(said, about, strict=True) if not right)
    return Row(
        bug.name,
        component,
        tuple(name for name, _ in said),
        said[0][1] if said else "",
        bool(about[:1] == [True]),
        false,
        time.process_time() - begun,
    )


def _place(error: Exception) -> str:
    """The function or class of the line that debug shows: the last of the student's own."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    own = [one for one in frames if one.f_code.co_filename.startswith("course_lib.")]
    last = own[-1]
    return type(last.f_locals["self"]).__name__ if "self" in last.f_locals else last.f_code.co_name


def components(check: str, says: str) -> set[str]:
    """The components that a line of debug is about: its check's, or those of the place it names."""
    if check == "cannot be built":
        return {says.partition(":")[0]}
    if check not in OF_A_PLACE:
        return set(ABOUT[check].split())
    place, verb, *_ = says.split()
    place = re.sub(r"[a-z_]+_(residual|attention)\b", r"\1", place.rstrip(":"))
    names = [name for name in place.split(".") if name in OF_PART]
    if not names:  # the model itself, and the functions that only it calls
        return {*GROUPS["WHOLE"].split(), *GROUPS["MASKS"].split(), "masked_mean"}
    layer = {"encoder": "EncoderLayer", "decoder": "DecoderLayer"}.get(names[0], "")
    own = f"{OF_PART[names[-1]]} {layer if names[-1] == 'layers' else ''}"
    holding = " ".join([GROUPS["WHOLE"], *(HOLDS[name] for name in names[:-1])])
    holding += f" {layer}" if "layers" in names[:-1] else ""
    if check == "runs" and verb == "is":  # given something else: what calls it is wrong
        return {*holding.split(), *(GROUPS["MASKS"].split() if "mask`" in says else ())}
    return {*own.split(), *(holding.split() if check == "gradients" else ())}


@lru_cache(maxsize=1)
def _right() -> dict[str, Any]:
    return behavior(namespace())


def wrong(names: dict[str, Any], component: str) -> list[tuple[str, str]]:
    """The wrong lines of debug, by check; what was raised, where no model can be run."""
    model, check = "EncoderClassifier", checklist.of_class
    if component in OF_TRANSLATOR:
        model, check = "Transformer", translator_checklist.of_class
    listed = next(
        a.checklist for a in Course.here().assignments if a.checklist and a.checklist.model == model
    )
    functions = {name: names[name] for name in listed.functions}
    try:
        made = check(names[model], functions)
    except Exception as error:  # debug shows it, with its place in the notebook
        return [("cannot be built", f"{_place(error)}: {type(error).__name__}: {error}")]
    return [
        (str(one["name"]), f"{one['measured']} → {one['advice']}")
        for one in made
        if one["ok"] is False
    ]


def namespace(bug: mistakes.Bug | None = None) -> dict[str, Any]:
    """The names that a notebook with every component would define, one of them mistaken."""
    found: dict[str, Any] = {}
    for name in MODULES:
        module = module_text(f"course_lib.{name}")
        text = module.text
        if bug and bug.component.partition(":")[0] == module.name:
            source = module.definitions[bug.component.partition(":")[2]]
            text = text.replace(source, bug.apply(source))
        own = [
            line
            for line in ast.parse(text).body
            if not (isinstance(line, ast.ImportFrom) and line.level)  # it is defined above
        ]
        importlib.import_module(module.name)  # a dataclass looks its module up
        found["__name__"] = module.name
        exec(compile(ast.Module(own, []), module.name, "exec"), found)
    return found
