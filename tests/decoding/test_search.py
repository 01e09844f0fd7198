"""Search: greedy, beam, sampling; against exhaustive search and a beam written out in lists."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.decoding.sampling import sample, sampling_distribution
from course_lib.decoding.search import (
    Hypothesis,
    beam_search,
    greedy,
    length_penalty_factor,
)
from course_lib.fast.top_k import best

START, END = 2, 3


class Written:
    """A state that knows what each of its rows has written, and of which sentence it is."""

    def __init__(self, sentences, tokens):
        self.sentences, self.tokens = sentences, tokens

    def reorder(self, rows):
        return Written(self.sentences[rows], self.tokens[rows])


class RandomModel:
    """Probabilities drawn anew for each prefix of each sentence.

    It fails when it is given a state that is not of its rows. `sharpness` spreads the
    probabilities; with `holes` some tokens have none.
    """

    def __init__(self, vocab_size, seed, sharpness=2.0, holes=False):
        self.vocab_size, self.seed = vocab_size, seed
        self.sharpness, self.holes = sharpness, holes
        self.known, self.calls = {}, 0

    def start(self, n_sentences):
        return Written(torch.arange(n_sentences), torch.empty(n_sentences, 0, dtype=torch.long))

    def next(self, sentence, prefix):
        key = (sentence, *prefix)
        if key not in self.known:
            generator = torch.Generator().manual_seed(hash((self.seed, *key)) % 2**31)
            logits = self.sharpness * torch.randn(self.vocab_size, generator=generator)
            if self.holes:
                logits[torch.rand(self.vocab_size, generator=generator) < 0.3] = -math.inf
                logits[int(generator.initial_seed()) % self.vocab_size] = 0.0
            self.known[key] = torch.log_softmax(logits, 0)
        return self.known[key]

    def step(self, prefixes, state):
        self.calls += 1
        assert torch.equal(state.tokens, prefixes[:, :-1]), "the state is not of these rows"
        rows = zip(state.sentences.tolist(), prefixes.tolist(), strict=True)
        found = torch.stack([self.next(s, prefix) for s, prefix in rows])
        return found, Written(state.sentences, prefixes)


def exhaustive(model, sentence, max_length, alpha):
    """Every hypothesis that ends, the best first; and every one that is cut off."""
    ended, cut = [], []
    others = [t for t in range(model.vocab_size) if t != END]
    for length in range(max_length + 1):
        for tokens in itertools.product(others, repeat=length):
            score = 0.0
            for n, token in enumerate((*tokens, END)[:max_length]):
                score += float(model.next(sentence, [START, *tokens[:n]])[token])
            if score > -math.inf:
                kind = ended if length < max_length else cut
                score /= length_penalty_factor(length, alpha)
                kind.append(Hypothesis(list(tokens), score, length < max_length))
    return [sorted(kind, key=lambda h: -h.score) for kind in (ended, cut)]


def beam_by_lists(model, sentence, width, alpha, max_length, n_best):
    """The definition of `beam_search` without early stopping, one sentence, plain lists."""
    beams, ended = [([START], 0.0)], []
    for length in range(max_length):
        every = [
            (total, prefix, token)
            for prefix, score in beams
            for token, p in enumerate(model.next(sentence, prefix).tolist())
            if (total := score + p) > -math.inf
        ]
        every.sort(key=lambda c: -c[0])
        for total, prefix, token in every[:width]:
            if token == END:
                factor = length_penalty_factor(length, alpha)
                ended.append(Hypothesis(prefix[1:], total / factor, True))
        beams = [([*p, t], s) for s, p, t in every if t != END][:width]
        if len(ended) >= width or not beams:
            return sorted(ended, key=lambda h: -h.score)[:n_best]
    factor = length_penalty_factor(max_length, alpha)
    cut = [Hypothesis(prefix[1:], score / factor, False) for prefix, score in beams]
    return (sorted(ended, key=lambda h: -h.score) + cut)[:n_best]


def assert_same(found, wanted):
    assert [(h.tokens, h.finished) for h in found] == [(h.tokens, h.finished) for h in wanted]
    assert [h.score for h in found] == pytest.approx([h.score for h in wanted], abs=1e-4)


models = st.builds(
    RandomModel,
    vocab_size=st.integers(4, 6),
    seed=st.integers(0, 10**6),
    sharpness=st.sampled_from([0.3, 1.0, 3.0]),
    holes=st.booleans(),
)
alphas = st.sampled_from([0.0, 0.6, 1.0, 2.0])


# Beam search.


@settings(max_examples=60)
@given(models, alphas, st.integers(1, 3), st.integers(1, 4))
def test_a_width_that_covers_every_prefix_is_exhaustive_search(model, alpha, max_length, n_best):
    width = 5**max_length * 6
    found = beam_search(model.step, model.start(2), 2, width, alpha, max_length, n_best)
    for sentence in range(2):
        ended, cut = exhaustive(model, sentence, max_length, alpha)
        assert_same(found[sentence], (ended + cut)[:n_best])


@settings(max_examples=100)
@given(models, alphas, st.integers(1, 5), st.integers(1, 9), st.integers(1, 5), st.integers(1, 4))
def test_stopping_early_and_batches_change_nothing(model, alpha, width, longest, n_best, n):
    n_best = min(width, n_best)
    found = beam_search(model.step, model.start(n), n, width, alpha, longest, n_best)
    for sentence in range(n):
        assert_same(found[sentence], beam_by_lists(model, sentence, width, alpha, longest, n_best))


@settings(max_examples=60)
@given(models, alphas, st.integers(1, 8))
def test_width_one_is_greedy(model, alpha, max_length):
    found = beam_search(model.step, model.start(3), 3, 1, alpha, max_length)
    wanted = greedy(model.step, model.start(3), 3, max_length)
    for (one,), other in zip(found, wanted, strict=True):
        assert (one.tokens, one.finished) == (other.tokens, other.finished)
        factor = length_penalty_factor(len(one.tokens), alpha)
        assert one.score * factor == pytest.approx(other.score, abs=1e-4)


@settings(max_examples=30)
@given(models, st.integers(1, 6), st.integers(2, 7))
def test_no_hypothesis_beats_exhaustive_search_and_scores_are_true(model, width, max_length):
    (found,) = beam_search(model.step, model.start(1), 1, width, 0.6, max_length, width)
    assert [h.score for h in found if h.finished] == sorted(
        (h.score for h in found if h.finished), reverse=True
    )
    for hypothesis in found:
        assert END not in hypothesis.tokens
        tokens = [*hypothesis.tokens, END] if hypothesis.finished else hypothesis.tokens
        score = sum(
            float(model.next(0, [START, *tokens[:n]])[token]) for n, token in enumerate(tokens)
        )
        factor = length_penalty_factor(len(hypothesis.tokens), 0.6)
        assert hypothesis.score == pytest.approx(score / factor, abs=1e-4)
    assert len({tuple(h.tokens) for h in found}) == len(found)


def table(rows):
    """A step whose probabilities depend on how many tokens are written, and on the last of them."""

    def step(prefixes, state):
        row = rows[prefixes.shape[1] - 1]
        known = [row.get(token, [1 / 6] * 6) for token in prefixes[:, -1].tolist()]
        return torch.tensor(known).log(), None

    return step


# Token 4 looks best and leads nowhere; token 5 is worse at first. Rows: by step, by last token.
GARDEN_PATH = [
    {START: [0, 0, 0, 0, 0.6, 0.4]},
    {4: [0.25, 0.25, 0, 0.25, 0.25, 0], 5: [0.05, 0, 0, 0.95, 0, 0]},
    {0: [0, 0, 0, 1.0, 0, 0], 1: [0, 0, 0, 1.0, 0, 0], 4: [0, 0, 0, 1.0, 0, 0]},
]


def test_a_beam_of_two_leaves_the_garden_path_that_greedy_takes():
    step = table(GARDEN_PATH)
    (path,) = greedy(step, None, 1, 3)
    assert path.tokens[0] == 4
    assert path.score == pytest.approx(math.log(0.15))
    ((found,),) = beam_search(step, None, 1, 2, 0.0, 3)
    assert found.tokens == [5]
    assert found.score == pytest.approx(math.log(0.38))


def test_the_length_penalty_of_wu_by_hand():
    assert length_penalty_factor(1, 0.6) == 1.0
    assert length_penalty_factor(7, 1.0) == 2.0
    assert length_penalty_factor(19, 0.5) == 2.0
    assert length_penalty_factor(9, 0.0) == 1.0


def test_a_length_penalty_prefers_the_longer_of_two():
    # "4 END" has probability 0.3, "5 5 END" 0.28.
    rows = [
        {START: [0, 0, 0, 0, 0.5, 0.5]},
        {4: [0.4, 0, 0, 0.6, 0, 0], 5: [0, 0, 0, 0.02, 0, 0.98]},
        {0: [0, 1.0, 0, 0, 0, 0], 5: [0.43, 0, 0, 0.57, 0, 0]},
        {0: [0, 1.0, 0, 0, 0, 0], 1: [0, 1.0, 0, 0, 0, 0]},
    ]
    tokens = {
        alpha: beam_search(table(rows), None, 1, 4, alpha, 4)[0][0].tokens for alpha in (0.0, 1.0)
    }
    assert tokens == {0.0: [4], 1.0: [5, 5]}


def test_a_search_whose_result_is_certain_asks_no_more():
    rows = [
        {START: [0, 0, 0, 0.9, 0.05, 0.05]},
        {token: [0.2, 0.2, 0, 0, 0.3, 0.3] for token in range(6)},
    ]
    calls = []

    def step(prefixes, state):
        calls.append(prefixes.shape)
        return table(rows * 10)(prefixes, state)

    ((found,),) = beam_search(step, None, 1, 4, 1.0, 10)
    assert (found.tokens, found.finished) == ([], True)
    assert found.score == pytest.approx(math.log(0.9) / (5 / 6))
    assert calls == [(1, 1)]


def test_sentences_that_are_done_are_read_no_more():
    model, shapes = RandomModel(6, 3, sharpness=4.0), []

    def step(prefixes, state):
        shapes.append(len(state.sentences.unique()))
        return model.step(prefixes, state)

    beam_search(step, model.start(12), 12, 2, 0.6, 8)
    assert shapes == sorted(shapes, reverse=True)
    assert shapes[-1] < shapes[0] == 12


@pytest.mark.parametrize("change", [{"width": 2, "n_best": 3}, {"n_best": 0}])
def test_a_list_longer_than_the_beam_is_refused(change):
    with pytest.raises(ValueError, match="1 ≤ n_best ≤ width"):
        beam_search(RandomModel(5, 0).step, None, 1, **change)


def test_a_negative_length_penalty_is_refused():
    with pytest.raises(ValueError, match="length_penalty of 0 or more"):
        beam_search(RandomModel(5, 0).step, None, 1, length_penalty=-1.0)


# Sampling.


@settings(max_examples=60)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.2, 1.0, 3.0]),
    st.none() | st.integers(1, 9),
    st.none() | st.floats(0.01, 1.0),
)
def test_narrowed_probabilities_by_their_definition(seed, temperature, top_k, top_p):
    logits = torch.randn(3, 8, generator=torch.Generator().manual_seed(seed))
    found = sampling_distribution(logits.log_softmax(-1), temperature, top_k, top_p)
    for row, own in zip(torch.softmax(logits / temperature, -1), found, strict=True):
        order = row.argsort(descending=True).tolist()[:top_k]
        total = float(row[order].sum())
        kept, reached = [], 0.0
        for token in order:
            if top_p is not None and reached >= top_p - 1e-6 and kept:
                break
            kept.append(token)
            reached += float(row[token]) / total
        wanted = torch.zeros(8).index_put((torch.tensor(kept),), row[kept] / row[kept].sum())
        torch.testing.assert_close(own, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "change", [{"temperature": 0.0}, {"top_k": 0}, {"top_p": 0.0}, {"top_p": 1.5}]
)
def test_what_cannot_be_drawn_from_is_refused(change):
    with pytest.raises(ValueError, match=f"{next(iter(change))} = "):
        sampling_distribution(torch.zeros(1, 4).log_softmax(-1), **change)


def test_samples_are_as_frequent_as_they_are_likely():
    model = RandomModel(5, 1, sharpness=0.7)
    n = 4000
    same = Written(torch.zeros(n, dtype=torch.long), torch.empty(n, 0, dtype=torch.long))
    drawn = sample(model.step, same, n, 2, generator=torch.Generator().manual_seed(0))
    for hypothesis in exhaustive(model, 0, 2, 0.0)[0]:
        p = math.exp(hypothesis.score)
        times = sum(h.tokens == hypothesis.tokens and h.finished for h in drawn)
        assert abs(times / n - p) < 5 * math.sqrt(p * (1 - p) / n)


def test_a_seed_decides_a_sample_and_one_token_is_greedy():
    model = RandomModel(6, 5, sharpness=0.5)

    def draw(seed, **how):
        generator = torch.Generator().manual_seed(seed)
        return sample(model.step, model.start(6), 6, 6, generator=generator, **how)

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    assert draw(1, top_k=1) == greedy(model.step, model.start(6), 6, 6)
    assert draw(1, top_p=1e-9) == draw(2, temperature=1e-4)


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
