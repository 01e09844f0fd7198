"""Batches of sentences and of pairs: each once per epoch, little padding, a fixed order."""

import random

import numpy as np
import pytest
import torch
from data_world import MIRROR, needs_mirror

from course_lib.data.batching import TokenBuckets, batches_in_order, pad, padding_waste
from course_lib.data.datasets import load
from course_lib.data.grammar.reviews import reviews, sentences
from course_lib.data.grammar.sentence_pairs import draw_pair
from course_lib.data.pair_batching import END, START, PairBatch, PairBuckets
from course_lib.data.tokenization import TextTokenizer


def drawn(n=500, seed=0, longest=60):
    """Sequences of no pad id; the first token of each is its number, 1 and up."""
    lengths = np.random.default_rng(seed).integers(1, longest, size=n).tolist()
    return [[i + 1] + [7] * (length - 1) for i, length in enumerate(lengths)]


def test_padding_goes_to_the_right():
    token_ids = pad([[5, 6, 7], [8], []], pad_id=9)
    assert token_ids.tolist() == [[5, 6, 7], [8, 9, 9], [9, 9, 9]]
    assert token_ids.dtype == torch.long
    assert pad([]).shape == (0, 0)


def test_every_sentence_comes_once_with_its_label():
    sequences = drawn()
    buckets = TokenBuckets(sequences, [i % 2 for i in range(500)], max_tokens=256)
    seen = []
    for token_ids, labels in buckets:
        assert labels.tolist() == [(first - 1) % 2 for first in token_ids[:, 0].tolist()]
        for row in token_ids.tolist():
            assert [i for i in row if i] == sequences[row[0] - 1]
            seen.append(row[0])
    assert sorted(seen) == list(range(1, 501))


def buckets_of(kind, **how):
    sequences = drawn()
    pairs = [[100, *row, 7] for row in sequences]
    return kind(sequences, pairs if kind is PairBuckets else [0] * 500, **how)


KINDS = pytest.mark.parametrize("kind", [TokenBuckets, PairBuckets])


@KINDS
def test_no_batch_has_more_tokens_than_allowed(kind):
    buckets = buckets_of(kind, max_tokens=256)
    sizes = [max(tensor.numel() for tensor in batch) for batch in buckets]
    assert len(sizes) == len(buckets)
    assert max(sizes) <= 256


def test_a_sentence_that_is_too_long_is_a_batch_of_its_own():
    buckets = TokenBuckets([[1] * 300, [2], [3]], [0, 1, 1], max_tokens=100)
    assert sorted(tuple(batch.token_ids.shape) for batch in buckets) == [(1, 300), (2, 1)]


@KINDS
def test_the_order_is_that_of_seed_and_epoch(kind):
    def order(seed, epoch):
        buckets = buckets_of(kind, max_tokens=256, seed=seed)
        buckets.set_epoch(epoch)
        return [batch[0][:, 0].tolist() for batch in buckets]

    assert order(0, 0) == order(0, 0)
    assert order(0, 0) != order(0, 1)
    assert order(0, 0) != order(1, 0)
    assert sorted(map(sorted, order(0, 0))) != sorted(map(sorted, order(0, 1)))
    assert len(order(0, 0)) == len(order(0, 5)) == len(order(1, 0))


def test_the_global_generators_are_left_alone():
    np.random.seed(3)
    torch.manual_seed(3)
    list(TokenBuckets(drawn(), [0] * 500))
    after = np.random.rand(), torch.rand(1).item()
    np.random.seed(3)
    torch.manual_seed(3)
    assert after == (np.random.rand(), torch.rand(1).item())


def test_the_waste_reported_is_the_waste_there_is():
    buckets = TokenBuckets(drawn(seed=4), [0] * 500, max_tokens=300)
    counted = padding_waste(batch.token_ids for batch in buckets)
    assert buckets.waste == pytest.approx(counted)
    assert padding_waste([pad([[1, 1, 1, 1], [1]])]) == pytest.approx(3 / 8)
    assert padding_waste([]) == 0


def test_batches_for_prediction_say_where_results_belong():
    sequences = drawn()
    answers = torch.zeros(500, dtype=torch.long)
    for indices, token_ids in batches_in_order(sequences, max_tokens=256):
        assert token_ids.numel() <= 256
        answers[indices] = token_ids[:, 0]
    assert answers.tolist() == list(range(1, 501))


@KINDS
def test_of_nothing_there_are_no_batches(kind):
    assert (list(kind([], [])), len(kind([], [])), kind([], []).waste) == ([], 0, 0.0)
    assert list(batches_in_order([])) == []


@pytest.mark.parametrize(
    ("kind", "sequences", "others", "told"),
    [
        (TokenBuckets, [[1], [2]], [0], "2 sequences have 1 labels"),
        (TokenBuckets, [[1], []], [0, 0], "sequence 1 has no tokens"),
        (TokenBuckets, [[1], [2]], [0, -1], "sentence 1 has the label -1: .* use another split"),
        (PairBuckets, [[5], [6]], [[5]], "2 sources have 1 targets"),
        (PairBuckets, [[5], [6]], [[5], []], "target 1 has no tokens"),
        (PairBuckets, [[]], [[5]], "source 0 has no tokens"),
        (PairBuckets, [[5]], [[START, 5]], "target 0 already begins with START"),
        (PairBuckets, [[5], [6]], [[5], [5, END]], "target 1 already ends with END"),
    ],
)
def test_mistakes_are_told_in_one_sentence(kind, sequences, others, told):
    with pytest.raises(ValueError, match=told):
        kind(sequences, others)


@pytest.mark.parametrize(("corpus", "max_tokens"), [(sentences, 2048), (reviews, 8192)])
def test_hardly_any_padding_on_the_generated_corpora(corpus, max_tokens):
    texts, labels = zip(*corpus()["train"], strict=True)
    sequences = TextTokenizer.train(texts).encode(texts)
    plain = padding_waste(pad(sequences[i : i + 32]) for i in range(0, len(sequences), 32))
    waste = TokenBuckets(sequences, labels, max_tokens).waste
    assert waste < 0.10 < plain


@needs_mirror
def test_under_ten_percent_of_padding_on_sst2(monkeypatch):
    monkeypatch.setenv("COURSE_DATA", str(MIRROR))
    data = load("sst2", ["mirror"])
    texts = list(data["train"]["sentence"])
    tokenizer = TextTokenizer.train(texts)
    for split in data.splits:
        sequences = tokenizer.encode(list(data[split]["sentence"]))
        assert TokenBuckets(sequences, data[split]["label"]).waste < 0.10, split
    in_order = (token_ids for _, token_ids in batches_in_order(sequences))
    assert padding_waste(in_order) < 0.10, split


# Batches of sentence pairs: every pair once, within the limit, the same order for a seed.


@pytest.fixture(scope="module")
def ids():
    generator = random.Random(0)
    rows = [draw_pair(generator) for _ in range(1000)]
    texts = [text for english, french, _ in rows for text in (english, french)]
    tokenizer = TextTokenizer.train(texts, "bpe", 600, lowercase=False, reversible=True)
    return tokenizer.encode([r[0] for r in rows]), tokenizer.encode([r[1] for r in rows])


def rows_of(batches):
    """All pairs of an epoch without their padding, in order."""
    return [
        (tuple(s[s != 0].tolist()), tuple(t[t != 0].tolist()))
        for batch in batches
        for s, t in zip(batch.source_ids, batch.target_ids, strict=True)
    ]


def test_every_pair_comes_once_and_stays_together(ids):
    wanted = sorted((tuple(s), (START, *t, END)) for s, t in zip(*ids, strict=True))
    buckets = PairBuckets(*ids, max_tokens=512)
    assert sorted(rows_of(buckets)) == wanted
    assert len(list(buckets)) == len(buckets)


def test_a_batch_is_two_tensors_of_token_ids(ids):
    batch = next(iter(PairBuckets(*ids)))
    assert isinstance(batch, PairBatch)
    assert {t.dtype for t in batch} == {torch.long}
    assert (batch.target_ids[:, 0] == START).all()
    assert (batch.target_ids == END).sum(1).tolist() == [1] * len(batch.target_ids)
    assert len(batch.source_ids) == len(batch.target_ids)


def test_hardly_anything_is_padding(ids):
    buckets = PairBuckets(*ids, max_tokens=1024)
    padding = sum(int((t == 0).sum()) for batch in buckets for t in batch)
    computed = sum(t.numel() for batch in buckets for t in batch)
    assert buckets.waste == pytest.approx(padding / computed)
    assert buckets.waste < 0.15


def test_a_pair_that_is_too_long_comes_alone():
    buckets = PairBuckets([[5] * 9, [6], [7]], [[5] * 2, [6], [7]], max_tokens=6)
    assert sorted(len(batch.source_ids) for batch in buckets) == [1, 2]
    one_token = PairBuckets([[5]] * 3, [[6]] * 3, max_tokens=1)
    assert len(one_token) == 3
