"""The visible checks of exercise 5.2: one trial of a task without any learning."""

from grader.checking.question import question, refusal

READ = "exercise 5.2"
DEFINE = "(space := {'torch': torch, 'bad_step': bad}, exec(text, space), space['Toy']())[-1]"
TIMES = "the last of `curve` counts; a step takes 1 s, untimed ones 10 s, an evaluation 100 s"
TOY = """
class Toy:
    n_steps, evaluate_every, untimed_steps = 7, 3, 2
    own = None

    def __init__(self):
        self.time, self.done, self.drawn = 0.0, 0, []

    def clock(self):
        return self.time

    def model(self, configuration):
        self.drawn.append(torch.rand(3).tolist())
        frozen = torch.nn.BatchNorm1d(5).requires_grad_(False)
        model = torch.nn.Sequential(torch.nn.Linear(4, 5), frozen)
        self.own = self.own or model
        return model

    def training(self, model, configuration, seed):
        self.drawn.append(seed)
        while True:
            self.done += 1
            self.drawn.append(torch.rand(3).tolist())
            self.time += 10.0 if self.done <= self.untimed_steps else 1.0
            loss = float("nan") if self.done == bad_step else 4.0 - self.done / 2
            yield {"loss": loss, "tokens": 50 if self.done > self.untimed_steps else 30}

    def validate(self, model):
        self.time += 100.0
        return {"quality": 90.0 - self.done, "loss": 0.5 + self.done}

    def test(self, model):
        raise AssertionError("the test split is for the configuration that is chosen in the end")

    def inference(self, model):
        return {"inferences_per_second": 8.0 if model is self.own else 4.0}
"""


def trial(its, seed=4, *more, bad=None):
    """A row of the toy, and the toy."""
    toy = its.make(DEFINE, text=TOY, bad=bad)
    return its.run_trial({"size": 3}, seed, toy, *more), toy


@question("5.2", 5.5, advice=TIMES, read=READ)
def test_the_row(its):
    """Seven steps, five of them timed, evaluated after the third, the sixth and the last."""
    calls = its.make("[]")
    after = its.make("lambda step, measured: calls.append([step, dict(measured)])", calls=calls)
    row = dict(trial(its, 4, after)[0])
    return row | {"after_evaluation gets": calls.get()}


@question("5.2", 4.5, advice="seed torch before the model, and pass the seed on", read=READ)
def test_the_seed(its):
    """The seed decides the model's weights and the order of the data."""
    first, again, other = (trial(its, seed)[1].get("drawn") for seed in (4, 4, 5))
    return {
        "the same seed draws the same numbers": first == again,
        "another seed draws other weights": first[0] != other[0],
        "every step draws other numbers": first[2] != first[3],
        "the seed for task.training": other[1],
    }


@question("5.2", 1.5, corner=True, advice="math.isfinite(trained['loss'])", read=READ)
def test_it_ends(its):
    """A loss of NaN raises FloatingPointError; what `after_evaluation` raises ends the trial."""
    after = its.make("lambda step, measured: 1 / (step - 3)")
    return {
        "a loss of NaN": refusal(lambda: trial(its, bad=2)),
        "an error of after_evaluation": refusal(lambda: trial(its, 4, after)),
    }
