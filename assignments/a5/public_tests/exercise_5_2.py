"""The visible checks of exercise 5.2: one trial of a task without any learning."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

READ = "exercise 5.2"
DEFINE = "(space := {'torch': torch}, exec(text, space), space['Toy']())[-1]"
# Its clock counts: a step takes 1 s, the first two 10 s, an evaluation 100 s.
TOY = '''
class Toy:
    n_steps, evaluate_every, untimed_steps = 6, 3, 2
    measure = "points"
    bad_step = None

    def __init__(self):
        self.time, self.done, self.seeds, self.drawn = 0.0, 0, [], []

    def clock(self):
        return self.time

    def model(self, configuration):
        self.drawn.append(torch.rand(3).tolist())
        return torch.nn.Linear(4, 5)

    def training(self, model, configuration, seed):
        self.seeds.append(seed)
        while True:
            self.done += 1
            self.time += 10.0 if self.done <= self.untimed_steps else 1.0
            loss = float("nan") if self.done == self.bad_step else 1.0
            yield {"loss": loss, "tokens": 50}

    def validate(self, model):
        self.time += 100.0
        return {"quality": 90.0 - self.done, "loss": 0.5}

    def test(self, model):
        raise AssertionError("the test split is for the configuration that is chosen in the end")

    def inference(self, model):
        return {"inferences_per_second": 8.0}
'''


class Run:
    """A trial of the toy."""

    def __init__(self, student, **settings):
        self.student, self.toy = student, student.make(DEFINE, text=TOY)
        for name, value in settings.items():
            self.toy.set(name, value)

    def row(self, seed=4, *more):
        return self.student.run_trial({"size": 3}, seed, self.toy, *more)


@exercise("5.2", weight=2)
def test_the_row(student):
    """Six steps, evaluated after the third and the sixth."""
    row = Run(student).row()
    want = {"size": 3, "seed": 4, "steps": 6, "parameters": 25, "quality": 84.0,
            "validation_loss": 0.5, "inferences_per_second": 8.0,
            "curve": [{"step": 3, "quality": 87.0, "loss": 0.5},
                      {"step": 6, "quality": 84.0, "loss": 0.5}]}
    for name, value in want.items():
        expect.true(isinstance(row, dict) and name in row, expected=f"`{name}` in the row",
                    got="nothing", otherwise="see the docstring", read=READ)
        best = {"quality": {"this is the best of the curve: take the last evaluation": 87.0}}
        expect.equal(row[name], value, what=name, read=READ)


@exercise("5.2")
def test_the_time(student):
    """Four timed steps of one second each, with 50 tokens."""
    row = Run(student).row()
    expect.close(row["train_seconds"], 4.0, what="train_seconds", read=READ,
                 otherwise="a step takes 1 s, the two untimed ones 10 s, an evaluation 100 s")
    expect.close(row["tokens_per_second"], 50.0, what="tokens_per_second", read=READ)


@exercise("5.2")
def test_the_seed(student):
    """The seed decides the model's weights and the order of the data."""
    runs = [Run(student), Run(student), Run(student)]
    for run, seed in zip(runs, (4, 4, 5), strict=True):
        run.row(seed)
    first, again, other = (run.toy.get("drawn")[0] for run in runs)
    expect.true(first == again and first != other, read=READ,
                expected="the same weights for the same seed, and others for another",
                got="other weights for the same seed" if first != again else "always the same",
                because="torch is seeded after the model is made, or not at all: the weights are "
                        "drawn when it is made" if first != again else "the seed is not used")
    expect.equal(runs[2].toy.get("seeds"), [5], what="the seed for task.training", read=READ)


@exercise("5.2")
def test_last_step(student):
    """The last step is evaluated even if `evaluate_every` does not divide `n_steps`."""
    row = Run(student, n_steps=5).row()
    expect.equal([entry.get("step") for entry in row["curve"]], [3, 5],
                 what="the steps of the curve", read=READ)


@exercise("5.2")
def test_it_ends(student):
    """A loss of NaN raises FloatingPointError; what `after_evaluation` raises ends the trial."""
    expect.raises(lambda: Run(student, bad_step=2).row(), "FloatingPointError",
                  otherwise="math.isfinite(trained['loss'])", read=READ)
    run = Run(student)
    after = student.make("lambda step, measured: 1 / (step - 3)")
    expect.raises(lambda: run.row(4, after), "ZeroDivisionError", read=READ,
                  otherwise="after_evaluation(step, measured) after each evaluation")
