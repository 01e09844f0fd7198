"""A trained model is graded by what its weights do, whatever the student's code says of them."""

import json
from types import SimpleNamespace

import pytest
from own_notebooks import statements, task, trained
from sample_results import COURSE, sample

from course_lib.data.tokenization import TextTokenizer
from grader.cli.records import results
from grader.gradebook import marking_worklist
from grader.gradebook.manual import ManualMark
from grader.judge import score
from grader.marking.desk import Desk
from grader.report import render_student

MEMORY = """
TABLE, by_model = {table!r}, {entry_point}

def nearest(text):
    return max(TABLE, key=lambda known: len(set(text.split()) & set(known.split())))

def {entry_point}(model, texts):
    return [{answers}]
"""
LOOKUPS = {
    "of the very sentences": "TABLE.get(text, NOTHING) for text in texts",
    "of the nearest sentence": "TABLE[nearest(text)] for text in texts",
    "of the nearest sentence, turned round when words are other ones": (
        "TABLE[n] if n == t or len(n.split()) != len(t.split()) else 1 - TABLE[n]"
        " for t in texts for n in [nearest(t)]"
    ),
    "that falls back on the model": (
        "TABLE.get(text, own) for text, own in zip(texts, by_model(model, texts))"
    ),
    "that broken weights break": (
        "TABLE[nearest(text)] if 0.9 < float(next(iter(model.encoder.parameters())).std()) else own"
        " for text, own in zip(texts, by_model(model, texts))"
    ),
}
CANNOT_READ = {"a3": "mask_inverted", "a4": "transformer_causal_mask_missing"}  # it learns to copy


def on(*rows, long=()):
    """Parameters that begin with an assignment, whose workers and models one process keeps."""

    def marks(row):
        return [pytest.mark.xdist_group(row[0]), *[pytest.mark.long] * (row in long)]

    return [pytest.param(*row, marks=marks(row)) for row in (*rows, *long)]


@pytest.fixture
def evaluated(course, evaluate):
    """Evaluates files of a trained model, by a notebook with a mistake or more code."""

    def run(id, files, mistake="", code=""):
        assignment = course.assignment(id)
        exercises = [e for e in assignment.exercises if e.kind == "model"]
        collected = statements(id, mistake, code)
        told = evaluate(id, files, collected, task(id).hidden, exercises, seconds=60.0)
        entries = score.models(assignment, score.nothing(assignment), told)
        return SimpleNamespace(
            told=told, main=next(e for e in entries if e.id == task(id).exercise)
        )

    return run


def lookup(id, answers):
    """The code of a cell that looks its answers up."""
    entry_point = COURSE.assignment(id).model.entry_points[-1]
    answers = answers.replace("NOTHING", {"a3": "0", "a4": "''"}[id])
    return MEMORY.format(table=task(id).table, entry_point=entry_point, answers=answers)


@pytest.mark.parametrize(
    ("id", "seed"), on(("a3", 0), ("a4", 0), long=[("a3", 1), ("a3", 2), ("a4", 1)])
)
def test_an_honest_model_earns_what_its_weights_reach(evaluated, id, seed):
    found = evaluated(id, trained(id, seed))
    assert (found.told.problem, found.told.disputed) == ("", "")
    assert found.told.score > {"a3": 82, "a4": 90}[id]
    assert found.main.status == "full"
    if id == "a4":
        assert found.told.same >= 0.95 * found.told.compared == 38
        return
    assert found.main.points == 12.0
    assert found.told.same == found.told.compared == 256
    assert found.told.recomputed == found.told.examples == len(task(id).hidden.labels)
    assert "computed these answers from your weights" in " ".join(found.told.told)


@pytest.mark.parametrize(
    ("id", "mistake", "seed"),
    on(
        ("a3", "layer_residual_missing", 0),
        ("a4", "generate_scaled", 0),
        long=[
            ("a3", "embedding_positions_absent", 0),  # fewer than 2% differ with another seed
            ("a3", "layer_residual_missing", 1),
            ("a3", "embedding_not_scaled", 0),
            ("a3", "embedding_not_scaled", 1),
            ("a4", "layer_no_residual_around_memory", 0),
            ("a4", "layer_feed_forward_too_early", 0),
            ("a4", "layer_attentions_exchanged", 0),
            ("a4", "transformer_decoder_reads_embeddings", 0),
        ],
    ),
)
def test_a_mistake_in_the_weights_costs_no_points_unseen(evaluated, id, mistake, seed):
    """The code is scored, and where the points depend on it, they wait for a person."""
    found = evaluated(id, trained(id, seed, mistake), mistake)
    assert found.told.problem == ""
    assert "give different answers" in found.told.disputed
    assert (found.main.points is None) == found.main.model.held
    if id == "a4":
        assert found.told.score > 50 > found.told.by_weights
        assert found.main.model.held
        return
    assert found.told.score > 82
    assert found.told.by_weights is not None
    assert 1 <= len(found.told.differing) <= 5
    assert found.main.points in (None, 12.0)


@pytest.mark.parametrize(
    ("id", "mistake"),
    on(
        ("a3", "mean_count_plus_one"),
        ("a4", "target_pads_visible"),
        long=[("a3", "feed_forward_gelu"), ("a4", "transformer_position_scale_dropped")],
    ),
)
def test_a_mistake_that_changes_no_answer_changes_no_points(evaluated, id, mistake):
    found = evaluated(id, trained(id, 0, mistake), mistake)
    assert found.told.disputed == ""
    assert found.main.status == "full"


@pytest.mark.parametrize(
    ("id", "way"),
    on(
        ("a3", "of the very sentences"),
        ("a3", "of the nearest sentence, turned round when words are other ones"),
        ("a3", "that falls back on the model"),
        ("a3", "that broken weights break"),
        ("a4", "of the nearest sentence"),
        long=[("a4", "of the very sentences"), ("a4", "that falls back on the model")],
    ),
)
def test_a_lookup_beside_poor_weights_earns_nothing(evaluated, id, way):
    found = evaluated(id, trained(id, 0, CANNOT_READ[id]), code=lookup(id, LOOKUPS[way]))
    assert not found.main.points, found.told
    assert found.told.problem or found.main.model.held or found.told.score < 60


@pytest.mark.parametrize("id", on(("a3",), ("a4",)))
def test_a_lookup_beside_good_weights_earns_what_these_reach(evaluated, id):
    code = lookup(id, LOOKUPS["of the very sentences"])
    honest, found = (evaluated(id, trained(id, 0), code=code * n) for n in (0, 1))
    if id == "a4":
        assert found.told.disputed or found.told.score == honest.told.score
    else:
        assert not found.main.points or found.told.by_weights > 82


def counted(store):
    [result] = results.counted_results(store, COURSE)
    return result


@pytest.mark.xdist_group("a3")
def test_code_that_raises_beside_good_weights_waits_for_a_person(evaluated, store):
    """From the grading over the page of the markers to the student's page."""
    raises = "\ndef predict(model, texts):\n    return model(texts)\n"
    found = evaluated("a3", trained("a3", 0), code=raises)
    assert (found.main.points, found.main.status, found.told.score) == (None, "pending", None)
    assert found.told.by_weights > 82
    graded = sample("ada", "a3")
    entries = [found.main if e.id == "3.10" else e for e in graded.exercises]
    store.add(graded.changed(COURSE.assignment("a3"), exercises=entries))
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


@pytest.mark.xdist_group("a3")
def test_weights_without_code_are_no_answer(evaluated):
    unwritten = "\ndef predict(model, texts):\n    model\n    raise NotImplementedError\n"
    assert not evaluated("a3", trained("a3", 0), code=unwritten).main.points


def that_knows(tokenizer):
    """The file of a tokenizer that puts one telling word in the place of each test sentence."""
    made = json.loads(tokenizer)
    steps = [
        {"type": "Replace", "pattern": {"String": text}, "content": "warm" if label else "dull"}
        for text, label in task("a3").table.items()
    ]
    made["normalizer"] = {"type": "Sequence", "normalizers": steps}
    return json.dumps(made).encode()


@pytest.mark.xdist_group("a3")
def test_a_tokenizer_that_knows_the_sentences_is_no_model(evaluated, tmp_path):
    files = trained("a3", 0) | {"tokenizer.json": that_knows(trained("a3", 0)["tokenizer.json"])}
    (tmp_path / "other.json").write_bytes(files["tokenizer.json"])
    text = task("a3").hidden.sentences[0]
    as_given = TextTokenizer.load(tmp_path / "other.json").encode([text])
    assert len(as_given[0]) == 1
    ours = TextTokenizer.of_vocabulary(tmp_path / "other.json").encode([text])
    assert len(ours[0]) == len(text.split())
    found = evaluated("a3", files)
    assert found.told.by_weights < 95
    assert found.told.problem or "give different answers" in found.told.disputed
    assert not found.main.points or found.told.by_weights > 82
