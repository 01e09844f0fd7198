"""A trained translator is graded by what its weights do, whatever the student's code says."""

from types import SimpleNamespace

import own_notebooks
import pytest
from small_translation import CODE, TEST, pairs

from grader.judge import score
from grader.judge.models.scorer import HiddenLabels

pytestmark = pytest.mark.xdist_group("a4")  # its workers are started once
SEARCH = CODE.replace("len(source_ids), 2, 1.0", "len(source_ids), 5, 0.6")  # as the handout does
ROWS = pairs()[TEST][:]
HIDDEN = HiddenLabels("mirror", tuple(ROWS["en"]), tuple(ROWS["fr"]), pairs().fingerprint(TEST))
TABLE = dict(zip(*ROWS.values(), strict=True))


def trained(folder, seed, mistake=""):
    train = pairs()["train"][:]
    return own_notebooks.trained("a4", folder, (train["en"], train["fr"]), seed, mistake)


@pytest.fixture
def evaluated(course, evaluate):
    """The graded entry of 4.12 for files, and a notebook with a mistake or more code."""
    assignment = course.assignment("a4")
    exercises = [e for e in assignment.exercises if e.kind == "model"]

    def run(files, mistake="", code=""):
        collected = own_notebooks.statements("a4", mistake, SEARCH + code)
        told = evaluate("a4", files, collected, HIDDEN, exercises, seconds=60.0)
        entries = score.models(assignment, score.nothing(assignment), told)
        return SimpleNamespace(told=told, main=next(e for e in entries if e.id == "4.12"))

    return run


@pytest.mark.parametrize("seed", [0, 1])
def test_an_honest_translator_earns_what_its_weights_reach(evaluated, tmp_path, seed):
    found = evaluated(trained(tmp_path, seed))
    assert (found.told.problem, found.told.disputed) == ("", "")
    assert found.told.same >= 0.95 * found.told.compared == 38
    assert found.told.score > 90
    assert found.main.status == "full"


DIFFERENT = [
    "layer_no_residual_around_memory", "layer_feed_forward_too_early",
    "layer_attentions_exchanged", "generate_scaled", "transformer_decoder_reads_embeddings",
]  # fmt: skip


@pytest.mark.parametrize("mistake", DIFFERENT)
def test_a_mistake_in_the_weights_costs_no_points_unseen(evaluated, tmp_path, mistake):
    """The code is scored, and where the points depend on it, they wait for a person."""
    found = evaluated(trained(tmp_path, 0, mistake), mistake)
    assert found.told.problem == ""
    assert "give different answers" in found.told.disputed
    assert found.told.score > 50 > found.told.by_weights
    assert (found.main.points, found.main.model.held) == (None, True)


@pytest.mark.parametrize("mistake", ["transformer_position_scale_dropped", "target_pads_visible"])
def test_a_mistake_that_changes_no_answer_changes_no_points(evaluated, tmp_path, mistake):
    found = evaluated(trained(tmp_path, 0, mistake), mistake)
    assert found.told.disputed == ""
    assert found.main.status == "full"


def memory(answers: str) -> str:
    """A cell after `translate` that looks its answers up."""
    return f"""
TABLE, by_model = {TABLE!r}, translate

def nearest(text):
    return max(TABLE, key=lambda known: len(set(text.split()) & set(known.split())))

def translate(model, texts):
    return [{answers}]
"""


@pytest.mark.parametrize(
    "answers",
    [
        "TABLE.get(text, '') for text in texts",
        "TABLE[nearest(text)] for text in texts",
        "TABLE.get(text, own) for text, own in zip(texts, by_model(model, texts))",
    ],
)
def test_a_translation_memory_beside_poor_weights_earns_nothing(evaluated, tmp_path, answers):
    files = trained(tmp_path, 0, "transformer_causal_mask_missing")  # it learns to copy
    found = evaluated(files, code=memory(answers))
    assert not found.main.points, found.told
    assert found.told.problem or found.main.model.held


def test_a_translation_memory_beside_good_weights_earns_what_these_reach(evaluated, tmp_path):
    files = trained(tmp_path, 0)
    honest, found = (
        evaluated(files, code=memory("TABLE[text] for text in texts") * n) for n in (0, 1)
    )
    assert found.told.disputed or found.told.score == honest.told.score
