"""Hidden tests of exercise 5.2: what one trial seeds, trains, measures and times."""

from autograder.a5.student_side import made
from grader.checking.question import question, refusal

READ = "the docstring of 5.2"
SEED = "seed torch once, before the model is made; nothing else may seed it"
CALLED = "after_evaluation(step, measured) with what task.validate returned; let its error pass"
EVALUATED = "copy {'step': step, **measured} for each evaluation; never measure the test split"
RESULT = "`curve[-1]` is the result; only what is between two clock() around `next` is training"
CONFIGURATION = {"depth": 3, "rate": 0.25, "shape": "flat"}


class ScriptedTask:
    """A task without any learning: numbers follow from the step, and calls are logged.

    The clock moves only during steps, evaluations and the like, so that times are exact. `log`
    has one list for each call, its first entry says which.
    """

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


@question("5.2", weight=5.5, advice=RESULT, read="the docstring of 5.2")
def test_result(its, rng):
    """The whole row: result, times and counts; what calls back takes no time."""
    return {**Run(its).row(), "called back": Run(its, calls_back=True).row().get("train_seconds")}


@question("5.2", weight=4, advice=SEED, read=READ)
def test_seed(its, rng):
    """The seed decides every random number, from the model's first weight on."""
    drawn = []
    for seed, unrelated in ((7, 1), (7, 2), (8, 1)):
        its.make("torch.manual_seed(number)", number=unrelated)
        run = Run(its, seed)
        run.row()
        drawn.append([event[-1] for event in run.events("model", "step")])
    first, again, other = drawn
    return {
        "the same seed draws the same weights": first[0] == again[0],
        "another seed draws other weights": first[0] != other[0],
        "the same seed draws the same numbers in the steps": first[1:] == again[1:],
        "every step draws other numbers": first[2] not in (first[1], first[3]),
    }


@question("5.2", weight=3.5, advice="one model for all calls", read=READ)
def test_what_the_task_is_given(its, rng):
    """Model and training get the configuration, and training the seed."""
    run = Run(its)
    run.row()
    events = run.events("training", "validate", "inference")
    return {
        "training gets": [event[1:3] for event in events if event[0] == "training"],
        "the model gets": run.events("model")[0][1],
        "every call gets the first model": all(event[-1] for event in events),
    }


@question("5.2", weight=2.5, advice=EVALUATED, read=f"{READ}; §6.2: the development set")
def test_curve(its, rng):
    """Exactly `n_steps` steps are trained, and the last one is always evaluated, each once."""
    found = {}
    for shape in ((12, 4), (5, 8)):
        run = Run(its, n_steps=shape[0], evaluate_every=shape[1])
        found[f"the curve, steps and evaluate_every {shape}"] = run.row().get("curve")
        found[f"number of steps trained, {shape}"] = len(run.events("step"))
        found[f"calls of task.test and task.validate, {shape}"] = run.events("test", "validate")
    reused = Run(its, reused=True).row().get("curve")
    return found | {"the curve where task.validate changes one dictionary": reused}


@question(
    "5.2", weight=2, corner=True, advice="FloatingPointError: `attempt` records it", read=READ
)
def test_loss_that_is_no_number(its, rng):
    """A loss that is NaN or infinite ends the trial at once."""
    found = {}
    for bad, step in (("nan", 6), ("inf", 9), ("-inf", 1)):
        run = Run(its, bad={str(step): bad})
        found[f"a loss of {bad}"] = refusal(run.row)
        found[f"steps up to a loss of {bad}"] = len(run.events("step"))
    return found


@question("5.2", weight=2.5, advice=CALLED, read=READ)
def test_after_evaluation(its, rng):
    """`after_evaluation` is called with each evaluation, and what it raises ends the trial."""
    run, stopped = Run(its, calls_back=True), Run(its, calls_back=True, stop_at=8)
    run.row()
    return {
        "step, step in `measured`, quality and loss of its calls": [
            event[1:] for event in run.events("after")
        ],
        "an error of it after step 8": refusal(stopped.row),
        "steps up to that": len(stopped.events("step")),
    }
