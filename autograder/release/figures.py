"""Measured figures in documents: taken from `results/`, never typed by hand.

A document holds `<!-- figures: NAME -->…<!-- /figures -->`; the build writes what is between.
"""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable
from typing import Any

from course_lib.syllabus import ROOT

from .components import BuildError

PLACE = re.compile(r"<!-- figures: (\w+) -->.*?<!-- /figures -->", re.DOTALL)


def filled(text: str) -> str:
    """The document with every place filled. Raises BuildError for a figure nobody measured."""
    return PLACE.sub(
        lambda found: f"<!-- figures: {found[1]} -->{_sentence(found[1])}<!-- /figures -->", text
    )


def _sentence(name: str) -> str:
    if name not in SENTENCES:
        raise BuildError(f"no sentence is known for the figures {name!r}")
    path = ROOT / "results" / f"{name}.json"
    if not path.exists():
        raise BuildError(f"results/{name}.json is missing: run its command first")
    content = json.loads(path.read_text(encoding="utf-8"))
    medians = {k: statistics.median(m["values"]) for k, m in content["measures"].items()}
    return f"{SENTENCES[name](medians)} (`{content['command']}`, {content['device']})."


def _grading(median: dict[str, Any]) -> str:
    return (
        f"A submission is graded in {median['a1_seconds']:.2f} s (assignment 1) and "
        f"{median['a2_seconds']:.2f} s (assignment 2). A class, with two jobs, takes "
        f"{median['speedup_over_nbgrader']:.0f} times less wall time a submission than "
        "one `nbgrader autograde` command on the same notebook; one at a time, "
        f"{median['speedup_one_at_a_time']:.0f} times less"
    )


def _model(median: dict[str, Any]) -> str:
    return (
        "Multi-head attention of base size, forward and backward without weights, runs at "
        f"{median['speedup_over_nn_multihead_attention']:.2f} times the speed of "
        "`torch.nn.MultiheadAttention`"
    )


SENTENCES: dict[str, Callable[[dict[str, Any]], str]] = {
    "bench_grading": _grading,
    "bench_model": _model,
}
