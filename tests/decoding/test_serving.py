"""Serving: few bits a weight, and guesses that a large model checks, change what they may."""

import pytest
import torch

from course_lib.decoding.generate import generate
from course_lib.decoding.speculative import speculate
from course_lib.families.language_model import LanguageModel
from course_lib.families.quantization import bytes_of, from_integers, quantized, to_integers

pytestmark = pytest.mark.usefixtures("without_shape_checks")


def model(seed, layers=2, width=32, **changed):
    """An untrained model whose choices depend on the text: with small weights they hardly do."""
    torch.manual_seed(seed)
    made = LanguageModel(
        40, n_layers=layers, d_model=width, n_heads=4, d_ff=64, positions="rotary", **changed
    )
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if parameter.dim() == 2:
                parameter *= 8 if name.startswith("tokens") else 40
    return made.eval()


PROMPTS = [[3, 9, 14, 2], [7], [5, 5, 5, 21, 30, 8]]


@pytest.mark.parametrize("ahead", [0, 1, 4, 9])
def test_the_text_is_that_of_the_large_model_whatever_is_guessed(ahead):
    large, other = model(0), model(1, layers=1, width=16)
    for prompt in PROMPTS:
        (alone,) = generate(large, [prompt], 25, temperature=0)
        text, calls = speculate(large, other, prompt, 25, ahead)
        assert text == alone
        assert len(set(text)) > 2, "a text of one token would compare nothing"
        assert calls <= 25


@pytest.mark.parametrize(("ahead", "calls"), [(0, 25), (1, 13), (4, 5), (30, 1)])
def test_a_perfect_guesser_saves_as_many_calls_as_there_are_guesses(ahead, calls):
    large = model(0)
    assert speculate(large, large, PROMPTS[0], 25, ahead)[1] == calls


def test_a_wrong_guesser_costs_nothing_but_its_own_calls():
    """The large model's own choice follows the guesses, so that each call brings a token."""
    large, wrong = model(0), model(0)
    wrong.norm.weight.data.neg_()  # its most likely token is the least likely one
    text, calls = speculate(large, wrong, PROMPTS[0], 25)
    assert (text, calls) == (generate(large, [PROMPTS[0]], 25, temperature=0)[0], 25)


def test_the_end_may_come_among_the_guesses():
    large = model(0)
    (alone,) = generate(large, [PROMPTS[0]], 25, temperature=0)
    end = alone[10]
    text, calls = speculate(large, large, PROMPTS[0], 25, 4, end)
    assert text == alone[: alone.index(end)]
    assert calls == alone.index(end) // 5 + 1
    with pytest.raises(ValueError, match="the prompt is empty: give at least one token"):
        speculate(large, large, [], 3)


def test_integers_and_scales_by_hand():
    weight = torch.tensor([[0.7, -0.34, 0.1, 0.05, 7.0, 0.4, -0.6, 0.0]])
    integers, scales = to_integers(weight, bits=4, group=4)
    assert integers.tolist() == [[[7, -3, 1, 0], [7, 0, -1, 0]]]  # 0.05 is half a scale: to even
    torch.testing.assert_close(scales, torch.tensor([[[0.1], [1.0]]]))
    found = from_integers(integers, scales)
    torch.testing.assert_close(found, torch.tensor([[0.7, -0.3, 0.1, 0, 7, 0, -1, 0]]))
    assert from_integers(*to_integers(torch.zeros(2, 4), 8, 4)).tolist() == [[0.0] * 4] * 2


@pytest.mark.parametrize("bits", [4, 8])
def test_a_weight_moves_by_half_a_scale_at_most(bits):
    made, small = model(0), quantized(model(0), bits)
    moved = 0
    for before, after in zip(made.parameters(), small.parameters(), strict=True):
        if before.dim() < 2:
            assert torch.equal(before, after)
            continue
        largest = before.unflatten(1, (-1, 32)).abs().amax(-1, keepdim=True)
        gap = (before - after).unflatten(1, (-1, 32)).abs()
        assert (gap <= largest / (2 ** (bits - 1) - 1) / 2 + 1e-6).all()
        moved += int((gap > 0).sum())
    assert moved > 1000


def test_bytes_and_refusals():
    layer = torch.nn.Linear(64, 3)  # 192 weights in 6 groups, 3 biases
    assert [bytes_of(layer, bits) for bits in (32, 8, 4)] == [780, 192 + 12 + 12, 96 + 12 + 12]
    for bits, group in ((8, 24), (1, 32), (16, 32)):
        with pytest.raises(ValueError, match="give a group that divides the columns, and 2 to 8"):
            to_integers(layer.weight, bits, group)
