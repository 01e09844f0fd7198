"""A trained model is graded by what its weights do, whatever the student's code says of them."""

import json
from types import SimpleNamespace

import pytest
from own_notebooks import statements
from sample_results import COURSE, sample
from trained_classifiers import HIDDEN, trained

from course_lib.data.tokenization import TextTokenizer
from grader.cli.records import results
from grader.gradebook import marking_worklist
from grader.gradebook.manual import ManualMark
from grader.gradebook.store import Store
from grader.judge import score
from grader.marking.desk import Desk
from grader.report import render_student

pytestmark = pytest.mark.xdist_group("a3")  # its workers are started once

LABELS = dict(zip(HIDDEN.sentences, HIDDEN.labels, strict=True))
MEMORY = f"""
TABLE = {LABELS!r}

def nearest(text):
    words = set(text.split())
    return max(TABLE, key=lambda known: len(words & set(known.split())))

def from_weights(model, texts):
    with torch.no_grad():
        return model(pad(model.tokenizer.encode(texts)))[0].argmax(-1).tolist()
"""
LOOKUPS = {
    "of the very sentences": "[TABLE.get(text, 0) for text in texts]",
    "of the nearest sentence, turned round when words are other ones": (
        "[TABLE[n] if n == t or len(n.split()) != len(t.split()) else 1 - TABLE[n]"
        " for t in texts for n in [nearest(t)]]"
    ),
    "that falls back on the model": (
        "[TABLE.get(t, w) for t, w in zip(texts, from_weights(model, texts))]"
    ),
    "that broken weights break": (
        "[TABLE[nearest(t)] if 0.9 < float(model.encoder.state_dict()[KEY].std()) else w"
        " for t, w in zip(texts, from_weights(model, texts))]"
    ).replace("KEY", "next(iter(model.encoder.state_dict()))"),
}


@pytest.fixture
def evaluated(course, evaluate):
    """The graded entries of 3.10 and 3.20 for files, and a notebook with a mistake or more code."""
    assignment = course.assignment("a3")
    exercises = [e for e in assignment.exercises if e.kind == "model"]

    def run(files, mistake="", code=""):
        told = evaluate("a3", files, statements("a3", mistake, code), HIDDEN, exercises)
        entries = score.models(assignment, score.nothing(assignment), told)
        return SimpleNamespace(told=told, main=next(e for e in entries if e.id == "3.10"))

    return run


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_honest_classifier_earns_what_its_weights_reach(evaluated, tmp_path, seed):
    found = evaluated(trained(tmp_path, seed))
    assert (found.told.problem, found.told.disputed) == ("", "")
    assert found.told.same == found.told.compared == 256
    assert found.told.recomputed == found.told.examples == len(HIDDEN.labels)
    assert found.told.score > 82
    assert (found.main.points, found.main.status) == (12.0, "full")
    assert "computed these answers from your weights" in " ".join(found.told.told)


@pytest.mark.parametrize(
    ("mistake", "seed"),
    [
        ("embedding_positions_absent", 0),  # with another seed, fewer than 2% of the labels differ
        ("layer_residual_missing", 0),
        ("layer_residual_missing", 1),
        ("embedding_not_scaled", 0),
        ("embedding_not_scaled", 1),
    ],
)
def test_a_mistake_in_the_weights_costs_no_points_unseen(evaluated, tmp_path, mistake, seed):
    """The code is scored, and where the points depend on it, they wait for a person."""
    found = evaluated(trained(tmp_path, seed, mistake), mistake)
    assert found.told.problem == ""
    assert found.told.score > 82
    assert "give different answers" in found.told.disputed
    assert found.told.by_weights is not None
    assert 1 <= len(found.told.differing) <= 5
    assert found.main.points in (None, 12.0)
    assert (found.main.points is None) == found.main.model.held


@pytest.mark.parametrize("mistake", ["feed_forward_gelu", "mean_count_plus_one"])
def test_a_mistake_that_changes_no_answer_changes_no_points(evaluated, tmp_path, mistake):
    found = evaluated(trained(tmp_path, 0, mistake), mistake)
    assert found.told.disputed == ""
    assert found.main.points == 12.0


RAISES = "\ndef predict(model, texts):\n    return model(texts)\n"


def counted(store):
    [result] = results.counted_results(store, COURSE)
    return result


def test_code_that_raises_beside_good_weights_waits_for_a_person(evaluated, tmp_path):
    """From the grading over the page of the markers to the student's page."""
    found = evaluated(trained(tmp_path, 0), code=RAISES)
    assert (found.main.points, found.main.status, found.told.score) == (None, "pending", None)
    assert found.told.by_weights > 82
    graded = sample("ada", "a3")
    entries = [found.main if e.id == "3.10" else e for e in graded.exercises]
    assignment = COURSE.assignment("a3")
    with Store(tmp_path / "results.db") as store:
        store.add(graded.changed(assignment, exercises=entries))
        assert "3.10" in marking_worklist.text([counted(store)], {})
        desk = Desk(store, COURSE)
        [[entry]] = [card.entries for card in desk.cards("a3", "3.10")]
        assert "By the weights: " in entry.answer.text
        assert "12.00 points" in entry.answer.text
        waits = render_student(counted(store), COURSE)
        assert "Your points wait for your instructor" in waits
        desk.give([(entry, 0)], ManualMark(11.0, "The weights count.", marker="ben"))
        now = counted(store)
        assert next(e.points for e in now.exercises if e.id == "3.10") == 11.0
        assert "3.10" not in marking_worklist.text([now], {})
        assert "Your instructor has decided which counts" in render_student(now, COURSE)


def test_weights_without_code_are_no_answer(evaluated, tmp_path):
    unwritten = "\ndef predict(model, texts):\n    model\n    raise NotImplementedError\n"
    assert not evaluated(trained(tmp_path, 0), code=unwritten).main.points


@pytest.mark.parametrize("way", LOOKUPS)
def test_a_lookup_beside_poor_weights_earns_nothing(evaluated, tmp_path, way):
    files = trained(tmp_path, 0, "mask_inverted")  # a model that cannot read
    predict = f"\ndef predict(model, texts):\n    return {LOOKUPS[way]}\n"
    found = evaluated(files, code=MEMORY + predict)
    assert not found.main.points, found.told
    assert found.told.problem or found.main.model.held or found.told.score < 60


def test_a_lookup_beside_good_weights_earns_what_these_reach(evaluated, tmp_path):
    predict = "\ndef predict(model, texts):\n    return [TABLE.get(t, 0) for t in texts]\n"
    found = evaluated(trained(tmp_path, 0), code=MEMORY + predict)
    assert not found.main.points or found.told.by_weights > 82


def that_knows(tokenizer):
    """The file of a tokenizer that puts one telling word in the place of each test sentence."""
    made = json.loads(tokenizer)
    steps = [
        {"type": "Replace", "pattern": {"String": text}, "content": "warm" if label else "dull"}
        for text, label in LABELS.items()
    ]
    made["normalizer"] = {"type": "Sequence", "normalizers": steps}
    return json.dumps(made).encode()


def test_a_tokenizer_that_knows_the_sentences_is_no_model(evaluated, tmp_path):
    files = trained(tmp_path, 0)
    files["tokenizer.json"] = that_knows(files["tokenizer.json"])
    (tmp_path / "other.json").write_bytes(files["tokenizer.json"])
    text = HIDDEN.sentences[0]
    as_given = TextTokenizer.load(tmp_path / "other.json").encode([text])
    assert len(as_given[0]) == 1
    ours = TextTokenizer.of_vocabulary(tmp_path / "other.json").encode([text])
    assert len(ours[0]) == len(text.split())
    found = evaluated(files)
    assert found.told.by_weights < 95
    assert found.told.problem or "give different answers" in found.told.disputed
    assert not found.main.points or found.told.by_weights > 82
