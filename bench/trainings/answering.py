"""Measures how well a small model answers after each stage of its training."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from course_lib.evaluation.attempts import at_least_one
from course_lib.recipes.answering import sums
from course_lib.recipes.answering.stages import STAGES, AnsweringProfile, Stages, finished
from grader.authoring import results_file

NAME, TIMES, SHOWN = "answering", 16, 3  # answers to each held-out sum; sums that are shown
PROFILE = AnsweringProfile()
Log = Callable[[str], None]


def run(seeds: Sequence[int], log: Log) -> dict[str, Any]:
    """Train with each seed, and answer the held-out sums after each stage; writes after each seed.

    A stage's measures are the percent of all answers, and pass@k over the answers to one sum.
    """
    torch.set_num_threads(1)
    rows, samples = list[dict[str, float]](), dict[str, list[str]]()
    for done, seed in enumerate(seeds, start=1):
        stages, row = Stages(PROFILE, seed), dict[str, float]()
        row["parameters"] = sum(weight.numel() for weight in stages.model.parameters())
        for stage in STAGES:
            began = time.process_time()
            getattr(stages, stage)()
            row[f"{stage}_cpu_minutes"] = (time.process_time() - began) / 60
            row |= _measures(stage, stages)
            if stage == "pretrain":
                for examples in range(sums.SHEET):
                    row[f"in_context_{examples}_percent"] = stages.in_context(examples)
            if done == 1:
                drawn = stages.answers(stages.held_out[:SHOWN])
                samples[stage] = [finished(one) or sums.decode(one) for one in drawn]
            reached = row[f"{stage}_right_and_worked_percent"]
            log(f"seed {seed}, {stage}: {reached:.1f} % of the answers are right and show the work")
        rows.append(row)
        command = f"course bench answering --seeds {','.join(map(str, seeds[:done]))}"
        measures = results_file.of_rows(rows, _unit)
        asked = [sums.question(pair) for pair in stages.held_out[:SHOWN]]
        about = {"name": "sums", "source": "generated", "sha256": ""}
        also = {"questions": asked, "answers": samples, "rewards": stages.rewards}
        results_file.write(NAME, command, measures, about, also=also)
    return measures


def _unit(name: str) -> str:
    return "min" if name.endswith("minutes") else "1" if name == "parameters" else "percent"


def _measures(stage: str, stages: Stages) -> dict[str, float]:
    score = stages.score(TIMES)
    row = {
        f"{stage}_{name}_percent": 100 * sum(counts) / (TIMES * len(counts))
        for name, counts in score.items()
    }
    for k in (1, 4, TIMES):
        chances = [at_least_one(TIMES, right, k) for right in score["right"]]
        row[f"{stage}_pass_at_{k}_percent"] = 100 * sum(chances) / len(chances)
    return row
