"""The decoder-only model: GPT-2 with its weights, causal, and the same with and without a cache."""

import pytest
import torch
from small_models import enlarged

from course_lib.decoding.generate import generate
from course_lib.families.cached_attention import KeysAndValues
from course_lib.families.language_model import KINDS, LanguageModel
from course_lib.families.position_variants import with_positions
from course_lib.normalization import LayerNorm
from course_lib.positions import rotate

SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64, "max_length": 24}
POSITIONS = (*KINDS, "relative")


def made(positions="learned", vocab_size=19, **sizes):
    torch.manual_seed(0)
    kind = "none" if positions == "relative" else positions
    model = LanguageModel(vocab_size, **SIZES | sizes, positions=kind)
    return enlarged(with_positions(model, "relative") if positions == "relative" else model)


def tokens(*shape):
    return torch.randint(1, 19, shape, generator=torch.Generator().manual_seed(1))


def test_logits_are_those_of_gpt_2_with_its_weights():
    transformers = pytest.importorskip("transformers", reason="the comparison needs transformers")
    torch.manual_seed(0)
    settings = transformers.GPT2Config(
        vocab_size=19, n_positions=24, n_embd=32, n_layer=2, n_head=4, n_inner=64
    )
    theirs = transformers.GPT2LMHeadModel(settings).eval()
    ours = LanguageModel(19, **SIZES, pad_id=-1).eval()
    for part in ours.modules():
        if isinstance(part, LayerNorm):
            part.eps = 1e-5
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter += 0.1 * torch.randn(parameter.shape)
        copy_gpt_2(theirs.transformer, ours)
        ids = tokens(3, 17)
        torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=1e-4, rtol=0)


def copy_gpt_2(theirs, ours):
    """Copy the weights; GPT-2 keeps its matrices transposed, and q, k and v in one."""
    ours.tokens.weight.copy_(theirs.wte.weight)
    ours.positions.weight.copy_(theirs.wpe.weight)
    copy(theirs.ln_f, ours.norm)
    for block, own in zip(theirs.h, ours.blocks, strict=True):
        weights, biases = block.attn.c_attn.weight.chunk(3, 1), block.attn.c_attn.bias.chunk(3)
        linear = (own.attention.w_q, own.attention.w_k, own.attention.w_v)
        for layer, weight, bias in zip(linear, weights, biases, strict=True):
            layer.weight.copy_(weight.T)
            layer.bias.copy_(bias)
        for conv, layer in (
            (block.attn.c_proj, own.attention.w_o),
            (block.mlp.c_fc, own.feed_forward.w_1),
            (block.mlp.c_proj, own.feed_forward.w_2),
        ):
            layer.weight.copy_(conv.weight.T)
            layer.bias.copy_(conv.bias)
        copy(block.ln_1, own.attention_residual.norm)
        copy(block.ln_2, own.feed_forward_residual.norm)


def copy(norm, own):
    own.weight.copy_(norm.weight)
    own.bias.copy_(norm.bias)


@pytest.mark.parametrize("positions", POSITIONS)
@torch.no_grad()
def test_no_position_reads_a_later_one(positions):
    model, ids = made(positions), tokens(2, 9)
    other = ids.clone()
    other[:, 5:] = 1
    torch.testing.assert_close(model(ids)[:, :5], model(other)[:, :5])
    assert not torch.allclose(model(ids)[:, 5:], model(other)[:, 5:])


@pytest.mark.parametrize("positions", POSITIONS)
@torch.no_grad()
def test_the_cache_changes_nothing(positions):
    model, ids = made(positions), tokens(2, 9)
    cache = [KeysAndValues() for _ in model.blocks]
    parts = [model(ids[:, :n], cache) for n in (4, 5, 9)]
    torch.testing.assert_close(torch.cat(parts, 1), model(ids), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("positions", POSITIONS)
@torch.no_grad()
def test_padding_before_or_after_a_text_changes_nothing(positions):
    model, ids = made(positions), tokens(1, 6)
    nothing = torch.zeros(1, 3, dtype=torch.long)
    left, right = torch.cat([nothing, ids], 1), torch.cat([ids, nothing], 1)
    torch.testing.assert_close(model(left)[:, 3:], model(ids), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(model(right)[:, :6], model(ids), atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_order_counts_with_positions_and_only_with_them():
    """Without them the last logits are those of a bag of words, in one layer."""
    ids = tokens(1, 6)
    swapped = ids[:, [1, 0, 2, 3, 4, 5]]
    for positions in POSITIONS:
        model = made(positions, n_layers=1)
        same = torch.allclose(model(ids)[:, -1], model(swapped)[:, -1], atol=1e-5)
        assert same == (positions == "none"), positions


@pytest.mark.parametrize("positions", POSITIONS[:4])
@torch.no_grad()
def test_another_scheme_by_name_is_that_of_the_constructor(positions):
    wanted, ids = made(positions), tokens(2, 9)
    other = with_positions(made("learned" if positions != "learned" else "none"), positions, 24)
    other.load_state_dict(wanted.state_dict())
    torch.testing.assert_close(other(ids), wanted(ids))
    scaled = LanguageModel(19, **SIZES, positions=positions, position_scale=0.5).eval()
    scaled.load_state_dict(wanted.state_dict())
    assert torch.equal(scaled(ids), wanted(ids)) == (positions != "sinusoidal")
    with pytest.raises(ValueError, match="'T5': choose one of sinusoidal, learned, relative"):
        with_positions(wanted, "T5")


def test_rotated_products_depend_on_the_distance_alone():
    query, key = torch.randn(2, 1, 1, 1, 8, generator=torch.Generator().manual_seed(0))
    products = [
        (rotate(query, torch.tensor([[a]])) * rotate(key, torch.tensor([[b]]))).sum()
        for a, b in ((3, 1), (13, 11), (103, 101))
    ]
    torch.testing.assert_close(products[0], products[1], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(products[0], products[2], atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(rotate(query, torch.tensor([[0]])), query)
    with pytest.raises(ValueError, match="7 features a head: give an even number"):
        rotate(torch.zeros(1, 1, 1, 7), torch.tensor([[0]]))


def test_what_is_beyond_the_learned_positions_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="25 tokens, but positions were learned for 24: give"):
        made()(tokens(1, 25))
    for positions in ("sinusoidal", "rotary"):
        assert made(positions)(tokens(1, 25)).shape == (1, 25, 19)
    with pytest.raises(ValueError, match="'relative': choose one of learned, sinusoidal, rot"):
        LanguageModel(19, **SIZES, positions="relative")


@pytest.mark.parametrize("positions", POSITIONS)
def test_texts_of_a_batch_are_those_that_each_prompt_gets_alone(positions):
    model = made(positions)
    prompts = [[3], [5, 4, 7, 2], [9, 9]]
    together = generate(model, prompts, 8, temperature=0)
    assert together == [generate(model, [one], 8, temperature=0)[0] for one in prompts]
    assert [len(one) for one in together] == [8, 8, 8]


def test_a_text_is_what_the_model_finds_most_likely_token_by_token():
    model, text = made(), [4, 7]
    [written] = generate(model, [text], 5, temperature=0)
    for token in written:
        assert int(model(torch.tensor([text]))[0, -1].argmax()) == token
        text = [*text, token]
    assert generate(model, [[4, 7]], 5, top_k=1) == [written]


def test_a_text_ends_before_the_end_token_and_the_others_go_on():
    model = made()
    prompts = [[3], [5, 4, 7, 2], [9, 9]]
    free = generate(model, prompts, 8, temperature=0)
    end = free[0][2]
    cut = [one[: one.index(end)] if end in one else one for one in free]
    assert generate(model, prompts, 8, temperature=0, end=end) == cut
    assert generate(model, [[3]], 0) == [[]]


def test_a_draw_can_be_repeated_and_follows_the_distribution():
    model = made()

    def drawn(seed, **how):
        generator = torch.Generator().manual_seed(seed)
        return generate(model, [[3]] * 400, 1, generator=generator, **how)

    assert drawn(0) == drawn(0) != drawn(1)
    likely = torch.softmax(model(torch.tensor([[3]]))[0, -1], -1)
    counts = torch.bincount(torch.tensor(drawn(0))[:, 0], minlength=19) / 400
    assert (counts - likely).abs().max() < 0.15
    assert len({token for [token] in drawn(0, top_k=2)}) <= 2


@pytest.mark.parametrize("prompts", [[], [[]], [[1], []]])
def test_an_empty_prompt_is_refused(prompts):
    with pytest.raises(ValueError, match="a prompt is empty: give at least one token"):
        generate(made(), prompts, 3)
