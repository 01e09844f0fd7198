"""A task without any learning for exercise 5.2: numbers follow from the step, calls are logged.

The clock moves only during steps, evaluations and the like, so that times are exact.
"""

from autograder.a5.student_side import made

CONFIGURATION = {"depth": 3, "rate": 0.25, "shape": "flat"}


class ScriptedTask:
    """`log` has one list for each call, its first entry says which."""

    measure, untimed_steps = "points", 3

    def __init__(self, n_steps=14, evaluate_every=4, bad=None, stop_at=0, reused=False):
        self.n_steps, self.evaluate_every, self.bad = n_steps, evaluate_every, bad or {}
        self.stop_at, self.reused = stop_at, reused
        self.log, self.models, self.measured, self.time, self.done = [], [], {}, 100.0, 0

    def clock(self):
        return self.time

    def model(self, configuration):
        self.log.append(["model", dict(configuration), torch.rand(3).tolist()])  # noqa: F821
        layers = torch.nn  # noqa: F821
        frozen = layers.LayerNorm(2).requires_grad_(False)
        inner = layers.Sequential(layers.Linear(5, 2, bias=False))
        self.models.append(
            layers.Sequential(layers.Linear(3, 5), inner, frozen, layers.BatchNorm1d(2))
        )
        return self.models[-1]

    def training(self, model, configuration, seed):
        self.log.append(["training", dict(configuration), seed, model is self.models[0]])
        while True:
            self.done += 1
            self.time += (
                2.5 if self.done <= self.untimed_steps else 0.25
            ) + self.done * 5 % 16 / 16
            self.log.append(["step", torch.rand(3).tolist()])  # noqa: F821
            loss = float(self.bad.get(str(self.done), 4 - self.done / 16))
            yield {"loss": loss, "tokens": 200 + self.done * 37 % 128, "accuracy": 0.5}

    def validate(self, model, lower=0.0, which="validate"):
        """The best quality, the lowest loss and the last evaluation are three different ones."""
        self.log.append([which, self.done, model is self.models[0]])
        self.time += 5.0
        self.measured = self.measured if self.reused else {}
        self.measured["quality"] = 90 - lower - (self.done - 8.5) ** 2 / 4
        self.measured |= {"loss": 0.5 + (self.done - 12) ** 2 / 8, "agreement": self.done / 128}
        return self.measured

    def test(self, model):
        return self.validate(model, 5.25, "test")

    def inference(self, model):
        self.log.append(["inference", self.done, model is self.models[0]])
        self.time += 5.0
        return {"inferences_per_second": 1.25, "sentences": 40}

    def after(self, step, measured):
        """Raises at the evaluation after step `stop_at`, as an engine does."""
        names = ("step", "quality", "loss")  # the first one is not measured
        self.log.append(["after", step, *map(measured.get, names)])
        self.time += 17.0
        if step == self.stop_at:
            raise TimeoutError("long enough")


class Run:
    """One call of `run_trial` with a scripted task."""

    def __init__(self, its, seed=7, calls_back=False, **script):
        self.its, self.task = its, made(its, ScriptedTask)(**script)
        self.given = (CONFIGURATION, seed, self.task)
        self.given += (self.task.get("after"),) * calls_back

    def row(self):
        return self.its.run_trial(*self.given)

    def events(self, *kinds):
        """The entries of the log of these kinds."""
        return [event for event in self.task.get("log") if event[0] in kinds]
