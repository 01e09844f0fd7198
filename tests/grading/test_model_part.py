"""A trained model is scored only by the predictions recomputed in the sandbox."""

import hashlib
import json
import zlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from checkout import ROOT, elsewhere
from safetensors.torch import load, save
from world import notebook
from world_tables import cases, texts

from autograder.scorers import accuracy
from autograder.scorers.accuracy import Accuracy
from autograder.scorers.bleu import Bleu
from grader.grading import warm_processes
from grader.judge.grade import grade
from grader.judge.models import asking, model_part, thresholds
from grader.judge.models.scorer import HiddenLabels
from grader.judge.suite_run import Submitted
from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell
from grader.report.sentences import model_sentences

pytestmark = pytest.mark.xdist_group("a3")  # its workers are started once

BUCKETS = 9973

CODE = texts("classifier")

GOOD, BAD = "warm clever moving rich".split(), "dull flat empty loud".split()


def sentences(count=160):
    rng = np.random.default_rng(0)
    plain = [f"word{number}" for number in range(40)]
    labels = tuple(int(label) for label in rng.integers(2, size=count))
    texts = []
    for label in labels:
        words = [*rng.choice(plain, 4), *rng.choice(GOOD if label else BAD, 1)]
        texts.append(" ".join(rng.permutation(words)))
    return HiddenLabels("mirror", tuple(texts), labels, "f" * 64)


def weights():
    """Every word has some weight, and the telling ones much of it."""
    vector = 0.01 * torch.randn(BUCKETS, generator=torch.Generator().manual_seed(0))
    for sign, words in ((1.0, GOOD), (-1.0, BAD)):
        for word in words:
            vector[zlib.crc32(word.encode()) % BUCKETS] = sign
    return save({"weight": vector})


def predictions(labels):
    return "\n".join(["row,prediction", *(f"{i},{label}" for i, label in enumerate(labels)), ""])


HIDDEN = sentences()
FILES = {
    "classifier.safetensors": weights(),
    "config.json": b"{}",
    "predictions.csv": predictions(HIDDEN.labels).encode(),
}


@pytest.fixture
def evaluated(course, evaluate):
    """Evaluate files with a notebook's code, in the sandbox."""
    points = course.assignment("a3").model.entry_points

    def run(files, code=CODE, hidden=HIDDEN, **changed):
        return evaluate(
            "a3", files, collect([Cell(1, "code", code, "")], points), hidden, **changed
        )

    return run


def test_a_model_earns_what_it_predicts_again(evaluated):
    told = evaluated(FILES)
    assert told.problem == ""
    assert told.accuracy == 100.0
    assert told.agreement == 1.0
    assert told.recomputed == told.examples == len(HIDDEN.labels)


def test_a_model_may_be_as_large_as_its_assignment_says_and_no_larger(evaluated):
    """96 MB, more than the default; what a worker may write to its disk follows."""
    large = {"weight": load(weights())["weight"], "rest": torch.zeros(24_000_000)}
    files = FILES | {"classifier.safetensors": save(large)}
    told = evaluated(files, mebibytes=96)
    assert (told.problem, told.accuracy) == ("", 100.0)
    refused = evaluated(files)
    assert refused.accuracy is None
    assert "too large" in refused.problem


def test_predictions_without_weights_earn_nothing(evaluated):
    told = evaluated({"predictions.csv": FILES["predictions.csv"]})
    assert told.accuracy is None
    assert "no classifier.safetensors was handed in, only predictions.csv" in told.problem


def test_the_instructors_fallback_model_earns_nothing(evaluated):
    known = hashlib.sha256(FILES["classifier.safetensors"]).hexdigest()
    told = evaluated(FILES, hidden=replace(HIDDEN, fallback=known))
    assert told.accuracy is None
    assert told.problem == model_part.FALLBACK


def test_somebody_elses_predictions_do_not_count(evaluated):
    poor = save({"weight": torch.randn(BUCKETS, generator=torch.Generator().manual_seed(1))})
    told = evaluated(FILES | {"classifier.safetensors": poor})
    assert told.accuracy < 75
    assert any("the model's own predictions count" in note for note in told.notes)


def test_answers_in_the_code_are_no_model(evaluated):
    code = CODE.replace(
        "return [int(sum(model[bucket(word)] for word in text.split()) > 0) for text in texts]",
        "return [int(any(w in text for w in 'warm clever moving rich'.split())) for text in texts]",
    )
    told = evaluated(FILES, code)
    assert told.accuracy is None
    assert "they do not come from classifier.safetensors" in told.problem


def test_a_table_of_answers_is_no_model(evaluated):
    """Weights that hold the answers themselves are broken by shuffling, as a model's are."""
    table = torch.tensor([1.0 + label for label in HIDDEN.labels])
    code = (
        "import torch\nfrom safetensors.torch import load_file\n"
        f"TEXTS = {list(HIDDEN.sentences)!r}\n"
        "def load_model(folder):\n"
        "    return load_file(folder + '/classifier.safetensors')['table'].tolist()\n"
        "def predict(model, texts):\n"
        "    known = dict(zip(TEXTS, model))\n"
        "    return [int(known.get(t, 1.0 + (len(t) % 2)) > 1.5) for t in texts]\n"
    )
    told = evaluated(FILES | {"classifier.safetensors": save({"table": table})}, code)
    assert told.accuracy is None
    assert "without one of their words" in told.problem


def test_a_model_that_refuses_shuffled_weights_counts_with_a_note(evaluated):
    check = '    assert abs(float(model[bucket("warm")])) == 1.0, "broken weights"\n'
    last = "    return [int(sum"
    told = evaluated(FILES, CODE.replace(last, f"{check}{last}"))
    assert told.accuracy == 100.0
    assert "could not be run with shuffled weights (broken weights)" in told.notes[-1]


@pytest.mark.parametrize("seconds", [0.4, 2.0])
def test_what_the_time_allows_is_the_sample_that_counts(evaluated, monkeypatch, seconds):
    """Whether the time ends between two calls or within one; predictions.csv earns nothing."""
    work = (
        f"    import time\n    end = {seconds} if len(texts) < 64 else 0.4\n"
        "    end += time.process_time()\n    while time.process_time() < end:\n        pass\n"
    )
    slow = CODE.replace("    return [int(sum", f"{work}    return [int(sum")
    monkeypatch.setattr(asking, "MIN_SECONDS", 1.0)
    wrong = predictions([1 - label for label in HIDDEN.labels]).encode()
    told = evaluated(FILES | {"predictions.csv": wrong}, slow, seconds=1.0 if seconds > 1 else 0.3)
    assert 0 < told.recomputed < told.examples
    assert told.accuracy == 100.0
    assert told.agreement == 0.0
    assert any("that of this random sample" in note for note in told.notes)


def test_the_order_of_the_sentences_is_another_for_every_submission():
    first, again, other = (
        model_part.asked_in(FILES | {"config.json": about}, [3], 160).tolist()
        for about in (b"{}", b"{}", b"{ }")
    )
    assert first == again != other
    assert sorted(first) == sorted(other) == list(range(160))


@cases("predict_goes_wrong")
def test_what_goes_wrong_is_one_sentence(evaluated, change, told):
    head = CODE.partition("    return [int(sum")[0]
    assert told in evaluated(FILES, f"{head}    {change}\n").problem


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"classifier.safetensors": b"not weights"}, "not a readable safetensors file"),
        ({"classifier.safetensors": save({"other": torch.ones(3)})}, "KeyError: 'weight'"),
    ],
)
def test_weights_that_cannot_be_used(evaluated, files, told):
    assert told in evaluated(FILES | files).problem


def test_a_notebook_without_the_functions(evaluated):
    assert evaluated(FILES, "x = 1").problem == "the notebook has no function load_model(folder)"


@pytest.mark.parametrize(
    ("text", "about", "told"),
    [
        (b"row,prediction\n0,1\n", b"{}", "does not have one row for each of 160 sentences"),
        (b"row,prediction\n" + b"1,1\n" * 10**6, b"[" * 10**5, "does not have one row for each of"),
        (b"a,b\n0,1\n", b"no json", "cannot be read (ValueError)"),
        (b"row,prediction\n0,yes\n", b'{"data": 3}', "cannot be read (ValueError)"),
    ],
    ids=["short", "long, deep", "other columns, no JSON", "words, a number"],
)
def test_predictions_that_do_not_fit_are_told_and_the_model_counts(evaluated, text, about, told):
    result = evaluated(FILES | {"predictions.csv": text, "config.json": about})
    assert result.accuracy == 100.0
    assert any(told in note for note in result.notes)


def test_no_process_waits_for_models_that_nobody_scores(course):
    with warm_processes.started(course, ["a3"], scored=()) as workers:
        assert workers["a3"].of_course is None


def test_predictions_for_other_sentences_are_not_held_against_anybody(evaluated):
    about = b'{"data": {"fingerprint": "other", "source": "hub"}}'
    result = evaluated(FILES | {"config.json": about})
    assert result.accuracy == 100.0
    assert result.agreement is None
    assert "in another order (from: hub)" in result.notes[-1]


def test_a_threshold_is_two_standard_deviations_below_the_reference():
    assert accuracy.standard_error(80.0, 1600) == 1.0
    assert thresholds.calibrated(80.0, 0.0, 1.0) == 78.0
    assert thresholds.calibrated(80.0, 0.75, 1.0) == 77.5


def test_a_threshold_in_bleu_takes_the_measured_error_of_the_test_split(course, tmp_path):
    measured = {"beam5_bleu": {"mean": 50.0, "sd": 0.6}, "beam5_bleu_standard_error": {"mean": 0.8}}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "measured.json").write_text(
        json.dumps({"measures": measured}), encoding="utf-8"
    )
    exercise = course.assignment("a4").exercise("4.12").model_copy(update={"full_at": ["measured"]})
    assert thresholds.full_at(elsewhere(exercise, tmp_path), 1000, Bleu()) == 48.0


@pytest.mark.parametrize(
    ("profile", "measure", "trained", "bonus"),
    [
        ("sst2_cpu", "test_accuracy", "3.10", "3.20"),
        ("sst2_six_layers", "test_accuracy", "3.10", "3.20"),
        ("multi30k_test2016", "beam5_bleu", "4.12", "4.22"),
        ("multi30k_colab_test2016", "beam5_bleu", "4.12", "4.22"),
    ],
)
def test_whoever_keeps_a_profile_has_all_points_and_no_bonus(
    course, profile, measure, trained, bonus
):
    """By every measured seed, and two standard deviations above their mean."""
    text = (ROOT / "results" / f"{profile}.json").read_text(encoding="utf-8")
    reached = json.loads(text)["measures"][measure]
    assignment = course.assignment_of(trained)
    full = thresholds.full_at(
        assignment.exercise(trained), assignment.model.examples, assignment.scorer
    )
    assert full < min(reached["values"])
    begins = assignment.exercise(bonus).zero_at
    assert begins > max(reached["values"])
    assert begins > reached["mean"] + 2 * reached["sd"]


def test_of_several_profiles_the_lowest_threshold_counts(course):
    exercise = course.assignment("a3").exercise("3.10")
    each = [
        thresholds.full_at(exercise.model_copy(update={"full_at": [name]}), 1821, Accuracy())
        for name in exercise.full_at
    ]
    assert thresholds.full_at(exercise, 1821, Accuracy()) == min(each) < max(each)


def test_points_rise_linearly(course):
    bonus = course.assignment("a3").exercise("3.20")
    shares = [
        thresholds.share(bonus, reached, 1821, Accuracy())
        for reached in (75.0, 83.3, 83.9, 84.5, 90.0)
    ]
    assert shares == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


def test_points_that_depend_on_who_is_asked_wait_for_a_person(course, sandbox):
    """Another architecture than the course's has no second score: only its code can run it."""
    assignment = course.assignment("a3")
    data = notebook(CODE).encode()
    for files, hidden, points, status, pending, told in (
        (FILES, HIDDEN, None, "pending", 2, "Your points wait for your instructor."),
        ({}, HIDDEN, 0.0, "not written", 0, "no classifier.safetensors was handed in"),
        (FILES, None, None, "pending", 0, "without the hidden labels"),
    ):
        submitted = Submitted(assignment, data, files, only=["3.10", "3.20"])
        result = grade(submitted, course, sandbox("a3"), hidden)
        main, bonus = result.exercises
        assert (main.points, main.status) == (points, status)
        assert bonus.bonus
        assert result.totals.automatic == 0.0
        assert result.totals.manual_pending == pending
        assert told in " ".join(model_sentences(main))
