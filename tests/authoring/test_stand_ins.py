"""Stand-ins give what the library gives, so that the next assignment need not wait."""

import proofs
import pytest
import torch
from torch import nn

from autograder.stand_ins import (
    attention,
    embeddings,
    encoder,
    feed_forward,
    masks,
    normalization,
    positions,
    residual,
)
from autograder.stand_ins.training import optimizers
from course_lib import attention as course_attention
from course_lib.attention import MultiHeadAttention
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.feed_forward import FeedForward
from course_lib.masks import padding_mask
from course_lib.normalization import LayerNorm
from course_lib.positions import sinusoidal_positions
from course_lib.residual import ResidualConnection
from course_lib.training import optimizers as course_optimizers
from grader.authoring.views import no_leak
from grader.library import student_tree


def with_the_same_weights(stand_in, own):
    own.load_state_dict(stand_in.state_dict())
    return stand_in, own


@pytest.mark.parametrize("bias", [True, False])
def test_attention_with_masks_and_empty_rows(bias):
    torch.manual_seed(0)
    stand_in, own = with_the_same_weights(
        attention.MultiHeadAttention(16, 4, 0.0, bias), MultiHeadAttention(16, 4, 0.0, bias)
    )
    query, key = torch.randn(3, 5, 16), torch.randn(3, 7, 16)
    mask = torch.rand(3, 1, 5, 7) > 0.4
    mask[0, 0, 1] = False  # a query that may attend to nothing
    for shaped in (None, mask, mask[:, :, :1], mask[1, 0]):
        output, weights = stand_in(query, key, key, shaped, True)
        expected, expected_weights = own(query, key, key, shaped, True)
        torch.testing.assert_close(output, expected)
        torch.testing.assert_close(weights, expected_weights)
        torch.testing.assert_close(stand_in(query, key, key, shaped)[0], expected)
    assert stand_in(query, key, key)[1] is None


def test_attention_of_heads():
    torch.manual_seed(0)
    query, key, value = torch.randn(2, 4, 3, 8), torch.randn(2, 4, 5, 8), torch.randn(2, 4, 5, 6)
    mask = torch.rand(2, 1, 3, 5) > 0.3
    mask[1, 0, 2] = False
    for shaped in (None, mask):
        for one, other in zip(
            attention.attention(query, key, value, shaped),
            course_attention.attention(query, key, value, shaped),
            strict=True,
        ):
            torch.testing.assert_close(one, other)


def test_layer_norm():
    stand_in, own = with_the_same_weights(normalization.LayerNorm(4), LayerNorm(4))
    x = 1e-2 * torch.randn(3, 4)
    torch.testing.assert_close(stand_in(x), own(x))


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_residual_connection(norm_first, training):
    torch.manual_seed(0)
    stand_in, own = with_the_same_weights(
        residual.ResidualConnection(8, 0.4, norm_first), ResidualConnection(8, 0.4, norm_first)
    )
    layer = nn.Linear(8, 8)
    for x in (torch.randn(2, 3, 8), torch.randn(3, 8)):
        results = []
        for module in (stand_in.train(training), own.train(training)):
            torch.manual_seed(1)
            results.append(module.leave(x, layer(module.enter(x))))
        torch.testing.assert_close(*results)
    assert stand_in.state_dict().keys() == own.state_dict().keys()


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_encoder(norm_first, training):
    torch.manual_seed(0)
    sizes = (2, 8, 2, 12, 0.3, norm_first)
    stand_in, own = with_the_same_weights(encoder.Encoder(*sizes), Encoder(*sizes))
    x, mask = torch.randn(3, 5, 8), (torch.arange(5) < torch.tensor([[5], [3], [1]]))
    for shaped in (None, mask[:, None, None]):
        results = []
        for module in (stand_in.train(training), own.train(training)):
            torch.manual_seed(1)
            results.append(module(x, shaped, need_weights=not training))
        for (output, weights), (wanted, seen) in [results]:
            torch.testing.assert_close(output, wanted)
            assert (weights is None) == (seen is None) == training
            for one, other in zip(weights or [], seen or [], strict=True):
                torch.testing.assert_close(one, other)
    assert stand_in.state_dict().keys() == own.state_dict().keys()


def test_feed_forward():
    stand_in, own = with_the_same_weights(feed_forward.FeedForward(4, 6), FeedForward(4, 6))
    x = torch.randn(2, 3, 4)
    torch.testing.assert_close(stand_in.train()(x), own(x))
    assert stand_in.state_dict().keys() == own.state_dict().keys()


@pytest.mark.parametrize("d_model", [6, 7])
def test_positions_and_embeddings(d_model):
    wanted = sinusoidal_positions(600, d_model)
    torch.testing.assert_close(
        positions.sinusoidal_positions(600, d_model), wanted, atol=1e-4, rtol=0
    )
    kind = {"vocab_size": 9, "d_model": d_model, "dropout": 0.0, "max_length": 4}
    stand_in, own = with_the_same_weights(
        embeddings.TransformerEmbedding(**kind, position_scale=0.2),
        TransformerEmbedding(**kind, position_scale=0.2),
    )
    ids = torch.randint(0, 9, (2, 7))
    torch.testing.assert_close(stand_in(ids), own(ids))
    assert (embeddings.TransformerEmbedding(9, d_model, pad_id=3).tokens.weight[3] == 0).all()


def test_the_recipe_of_the_paper_takes_the_same_steps():
    trained, rates = [], []
    for module in (optimizers, course_optimizers):
        torch.manual_seed(0)
        model, x = nn.Linear(3, 2), torch.randn(5, 3)
        optimizer, schedule = module.paper_optimizer(model, 16, 3)
        for _ in range(8):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
            schedule.step()
        trained.append(model.weight.detach().clone())
        with pytest.raises(ValueError, match="0"):
            module.paper_optimizer(model, 16, 0)
    torch.testing.assert_close(*trained)
    assert rates[:8] == pytest.approx(rates[8:])


def test_padding_mask():
    ids = torch.tensor([[4, 0, 2], [7, 7, 0]])
    for pad_id in (0, 7):
        assert torch.equal(masks.padding_mask(ids, pad_id), padding_mask(ids, pad_id))


@pytest.mark.parametrize("assignment", ["a3", "a4"])
def test_an_assignment_sees_stand_ins_for_earlier_ones_and_no_answer(course, tmp_path, assignment):
    student_tree.write(course, tmp_path, assignment)
    hidden = student_tree.unreleased(course)
    assert no_leak.find(proofs.code_of_tree(tmp_path), hidden) == []
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" in text
    assert "class MultiHeadAttention" in text


def test_no_assignment_sees_stand_ins_for_its_own_exercises(course, tmp_path):
    student_tree.write(course, tmp_path, "a2")
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" not in text
    assert "raise NotImplementedError" in text
