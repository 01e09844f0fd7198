"""The caches give the same probabilities as reading whole prefixes; whatever happens to rows."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from no_shape_checks import no_shape_checks

from course_lib.decoding.cache import cached_step, encoded, start_cache, uncached_step
from course_lib.decoding.search import beam_search, greedy
from course_lib.fast.cached_decoder import SENTENCES, FastDecoder
from course_lib.fast.projections import ROWS
from course_lib.fast.top_k import best
from course_lib.transformer import Transformer

SOURCE = torch.tensor([[5, 6, 7, 8, 9], [10, 11, 0, 0, 0], [12, 5, 7, 3, 0]])


def transformer(norm_first=False, seed=0, vocab_size=40):
    torch.manual_seed(seed)
    model = Transformer(
        vocab_size, n_layers=2, d_model=16, n_heads=4, d_ff=32, norm_first=norm_first
    )
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 1:  # gains and offsets that are not 1 and 0
                parameter.add_(0.3 * torch.randn(parameter.shape))
        model.embedding.tokens.weight[0] = 0.0
    return model.eval()


def forms(model):
    """(start, step) of each way to decode; the first is without a cache."""
    fast = FastDecoder(model)
    return {
        "uncached": (lambda source_ids: encoded(model, source_ids), uncached_step(model)),
        "cached": (lambda source_ids: start_cache(model, source_ids), cached_step(model)),
        "fast": (fast.start, fast.step),
    }


@st.composite
def histories(draw):
    """What a search may do to three sentences: a width, and at each step who goes on from whom."""
    width, n_steps = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    sentences, beams, steps = 3, 1, []
    for _ in range(n_steps):
        left = draw(st.permutations(range(sentences)))[: draw(st.integers(1, sentences))]
        parents = [[draw(st.integers(0, beams - 1)) for _ in range(width)] for _ in left]
        rows = [i * beams + p for i, ps in zip(left, parents, strict=True) for p in ps]
        tokens = [draw(st.integers(0, 39)) for _ in rows]  # padding too
        steps.append((rows, tokens))
        sentences, beams = len(left), width
    return steps


@settings(max_examples=60)
@given(histories(), st.booleans(), st.sampled_from(["cached", "fast"]))
def test_probabilities_are_those_of_whole_prefixes_after_every_reordering(steps, norm_first, name):
    with no_shape_checks():
        same_after_every_step(transformer(norm_first), steps, name)


def same_after_every_step(model, steps, name):
    states, stepping = {}, {}
    for form, (start, step) in forms(model).items():
        states[form], stepping[form] = start(SOURCE), step
    prefixes = torch.full((3, 1), 2)
    for rows, tokens in steps:
        wanted, states["uncached"] = stepping["uncached"](prefixes, states["uncached"])
        found, states[name] = stepping[name](prefixes, states[name])
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)
        prefixes = torch.cat([prefixes[rows], torch.tensor(tokens)[:, None]], dim=1)
        for form in ("uncached", name):
            states[form] = states[form].reorder(torch.tensor(rows))


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("name", ["cached", "fast"])
def test_searches_find_the_same_with_a_cache(norm_first, name):
    model = transformer(norm_first, seed=4)
    for search in (
        lambda step, state: greedy(step, state, 3, 20),
        lambda step, state: beam_search(step, state, 3, 5, 1.0, 20, n_best=3),
    ):
        found = []
        for form in ("uncached", name):
            start, step = forms(model)[form]
            found.append(search(step, start(SOURCE)))
        flat = [[h for hs in one for h in (hs if isinstance(hs, list) else [hs])] for one in found]
        assert [h.tokens for h in flat[0]] == [h.tokens for h in flat[1]]
        assert [h.score for h in flat[0]] == pytest.approx([h.score for h in flat[1]], abs=1e-4)


# What only the fast form has.


def test_the_fast_form_grows_beyond_its_first_capacity_and_the_table_of_positions():
    model = transformer()
    model.embedding.positions = model.embedding.positions[:20]
    fast = FastDecoder(model)
    state, prefixes = fast.start(SOURCE), torch.full((3, 1), 2)
    generator = torch.Generator().manual_seed(0)
    for _ in range(150):
        found, state = fast.step(prefixes, state)
        tokens = torch.randint(1, 40, (len(found), 1), generator=generator)
        prefixes = torch.cat([prefixes, tokens], dim=1)
    wanted, _ = uncached_step(model)(prefixes[:, :-1], encoded(model, SOURCE))
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=0)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_fast_form_finds_the_same_a_few_rows_at_a_time(norm_first):
    model = transformer(norm_first, seed=4)
    source = torch.randint(4, 40, (SENTENCES + 7, 6), generator=torch.Generator().manual_seed(0))
    assert len(source) * 5 > ROWS
    found = []
    for form in ("uncached", "fast"):
        start, step = forms(model)[form]
        lists = beam_search(step, start(source), len(source), 5, 1.0, 20, n_best=3)
        found.append([h for hypotheses in lists for h in hypotheses])
    assert [h.tokens for h in found[0]] == [h.tokens for h in found[1]]
    assert [h.score for h in found[0]] == pytest.approx([h.score for h in found[1]], abs=1e-4)


def test_the_fast_form_wants_as_many_rows_of_every_sentence():
    fast = FastDecoder(transformer())
    _, state = fast.step(torch.full((3, 1), 2), fast.start(SOURCE))
    with pytest.raises(ValueError, match="equally many adjacent rows of each sentence"):
        state.reorder(torch.tensor([0, 0, 1]))


def test_the_fast_form_wants_one_new_token():
    fast = FastDecoder(transformer())
    with pytest.raises(ValueError, match="give one token more than the cache holds"):
        fast.step(torch.full((3, 2), 2), fast.start(SOURCE))


# The k best.


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 9000), st.integers(1, 25), st.booleans())
def test_the_k_best_are_those_of_torch(seed, n, k, minus_infinity):
    values = torch.randn(3, n, generator=torch.Generator().manual_seed(seed))
    if minus_infinity:
        values[:, n // 2 :] = -math.inf
    found, places = best(values, k)
    assert torch.equal(found, values.topk(min(k, n)).values)
    assert torch.equal(values.gather(1, places), found)
    assert all(len(set(row)) == min(k, n) for row in places.tolist())
