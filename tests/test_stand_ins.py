"""Stand-ins give what the library gives, so that the next assignment need not wait."""

import pytest
import torch
from torch import nn

from autograder.release import no_leak, student_tree
from autograder.release.stand_ins import attention, normalization, residual
from course_lib.attention import MultiHeadAttention
from course_lib.normalization import LayerNorm
from course_lib.residual import ResidualConnection


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
            results.append(module(x, layer))
        torch.testing.assert_close(*results)
    assert stand_in.state_dict().keys() == own.state_dict().keys()


def test_an_assignment_sees_stand_ins_for_earlier_ones_and_no_answer(course, tmp_path):
    student_tree.write(course, tmp_path, "a3")
    hidden = student_tree.unreleased(course)
    assert no_leak.find(no_leak.code_of_tree(tmp_path), hidden) == []
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" in text
    assert "class MultiHeadAttention" in text


def test_no_assignment_sees_stand_ins_for_its_own_exercises(course, tmp_path):
    student_tree.write(course, tmp_path, "a2")
    text = (tmp_path / "course_lib" / "attention.py").read_text(encoding="utf-8")
    assert "multi_head_attention_forward" not in text
    assert "raise NotImplementedError" in text
