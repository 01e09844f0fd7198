"""`course bench …`."""

from __future__ import annotations

import json
import statistics
import sys
from typing import Any

from course_lib import profiles, syllabus

from . import EXIT_OK
from .problems import UsageProblem


def grading(submissions: int, as_json: bool) -> int:
    from ..bench import grading as bench

    measures = bench.run(syllabus.load(), submissions, lambda text: print(text, file=sys.stderr))
    return _tell(measures, "results/bench_grading.json", as_json)


def model(as_json: bool) -> int:
    from ..bench import model as bench

    return _tell(bench.run(), "results/bench_model.json", as_json)


def encoder(as_json: bool) -> int:
    from ..bench import encoder as bench

    return _tell(bench.run(), "results/bench_encoder.json", as_json)


def sst2(profile: str, seeds: str, name: str | None, as_json: bool) -> int:
    from ..bench import sentiment as bench

    try:
        numbers = [int(seed) for seed in seeds.split(",")]
        kind = profiles.profile(profile)
    except ValueError as error:
        raise UsageProblem(f"{error}; seeds are numbers with commas between them") from None
    target = name or f"sst2_{kind.name}"
    measures = bench.run(kind.name, numbers, target, lambda text: print(text, file=sys.stderr))
    return _tell(measures, f"results/{target}.json", as_json)


def _tell(measures: dict[str, Any], place: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps(measures))
        return EXIT_OK
    for name, measure in measures.items():
        print(f"{name:40} {statistics.median(measure['values']):9.3f}  median, {measure['unit']}")
    print(f"written to {place}")
    return EXIT_OK
