"""A task without any learning for exercise 5.2: every number is written in, every call is logged.

The clock moves only during steps, evaluations and the like, so that times are exact. `Run` is one
trial of the student's `run_trial` on such a task, and what its row should be.
"""

import numpy as np

from autograder.a3.answers import answered
from autograder.a5.student_side import made
from grader.checking import expect

READ = "the docstring of 5.2"
CONFIGURATION = {"depth": 3, "rate": 0.25, "shape": "flat"}
SEED = 7


class ScriptedTask:
    """Carries out a script; `log` has one list for each call, its first entry says which."""

    def __init__(self, script):
        self.script, self.log, self.models = script, [], []
        self.time, self.done = script["start"], 0
        self.measure = "points"
        self.n_steps, self.evaluate_every = script["n_steps"], script["evaluate_every"]
        self.untimed_steps = script["untimed_steps"]

    def clock(self):
        return self.time

    def model(self, configuration):
        self.log.append(["model", dict(configuration), torch.rand(3).tolist()])  # noqa: F821
        n, layers = self.script["width"], torch.nn  # noqa: F821
        self.models.append(
            layers.Sequential(
                layers.Linear(3, n),
                layers.Sequential(layers.Linear(n, 2, bias=False)),
                layers.LayerNorm(2).requires_grad_(False),
                layers.BatchNorm1d(2),
            )
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

    def measured(self, what, model):
        self.log.append([what, self.done, model is self.models[0]])
        self.time += self.script["evaluation_seconds"]
        return dict(self.script[what][self.done])

    def validate(self, model):
        return self.measured("validate", model)

    def test(self, model):
        return self.measured("test", model)

    def inference(self, model):
        self.log.append(["inference", self.done, model is self.models[0]])
        self.time += self.script["evaluation_seconds"]
        return dict(self.script["inference"])


class AfterEvaluation:
    """Logs its calls; at the evaluation after step `stop_at` it raises, as an engine does."""

    def __init__(self, task, stop_at):
        self.task, self.stop_at = task, stop_at

    def __call__(self, step, measured):
        self.task.log.append(["after", step, dict(measured)])
        self.task.time += self.task.script["callback_seconds"]
        if step == self.stop_at:
            raise TimeoutError("long enough")


def written(rng, n_steps=14, evaluate_every=4, untimed_steps=3, **more):
    """A script with fresh numbers; the best evaluation is not the last."""
    places = n_steps + 8  # a trial that goes on too long finds numbers too
    quality = 60 + rng.permutation(8 * places)[:places] / 8
    quality[1:n_steps] = np.minimum(quality[1:n_steps], 90.0)
    best = min(2 * evaluate_every, n_steps - 1)
    quality[best], quality[n_steps] = 95.0 + rng.integers(1, 8) / 2, 80.5
    losses, test_losses = 0.5 + rng.permutation(16 * places).reshape(16, places)[:2] / 64
    losses[[evaluate_every, best, n_steps]] += 8, 16, 24  # the lowest is none of these
    seconds = rng.integers(8, 40, places) / 64
    seconds[: untimed_steps + 1] += rng.integers(3, 6, untimed_steps + 1)
    return {
        "n_steps": n_steps,
        "evaluate_every": evaluate_every,
        "untimed_steps": untimed_steps,
        "start": 100.0,
        "width": int(rng.integers(4, 9)),
        "step_seconds": seconds.tolist(),
        "evaluation_seconds": 5.0 + int(rng.integers(0, 8)) / 4,
        "callback_seconds": 17.0,
        "tokens": rng.integers(200, 400, places).tolist(),
        "losses": (3 + rng.permutation(places) / 32).tolist(),
        "validate": [
            {"quality": float(q), "loss": float(loss), "agreement": float(q) / 128}
            for q, loss in zip(quality, losses, strict=True)
        ],
        "test": [
            {"quality": float(q) - 5.25, "loss": float(loss) + 40, "agreement": 0.125}
            for q, loss in zip(quality, test_losses, strict=True)
        ],
        "inference": {"inferences_per_second": int(rng.integers(400, 900)) / 4, "sentences": 40},
        **more,
    }


class Run:
    """One call of the student's `run_trial` with a scripted task."""

    def __init__(self, student, script, seed=SEED, callback=False, stop_at=0):
        self.student, self.script, self.seed = student, script, seed
        self.task = made(student, ScriptedTask)(script)
        given = [made(student, AfterEvaluation)(self.task, stop_at)] if callback else []
        self.given = (dict(CONFIGURATION), seed, self.task, *given)

    def start(self):
        """The row, or the exception of the student's code."""
        return self.student.run_trial(*self.given)

    def row(self):
        """The row, with every entry that the docstring names."""
        row = answered(
            self.start, "`next(steps)` trains a step; validate, then inference, then the row", READ
        )
        names = "seed steps parameters curve quality validation_loss train_seconds"
        wanted = [*CONFIGURATION, *names.split(), "tokens_per_second", *self.script["inference"]]
        missing = [n for n in wanted if n not in row] if isinstance(row, dict) else wanted
        expect.true(
            not missing,
            expected=f"a dictionary with {', '.join(wanted)}",
            got=f"no {', '.join(missing)}" if isinstance(row, dict) else type(row).__name__,
            otherwise="the configuration's factors, what the docstring names, and all that "
            "task.inference(model) measures",
            read=READ,
        )
        return row

    def events(self, *kinds):
        """The log, or its entries of these kinds."""
        log = self.task.get("log")
        return [event for event in log if not kinds or event[0] in kinds]

    def evaluations(self):
        """The steps after which the validation split is to be measured."""
        n, every = self.script["n_steps"], self.script["evaluate_every"]
        return sorted({*range(every, n + 1, every), n})

    def curve(self):
        """The right curve."""
        return [{"step": s, **self.script["validate"][s]} for s in self.evaluations()]

    def sums(self, first=0, last=None):
        """Seconds and tokens of the steps after `first`."""
        places = slice(first + 1, (last or self.script["n_steps"]) + 1)
        return sum(self.script["step_seconds"][places]), sum(self.script["tokens"][places])
