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

Measures = dict[str, dict[str, Any]]

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
    told = SENTENCES[name](content["measures"])
    return f"{told} (`{content['command']}`, {content['device']})."


def _medians(measures: Measures) -> dict[str, Any]:
    return {name: statistics.median(measure["values"]) for name, measure in measures.items()}


def _sst2(measures: Measures) -> str:
    values = {name: f"{m['mean']:.1f}" for name, m in measures.items()}
    seeds = len(measures["validation_accuracy"]["values"])
    return (
        f"{values['validation_accuracy']} % of the validation sentences (standard deviation over "
        f"{seeds} seeds {measures['validation_accuracy']['sd']:.1f}) and "
        f"{values['test_accuracy']} % of the test sentences, in {values['cpu_minutes']} CPU "
        "minutes a seed"
    )


def _encoder(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "A training step of the encoder runs at "
        f"{median['layers_2_median_speedup_same_work']:.2f} (two layers) and "
        f"{median['layers_6_median_speedup_same_work']:.2f} (six) times the speed of "
        "`torch.nn.TransformerEncoder` doing the same work"
    )


def _grading(measures: Measures) -> str:
    median = _medians(measures)
    return (
        f"A submission is graded in {median['a1_seconds']:.2f} s (assignment 1) and "
        f"{median['a2_seconds']:.2f} s (assignment 2). A class, with two jobs, takes "
        f"{median['speedup_over_nbgrader']:.0f} times less wall time a submission than "
        "one `nbgrader autograde` command on the same notebook; one at a time, "
        f"{median['speedup_one_at_a_time']:.0f} times less"
    )


def _model(measures: Measures) -> str:
    median = _medians(measures)
    return (
        "Multi-head attention of base size, forward and backward without weights, runs at "
        f"{median['speedup_over_nn_multihead_attention']:.2f} times the speed of "
        "`torch.nn.MultiheadAttention`"
    )


SENTENCES: dict[str, Callable[[Measures], str]] = {
    "bench_encoder": _encoder,
    "bench_grading": _grading,
    "sst2_cpu": _sst2,
    "sst2_six_layers": _sst2,
    "bench_model": _model,
}
