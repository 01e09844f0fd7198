"""`course bench …`."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from course_lib.recipes import classifier_profiles
from grader.cli import EXIT_OK
from grader.cli.problems import UsageProblem
from grader.course.course import Course

if TYPE_CHECKING:
    from bench.replication import Asked


def grading(submissions: int, assignments: str, as_json: bool) -> int:
    from bench import grading as bench

    course = Course.here()
    measures = bench.run(course, submissions, _chosen(course, assignments), _log)
    return _print(measures, "results/bench_grading.json", as_json)


def similar(assignments: str, as_json: bool) -> int:
    from bench import similar as bench

    course = Course.here()
    measures = bench.run(course, _chosen(course, assignments), _log)
    return _print(measures, f"results/{bench.NAME}.json", as_json)


def large_class(submissions: int, sample: int, assignment: str, workers: str, as_json: bool) -> int:
    from bench import large_class as bench

    course = Course.here()
    try:
        chosen, counts = course.assignment(assignment), _numbers(workers, "--workers")
    except (KeyError, ValueError) as error:
        raise UsageProblem(error.args[0]) from None
    if min(counts) < 1:
        raise UsageProblem(f"--workers {workers}: give numbers from 1 on, such as 1,2")
    if sample > submissions:
        raise UsageProblem(f"--sample {sample}: give at most {submissions}, the whole class")
    measures = bench.run(course, chosen, submissions, sample, counts, _log)
    return _print(measures, "results/bench_class.json", as_json)


def trained_class(submissions: int, jobs: int, assignment: str, as_json: bool) -> int:
    from autograder.demo import trained_class as bench

    course = Course.here()
    try:
        chosen = course.assignment(assignment)
    except KeyError as error:
        raise UsageProblem(error.args[0]) from None
    if chosen.model is None or chosen.model.measure != "bleu":
        raise UsageProblem(f"--assignment {assignment}: it hands in no translator; give a4")
    measures = bench.run(course, chosen, submissions, jobs, _log)
    return _print(measures, f"results/{bench.NAME}.json", as_json)


def model(as_json: bool) -> int:
    from bench import model as bench

    return _print(bench.run(), "results/bench_model.json", as_json)


def encoder(as_json: bool) -> int:
    from bench import encoder as bench

    return _print(bench.run(), "results/bench_encoder.json", as_json)


def sst2(profile: str, seeds: str, name: str | None, as_json: bool) -> int:
    from bench import sentiment as bench

    try:
        kind = classifier_profiles.profile(profile)
        numbers = _numbers(seeds)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    target = name or f"sst2_{kind.name}"
    measures = bench.run(kind.name, numbers, target, _log)
    return _print(measures, f"results/{target}.json", as_json)


def pretraining(labels: str, seeds: str, as_json: bool) -> int:
    from bench import pretraining as bench

    try:
        counts, numbers = _numbers(labels, "--labels"), _numbers(seeds)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    if min(counts) < 2:
        raise UsageProblem(f"--labels {labels}: give numbers from 2 on, one of each class")
    return _print(bench.run(counts, numbers, _log), f"results/{bench.NAME}.json", as_json)


def tables(seeds: str, as_json: bool) -> int:
    from bench import lookup_tables as bench

    try:
        numbers = _numbers(seeds)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    return _print(bench.run(numbers, _log), f"results/{bench.NAME}.json", as_json)


def multi30k(
    profile: str, seeds: str, name: str | None, test_name: str | None, as_json: bool
) -> int:
    from bench import translation as bench
    from course_lib.recipes import translation_profiles

    try:
        numbers = _numbers(seeds)
        kind = translation_profiles.profile(profile)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    target = name or f"multi30k_{kind.name}"
    measures = bench.run(kind.name, numbers, target, test_name, _log)
    files = [f"results/{file}.json" for file in (target, test_name) if file]
    return _print(measures, " and ".join(files), as_json)


def averages(profile: str, seeds: str, as_json: bool) -> int:
    from bench import averages as bench

    try:
        numbers = _numbers(seeds)
        measures = bench.run(profile, numbers, _log)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    return _print(measures, f"results/averages_{profile}.json", as_json)


def grammar(seeds: str, as_json: bool) -> int:
    from bench import grammar as bench

    try:
        numbers = _numbers(seeds)
    except ValueError as error:
        raise UsageProblem(str(error)) from None
    return _print(bench.run(numbers, _log), f"results/{bench.NAME}.json", as_json)


def train(as_json: bool) -> int:
    from bench import training as bench

    return _print(bench.run(), "results/bench_train.json", as_json)


def replicate(
    asked: Asked, rows: str, seeds: str, folder: Path, name: str | None, as_json: bool
) -> int:
    from bench import replication as bench
    from course_lib.recipes.table3 import chosen_row
    from course_lib.training.fit import CheckpointError, DivergedError

    target = name or f"table3_{asked.data}_scale_{asked.scale}"
    try:
        chosen = [chosen_row(row) for row in dict.fromkeys(rows.split(","))]
        numbers = list(dict.fromkeys(_numbers(seeds)))
        measures = bench.run(asked, chosen, numbers, folder, target, _log)
    except (ValueError, CheckpointError, DivergedError) as error:
        raise UsageProblem(str(error)) from None
    return _print(measures, f"results/{target}.json", as_json)


def study(as_json: bool) -> int:
    from bench import study as bench

    measures = bench.run(lambda text: print(text, file=sys.stderr))
    return _print(measures, "results/bench_study.json", as_json)


def site(folder: Path, runs: int, as_json: bool) -> int:
    from bench import site as bench

    if not (folder / "index.html").is_file():
        raise UsageProblem(f"{folder} holds no site: run `course site build` first")
    try:
        measures = bench.run(folder, runs, _log)
    except bench.MeasureError as error:
        raise UsageProblem(str(error)) from None
    return _print(measures, f"results/{bench.NAME}.json", as_json)


def decode(model: Path, sentences: int, peers: str, as_json: bool) -> int:
    from bench import decode as bench
    from bench.peers import PeerError
    from course_lib.decoding.translator import TranslationError

    names = [name for name in peers.split(",") if name]
    try:
        measures = bench.run(model, sentences, names, _log)
    except (PeerError, TranslationError) as error:
        raise UsageProblem(str(error)) from None
    return _print(measures, "results/bench_decode.json", as_json)


def _chosen(course: Course, assignments: str) -> list[str]:
    """The assignments that an option names; without it, all."""
    known = [assignment.id for assignment in course.assignments]
    chosen = [id for id in assignments.split(",") if id] or known
    if unknown := [id for id in chosen if id not in known]:
        raise UsageProblem(f"no assignment {unknown[0]!r}: there are {', '.join(known)}")
    return chosen


def _numbers(text: str, option: str = "--seeds") -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ValueError(f"{option} {text}: give numbers separated by commas, such as 0,1,2")
    return [int(part) for part in parts]


def _log(text: str) -> None:
    print(text, file=sys.stderr)


def _print(measures: dict[str, Any], files: str, as_json: bool) -> int:
    if as_json:
        print(json.dumps(measures))
        return EXIT_OK
    for name, measure in measures.items():
        print(f"{name:40} {statistics.median(measure['values']):9.3f}  median, {measure['unit']}")
    print(f"written to {files}")
    return EXIT_OK
