"""One trial of a study: a configuration trained with one seed, and what it measured."""

import math
from collections.abc import Callable
from typing import Any

import torch

from .space import Configuration
from .tasks.task import Task

Row = dict[str, Any]


def run_trial(
    configuration: Configuration,
    seed: int,
    task: Task,
    after_evaluation: Callable[[int, dict[str, float]], None] | None = None,
) -> Row:
    """Train one configuration with one seed, and return its row.

    The row has the configuration's factors, `seed`, `steps`, `parameters`, `curve` (one dictionary
    an evaluation: `step` and what `task.validate` gives), `quality` and `validation_loss` (those of
    the last evaluation), `train_seconds` and `tokens_per_second` (of the steps alone, without the
    first `task.untimed_steps`), and what `task.inference` measures. `after_evaluation(step,
    measured)` is called after each evaluation; what it raises ends the trial.
    Raises FloatingPointError at the first step whose loss is NaN or infinite.
    """
    # step 1: every random number from here on follows from the seed
    torch.manual_seed(seed)
    model = task.model(configuration)
    # step 2: train; only the steps themselves are timed
    curve: list[dict[str, float]] = []
    seconds, tokens = 0.0, 0
    steps = task.training(model, configuration, seed)
    for step in range(1, task.n_steps + 1):
        started = task.clock()
        trained = next(steps)
        if not math.isfinite(trained["loss"]):
            raise FloatingPointError(f"the loss of step {step} is {trained['loss']}")
        if step > task.untimed_steps:
            seconds += task.clock() - started
            tokens += int(trained["tokens"])
        # step 3: look at the validation split, never at the test split
        if step % task.evaluate_every == 0 or step == task.n_steps:
            measured = task.validate(model)
            curve.append({"step": step, **measured})
            if after_evaluation is not None:
                after_evaluation(step, measured)
    # step 4: the last evaluation counts, not the best one
    return {
        **configuration,
        "seed": seed,
        "steps": task.n_steps,
        "parameters": sum(p.numel() for p in model.parameters()),
        "curve": curve,
        "quality": curve[-1]["quality"],
        "validation_loss": curve[-1]["loss"],
        "train_seconds": seconds,
        "tokens_per_second": tokens / seconds,
        **task.inference(model),
    }


def attempt(trial: Callable[[], Row]) -> Row:
    """The result of `trial()`, with `status` "complete"; a trial that fails gives a row as well.

    A trial fails when its loss diverges (FloatingPointError: "diverged"), when memory runs out
    (MemoryError or torch's OutOfMemoryError: "out of memory") or when it takes too long
    (TimeoutError: "timed out"); the row then has that `status` and the exception's text as
    `reason`. Every other exception is a fault of the program and is raised: a study must not
    record a typo as a finding.
    """
    try:
        return {"status": "complete", **trial()}
    except FloatingPointError as error:
        return {"status": "diverged", "reason": str(error)}
    except (MemoryError, torch.OutOfMemoryError) as error:
        return {"status": "out of memory", "reason": str(error)}
    except TimeoutError as error:
        return {"status": "timed out", "reason": str(error)}
