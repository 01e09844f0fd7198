"""The confirmation of a study: fresh seeds, the test split once, and never again."""

import itertools

import pytest
import torch
from study_trials import complete, study_of, waiting
from torch import nn

from course_study.confirmation import confirm
from course_study.database.storage import StudyError, open_study
from course_study.space import DEFAULT

STUDY = [
    *(complete(80.0 + 0.2 * i, seed=i) for i in range(2)),
    *(complete(90.0 + 0.2 * i, seed=i, dropout=0.0) for i in range(2)),
]


class TinyTask:
    """A model of one weight; its quality is a number that the seed draws."""

    measure, n_steps, evaluate_every, untimed_steps = "accuracy in percent", 4, 2, 1

    def __init__(self, diverges_with=None):
        self.diverges_with, self.tested, self.seen = diverges_with, [], []
        self._ticks = itertools.count()

    def model(self, configuration):
        self.seen.append(configuration)
        return nn.Linear(1, 1)

    def training(self, model, configuration, seed):
        while True:
            yield {"loss": float("nan") if seed == self.diverges_with else 0.5, "tokens": 3}

    def validate(self, model):
        return {"quality": 50 + model.weight.item(), "loss": 0.5}

    def test(self, model):
        self.tested.append(model)
        return {"quality": 40 + model.weight.item(), "loss": 0.6}

    def inference(self, model):
        return {"inferences_per_second": 1.0}

    def clock(self):
        return float(next(self._ticks))


def weight(seed):
    torch.manual_seed(seed)
    return nn.Linear(1, 1).weight.item()


def test_it_measures_the_trained_models_on_the_test_split(shared):
    study = study_of(shared, *STUDY)
    task = TinyTask()
    record = confirm(study, task, [100, 101])
    assert record["configuration"] == {**DEFAULT, "dropout": 0.0}
    assert record["seeds"] == [100, 101]
    assert record["validation"] == pytest.approx([50 + weight(100), 50 + weight(101)])
    assert record["test"] == pytest.approx([40 + weight(100), 40 + weight(101)])
    assert len(task.tested) == 2
    assert task.seen == [record["configuration"]] * 2
    assert open_study(shared, study.study_name).user_attrs["confirmation"] == record


def test_a_second_time_is_refused_and_measures_nothing(shared):
    study = study_of(shared, *STUDY)
    confirm(study, TinyTask(), [100])
    task = TinyTask()
    with pytest.raises(StudyError, match="was confirmed before, with the seeds 100"):
        confirm(study, task, [200])
    assert task.seen == []
    assert task.tested == []


@pytest.mark.parametrize(
    ("trials", "seeds", "sentence"),
    [
        (STUDY, [1, 100], "the seeds 1 took part"),
        (STUDY, [100, 100], "each only once"),
        (STUDY, [], "at least one seed"),
        ([*STUDY, waiting(n_heads=4)], [100], "1 trials that are not finished"),
        (STUDY[:1], [100], "recommends nothing"),
    ],
)
def test_what_it_refuses(shared, trials, seeds, sentence):
    study = study_of(shared, *trials)
    task = TinyTask()
    with pytest.raises(StudyError, match=sentence):
        confirm(study, task, seeds)
    assert task.seen == []
    assert "confirmation" not in study.user_attrs


def test_a_training_that_fails_leaves_the_test_split_alone(shared):
    study = study_of(shared, *STUDY)
    task = TinyTask(diverges_with=101)
    with pytest.raises(StudyError, match="seed 101 diverged .* nothing was measured on the test"):
        confirm(study, task, [100, 101])
    assert task.tested == []
    assert "confirmation" not in study.user_attrs
