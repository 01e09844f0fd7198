"""Measures how well a small model answers after each stage of its training."""

import time
from collections.abc import Sequence
from typing import Any

import torch

from bench.record import Log, Measures, Row, by_seed
from course_lib.evaluation.attempts import at_least_one
from course_lib.recipes.answering import sums
from course_lib.recipes.answering.stages import STAGES, AnsweringProfile, Stages, finished

NAME, TIMES, SHOWN = "answering", 16, 3  # answers to each held-out sum; sums that are shown
PROFILE = AnsweringProfile()


def run(seeds: Sequence[int], log: Log) -> Measures:
    """Train with each seed, and answer the held-out sums after each stage; writes after each seed.

    A stage's measures are the percent of all answers, and pass@k over the answers to one sum.
    """
    torch.set_num_threads(1)
    questions, samples, rewards = list[str](), dict[str, list[str]](), list[Any]()

    def measured(seed: int) -> Row:
        stages, row = Stages(PROFILE, seed), Row()
        row["parameters"] = sum(weight.numel() for weight in stages.model.parameters())
        first = not samples
        for stage in STAGES:
            began = time.process_time()
            getattr(stages, stage)()
            row[f"{stage}_cpu_minutes"] = (time.process_time() - began) / 60
            row |= _measures(stage, stages)
            if stage == "pretrain":
                for examples in range(sums.SHEET):
                    row[f"in_context_{examples}_percent"] = stages.in_context(examples)
            if first:
                drawn = stages.answers(stages.held_out[:SHOWN])
                samples[stage] = [finished(one) or sums.decode(one) for one in drawn]
        questions[:] = [sums.question(pair) for pair in stages.held_out[:SHOWN]]
        rewards[:] = stages.rewards
        return row

    also = {"questions": questions, "answers": samples, "rewards": rewards}
    about = {"name": "sums", "source": "generated", "sha256": ""}
    return by_seed(NAME, "answering --seeds {seeds}", seeds, measured, about, log, lambda: also)


def _measures(stage: str, stages: Stages) -> Row:
    score = stages.score(TIMES)
    row = {
        f"{stage}_{name}_percent": 100 * sum(counts) / (TIMES * len(counts))
        for name, counts in score.items()
    }
    for k in (1, 4, TIMES):
        chances = [at_least_one(TIMES, right, k) for right in score["right"]]
        row[f"{stage}_pass_at_{k}_percent"] = 100 * sum(chances) / len(chances)
    return row
