"""Assignment 3's measurements: curves, attention received, fair comparisons, scores, faults."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from torch import nn

from course_lib.analysis.encoder import accuracy_by_length, attention_received
from course_lib.analysis.fair_comparisons import compare_norms, nested_subsets
from course_lib.analysis.training_curves import plot_curves
from course_lib.classifier import EncoderClassifier
from course_lib.diagnosis.broken_classifiers import FAULTS, broken_classifier
from course_lib.diagnosis.diagnose import diagnose
from course_lib.evaluation.classification import classification_scores
from course_lib.initialization import initialize
from course_lib.masks import padding_mask
from grader.seam.axes import read


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# Curves.

HISTORY = [
    {"step": 1, "loss": 0.7, "accuracy": 0.25},
    {"step": 2, "loss": 0.5, "accuracy": 0.75},
    {"step": 2, "epoch": 1, "validation_accuracy": 0.5},
    {"step": 3, "loss": 0.6, "accuracy": 0.5},
    {"step": 3, "epoch": 2, "validation_accuracy": 0.8},
]


def test_curves_show_every_step_and_every_evaluation():
    left, right = (read(ax) for ax in plot_curves(HISTORY))
    (loss, smoothed), (accuracy,) = left["lines"], right["lines"]
    assert (loss["label"], accuracy["label"]) == ("training loss", "validation accuracy")
    assert smoothed["label"] == "smoothed"
    assert smoothed["y"] == pytest.approx([0.7, 0.6, 0.6])
    assert [loss["x"].tolist(), loss["y"].tolist()] == [[1, 2, 3], [0.7, 0.5, 0.6]]
    assert accuracy["x"].tolist() == [2, 3]
    assert accuracy["y"] == pytest.approx([50, 80])
    assert (left["xlabel"], left["ylabel"]) == ("step", "loss")
    assert (right["xlabel"], right["ylabel"]) == ("step", "accuracy (%)")
    assert left["title"] != right["title"]
    plt.close("all")


def test_the_band_is_one_standard_error_wide():
    _, axes = plt.subplots(1, 2)
    left, right = plot_curves(HISTORY, n_validation=100, axes=axes)
    assert (left, right) == tuple(axes)
    heights = np.unique(right.collections[0].get_paths()[0].vertices[:, 1].round(6))
    assert heights == pytest.approx([45, 55, 76, 84])  # 50 ± 5 and 80 ± 4
    plt.close("all")


# What a trained encoder does.


def test_attention_received_by_hand():
    weights = torch.zeros(2, 2, 3, 3)
    weights[0, 0] = torch.eye(3)
    weights[0, 1, :, 0] = 1.0  # every query to the first token
    weights[1, :, :, 1] = 1.0  # the second sentence has two real tokens
    mask = padding_mask(torch.tensor([[5, 6, 7], [5, 6, 0]]))
    wanted = torch.tensor([[4 / 6, 1 / 6, 1 / 6], [0, 1, 0]])
    torch.testing.assert_close(attention_received(weights, mask), wanted)


def test_attention_received_of_a_real_encoder_sums_to_one():
    model = EncoderClassifier(20, n_layers=2, d_model=8, n_heads=2, d_ff=8).eval()
    token_ids = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0], [0, 0, 0, 0]])
    for weights in model(token_ids, need_weights=True)[1]:
        received = attention_received(weights, padding_mask(token_ids))
        torch.testing.assert_close(received.sum(-1), torch.tensor([1.0, 1.0, 0.0]))
        assert not received[token_ids == 0].any()


def test_accuracy_by_length_by_hand():
    rows = accuracy_by_length([3, 10, 4, 9, 29], [True, False, False, True, True], [0, 10, 20, 30])
    assert [(row["from"], row["to"], row["n"]) for row in rows] == [
        (0, 10, 3),
        (10, 20, 1),
        (20, 30, 1),
    ]
    assert rows[0]["accuracy"] == pytest.approx(2 / 3)
    assert rows[0]["standard_error"] == pytest.approx(math.sqrt(2 / 27))
    assert [rows[1]["accuracy"], rows[2]["accuracy"]] == [0.0, 1.0]


def test_an_empty_bin_knows_nothing():
    (_, empty) = accuracy_by_length([3], [True], [0, 10, 20])
    assert empty == {"from": 10, "to": 20, "n": 0, "accuracy": None, "standard_error": None}


@pytest.mark.parametrize("length", [4, 20])
def test_a_length_outside_the_bins_is_named(length):
    with pytest.raises(ValueError, match=f"{length} tokens"):
        accuracy_by_length([5, length], [True, True], [5, 20])


# Fair comparisons.


def test_compare_norms_has_a_row_for_every_run_with_the_same_seeds():
    built = []

    def build(norm_first, seed):
        built.append((norm_first, seed))
        return nn.Linear(1, 1)

    def train(model, seed):
        assert built[-1][1] == seed
        return {"loss": seed + 0.5 * built[-1][0], "gradient_norms": [1.0, 2.0, 3.0 + seed]}

    rows = compare_norms(build, train, [4, 5, 6])
    assert sorted(built) == [(first, seed) for first in (False, True) for seed in (4, 5, 6)]
    assert sorted((row["norm"], row["seed"], row["loss"]) for row in rows) == [
        *(("post", seed, float(seed)) for seed in (4, 5, 6)),
        *(("pre", seed, seed + 0.5) for seed in (4, 5, 6)),
    ]
    first = rows[0]
    assert (first["gradient_norm_first_layer"], first["gradient_norm_last_layer"]) == (1.0, 7.0)


@pytest.mark.parametrize("seeds", [[1, 2], [1, 2, 2], []])
def test_compare_norms_wants_three_seeds(seeds):
    with pytest.raises(ValueError, match="at least 3"):
        compare_norms(lambda *_: nn.Linear(1, 1), lambda *_: {}, seeds)


def test_subsets_are_nested_stratified_and_in_the_order_given():
    labels = [0] * 60 + [1] * 20 + [2]
    small, whole, tenth = nested_subsets(labels, [0.05, 1, 0.1], np.random.default_rng(0))
    assert whole.tolist() == list(range(81))
    assert set(small) < set(tenth) < set(whole)
    assert np.bincount(np.asarray(labels)[tenth]).tolist() == [6, 2, 1]
    assert small.tolist() == sorted(small)


def test_subsets_come_from_the_generator():
    first, second, other = (
        nested_subsets([0, 1] * 50, [0.1], np.random.default_rng(seed))[0].tolist()
        for seed in (1, 1, 2)
    )
    assert first == second != other


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5])
def test_subsets_of_an_impossible_fraction(fraction):
    with pytest.raises(ValueError, match=str(fraction)):
        nested_subsets([0, 1], [fraction], np.random.default_rng(0))


# Scores.


def test_scores_by_hand():
    scores = classification_scores([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0, 0])
    assert scores == pytest.approx(
        {
            "accuracy": 5 / 8,
            "precision": 2 / 4,
            "recall": 2 / 3,
            "f1": 4 / 7,
            "standard_error": math.sqrt(15 / 512),
        }
    )


@pytest.mark.parametrize(("guess", "label"), [(0, 1), (1, 0), (0, 0)])
def test_scores_without_a_denominator_are_zero(guess, label):
    scores = classification_scores([guess] * 3, [label] * 3)
    assert [scores["precision"], scores["recall"], scores["f1"]] == [0.0, 0.0, 0.0]
    assert scores["standard_error"] == 0.0


def test_scores_of_what_does_not_fit():
    with pytest.raises(ValueError, match="3 predictions do not fit 2 labels"):
        classification_scores([1, 0, 1], [1, 0])
    with pytest.raises(ValueError, match="nothing to score"):
        classification_scores([], [])


# Starts.


@pytest.mark.parametrize(
    ("scheme", "deviation"),
    [("xavier", math.sqrt(2 / 500)), ("he", math.sqrt(2 / 100)), ("normal", 0.02)],
)
def test_initialize_gives_every_linear_layer_its_spread(scheme, deviation):
    model = nn.Sequential(nn.Linear(100, 400), nn.LayerNorm(400), nn.Linear(400, 100))
    initialize(model, scheme, generator())
    assert model[0].weight.std().item() == pytest.approx(deviation, rel=0.02)
    assert not model[0].bias.any()
    assert not model[2].bias.any()
    if scheme == "xavier":
        assert model[0].weight.abs().max() <= math.sqrt(6 / 500)
        assert model[0].weight.abs().max() > 0.99 * math.sqrt(6 / 500)
    elif scheme == "he":
        assert model[2].weight.std().item() == pytest.approx(math.sqrt(2 / 400), rel=0.02)


def test_initialize_leaves_the_rest_and_the_global_generator():
    model = EncoderClassifier(20, n_layers=1, d_model=8, n_heads=2, d_ff=8)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    state = torch.get_rng_state()
    initialize(model, "he", generator())
    assert torch.equal(torch.get_rng_state(), state)
    kept = [name for name, value in model.state_dict().items() if torch.equal(value, before[name])]
    assert sorted(kept) == [
        "embedding.tokens.weight",
        *(
            f"encoder.layers.0.{part}_residual.norm.{name}"
            for part in ("attention", "feed_forward")
            for name in ("bias", "weight")
        ),
    ]


def test_initialize_repeats_and_knows_no_other_scheme():
    first, second = nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)
    initialize(first, "normal", generator(1))
    initialize(second, "normal", generator(1))
    assert torch.equal(first.weight, second.weight)
    with pytest.raises(ValueError, match="'xavier', 'he' or 'normal'"):
        initialize(first, "lecun", generator(1))


# Faults.


def sentences(seed):
    token_ids = torch.randint(1, 50, (3, 7), generator=generator(seed))
    if seed % 2:
        token_ids[1, 4:] = 0
    return token_ids


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seed", range(4))
def test_every_fault_is_told_with_and_without_padding(fault, seed):
    model = broken_classifier(fault, seed).train(seed > 1)
    assert diagnose(model, sentences(seed)) == fault
    assert model.training == (seed > 1)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("norm_first", [False, True])
def test_our_own_encoder_is_healthy(norm_first, pooling):
    torch.manual_seed(0)
    model = EncoderClassifier(
        50, n_layers=2, d_model=16, n_heads=2, d_ff=16, norm_first=norm_first, pooling=pooling
    )
    assert diagnose(model, sentences(1)) == "healthy"


def test_a_patient_is_repeatable_and_does_not_tell_its_fault():
    state = torch.get_rng_state()
    first, second = broken_classifier("pads pooled", 5), broken_classifier("pads pooled", 5)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first.eval()(sentences(1))[0], second.eval()(sentences(1))[0])
    assert "pooled" not in str(vars(first))
    with pytest.raises(ValueError, match="no fault is called 'tired'"):
        broken_classifier("tired", 0)
