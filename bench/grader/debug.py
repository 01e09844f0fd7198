"""Asks `student debug` about models with one mistake: every named one, and others from the web.

A mistake counts when it shows in a model: in a pass, a gradient, a step or a search, compared with
the right form. It is named when what debug says first is about its component, and it is accused
falsely when something that debug says is about other components only.
"""

from __future__ import annotations

import ast
import importlib
import time
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
PLANTS = Path(__file__).with_name("debug_plants.toml")
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
ATTENTION = "attention split_heads merge_heads MultiHeadAttention"
LAYERS = "EncoderLayer DecoderLayer ResidualConnection"
STACKS = "Encoder Decoder"
WHOLE = "EncoderClassifier Transformer"
ABOUT = {  # check → the components that it is about; any, if it is not here
    "warm-up": "warmup_rate",
    "schedule": "WarmupSchedule warmup_rate",
    "optimizer": "paper_optimizer WarmupSchedule warmup_rate",
    "training step": "training_step translation_step shift_targets label_smoothed_loss",
    "shifted targets": "shift_targets",
    "label_smoothed_loss": "label_smoothed_loss",
    "initialization": f"TransformerEmbedding {ATTENTION} FeedForward {LAYERS} {STACKS} {WHOLE}",
    "layers of their own": f"{LAYERS} {STACKS} {WHOLE}",
    "score scale": ATTENTION,
    "attention": ATTENTION,
    "embedding scale": "TransformerEmbedding",
    "embedding": "TransformerEmbedding sinusoidal_positions",
    "sinusoids": "sinusoidal_positions TransformerEmbedding",
    "layer norm": "LayerNorm",
    "feed-forward": "FeedForward",
    "layers": f"{LAYERS} {STACKS}",
    "norm_first": f"{LAYERS} {STACKS} {WHOLE}",
    "stacks": f"{STACKS} {LAYERS}",
    "masks": f"padding_mask causal_mask target_mask {STACKS} {WHOLE}",
    "pooling": "masked_mean EncoderClassifier",
    "shared matrix": "Transformer",
    "output": f"Transformer {STACKS}",
    "weights": f"{ATTENTION} {LAYERS} {STACKS} {WHOLE}",
    "search step": "uncached_step",
    "cache": "start_cache cached_layer cached_step",
}


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
    about = [not (known := ABOUT.get(name)) or component in known.split() for name, _ in said]
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
        return [("cannot be run", f"{type(error).__name__}: {error}")]
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
