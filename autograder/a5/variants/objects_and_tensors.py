"""Style: a stopwatch object, torch for statistics, a draw that rejects what is taken."""

from dataclasses import dataclass, field

import torch


@dataclass
class Stopwatch:
    clock: object
    untimed: int
    laps: list = field(default_factory=list)

    def lap(self, steps):
        start = self.clock()
        trained = next(steps)
        self.laps.append((self.clock() - start, trained["tokens"]))
        return trained

    @property
    def totals(self):
        timed = torch.tensor(self.laps[self.untimed :], dtype=torch.float64)
        return timed.sum(dim=0).tolist()


def run_trial(configuration, seed, task, after_evaluation=None):
    torch.manual_seed(seed)
    model = task.model(configuration)
    steps = iter(task.training(model, configuration, seed))
    watch, curve, step = Stopwatch(task.clock, task.untimed_steps), [], 0
    while step < task.n_steps:
        step += 1
        loss = torch.tensor(watch.lap(steps)["loss"])
        if not torch.isfinite(loss):
            raise FloatingPointError(f"{loss.item()} in step {step}")
        if step % task.evaluate_every and step < task.n_steps:
            continue
        measured = task.validate(model)
        curve += [{**measured, "step": step}]
        if after_evaluation is not None:
            after_evaluation(step=step, measured=measured)
    seconds, tokens = watch.totals
    last = curve[-1]
    row = {**configuration, "seed": seed, "steps": step, "curve": curve, "train_seconds": seconds}
    row |= {"quality": last["quality"], "validation_loss": last["loss"]}
    row |= {"parameters": sum(p.numel() for p in model.parameters()), "device": "cpu"}
    row |= {"tokens_per_second": tokens / seconds}
    return row | task.inference(model)


def attempt(trial):
    status = "complete"
    try:
        return {**trial(), "status": status}
    except FloatingPointError as caught:
        status, error = "diverged", caught
    except TimeoutError as caught:
        status, error = "timed out", caught
    except (torch.cuda.OutOfMemoryError, MemoryError) as caught:
        status, error = "out of memory", caught
    return {"reason": str(error), "status": status}
