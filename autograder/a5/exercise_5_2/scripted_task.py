"""A task without any learning for exercise 5.2: every number is written in, every call is logged.

The clock moves only during steps, evaluations and the like, so that times are exact.
"""

import numpy as np

from autograder.a5.student_side import made

CONFIGURATION = {"depth": 3, "rate": 0.25, "shape": "flat"}


class ScriptedTask:
    """Carries out a script; `log` has one list for each call, its first entry says which."""

    def __init__(self, script):
        self.script, self.log, self.models = script, [], []
        self.time, self.done, self.measured = 100.0, 0, {}
        self.measure = "points"
        self.n_steps, self.evaluate_every = script["n_steps"], script["evaluate_every"]
        self.untimed_steps = script["untimed_steps"]

    def clock(self):
        return self.time

    def model(self, configuration):
        self.log.append(["model", dict(configuration), torch.rand(3).tolist()])  # noqa: F821
        n, layers = self.script["width"], torch.nn  # noqa: F821
        frozen = layers.LayerNorm(2).requires_grad_(False)
        inner = layers.Sequential(layers.Linear(n, 2, bias=False))
        self.models.append(
            layers.Sequential(layers.Linear(3, n), inner, frozen, layers.BatchNorm1d(2))
        )
        return self.models[-1]

    def training(self, model, configuration, seed):
        self.log.append(["training", dict(configuration), seed, model is self.models[0]])
        return self.steps()

    def steps(self):
        while True:
            self.done += 1
            self.time += self.script["step_seconds"][self.done]
            self.log.append(["step", self.done, torch.rand(3).tolist()])  # noqa: F821
            loss = self.script["losses"][self.done]
            if self.done == self.script.get("bad_step"):
                loss = float(self.script["bad_loss"])
            yield {"loss": loss, "tokens": self.script["tokens"][self.done], "accuracy": 0.5}

    def measure_split(self, what, model):
        self.log.append([what, self.done, model is self.models[0]])
        self.time += self.script["evaluation_seconds"]
        self.measured = self.measured if self.script.get("one_dictionary") else {}
        self.measured.update(self.script[what][self.done])
        return self.measured

    def validate(self, model):
        return self.measure_split("validate", model)

    def test(self, model):
        return self.measure_split("test", model)

    def inference(self, model):
        self.log.append(["inference", self.done, model is self.models[0]])
        self.time += self.script["evaluation_seconds"]
        return {"inferences_per_second": self.script["width"] / 4, "sentences": 40}


class AfterEvaluation:
    """Logs its calls; at the evaluation after step `stop_at` it raises, as an engine does."""

    def __init__(self, task, stop_at):
        self.task, self.stop_at = task, stop_at

    def __call__(self, step, measured):
        self.task.log.append(["after", step, dict(measured)])
        self.task.time += 17.0
        if step == self.stop_at:
            raise TimeoutError("long enough")


def written(rng, n_steps=14, evaluate_every=4, untimed_steps=3, **more):
    """A script with fresh numbers; the best evaluation is not the last."""
    places = n_steps + 8  # a trial that goes on too long finds numbers too
    quality = np.minimum(60 + rng.permutation(8 * places)[:places] / 8, 90.0)
    best = min(2 * evaluate_every, n_steps - 1)
    quality[best], quality[n_steps] = 95.0 + rng.integers(1, 8) / 2, 80.5
    losses = 0.5 + rng.permutation(places) / 64
    losses[[evaluate_every, best, n_steps]] += 8, 16, 24  # the lowest is none of these
    seconds = rng.integers(8, 40, places) / 64
    seconds[: untimed_steps + 1] += rng.integers(3, 6, untimed_steps + 1)
    validated = [
        {"quality": float(q), "loss": float(loss), "agreement": float(q) / 128}
        for q, loss in zip(quality, losses, strict=True)
    ]
    return {
        "n_steps": n_steps,
        "evaluate_every": evaluate_every,
        "untimed_steps": untimed_steps,
        "width": int(rng.integers(4, 9)),
        "step_seconds": seconds.tolist(),
        "evaluation_seconds": 5.0 + int(rng.integers(0, 8)) / 4,
        "tokens": rng.integers(200, 400, places).tolist(),
        "losses": (3 + rng.permutation(places) / 32).tolist(),
        "validate": validated,
        "test": [{**one, "quality": one["quality"] - 5.25} for one in validated],
        **more,
    }


class Run:
    """One call of `run_trial` with a scripted task."""

    def __init__(self, its, script, seed=7, callback=False, stop_at=0):
        self.its, self.task = its, made(its, ScriptedTask)(script)
        given = [made(its, AfterEvaluation)(self.task, stop_at)] if callback else []
        self.given = (CONFIGURATION, seed, self.task, *given)

    def row(self, *names):
        """The row, or its entries with these names."""
        row = self.its.run_trial(*self.given)
        return {name: row.get(name) for name in names or row}

    def events(self, *kinds):
        """The entries of the log of these kinds."""
        return [event for event in self.task.get("log") if event[0] in kinds]
