"""Batches of sentence pairs: every pair once, within the limit, the same order for a seed."""

import random

import pytest
import torch

from course_lib.data.grammar.sentence_pairs import draw_pair
from course_lib.data.pair_batching import END, START, PairBatch, PairBuckets
from course_lib.data.tokenization import TextTokenizer


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


def test_no_side_of_a_batch_has_more_tokens_than_allowed(ids):
    buckets = PairBuckets(*ids, max_tokens=300)
    assert all(max(t.numel() for t in batch) <= 300 for batch in buckets)


def test_hardly_anything_is_padding(ids):
    buckets = PairBuckets(*ids, max_tokens=1024)
    padding = sum(int((t == 0).sum()) for batch in buckets for t in batch)
    computed = sum(t.numel() for batch in buckets for t in batch)
    assert buckets.waste == pytest.approx(padding / computed)
    assert buckets.waste < 0.15


def test_the_order_depends_on_seed_and_epoch(ids):
    first, again, other = (PairBuckets(*ids, seed=seed) for seed in (1, 1, 2))
    assert rows_of(first) == rows_of(again)
    assert rows_of(first) != rows_of(other)
    again.set_epoch(1)
    assert rows_of(first) != rows_of(again)
    assert len(first) == len(again) == len(other)


def test_a_pair_that_is_too_long_comes_alone():
    buckets = PairBuckets([[5] * 9, [6], [7]], [[5] * 2, [6], [7]], max_tokens=6)
    assert sorted(len(batch.source_ids) for batch in buckets) == [1, 2]
    one_token = PairBuckets([[5]] * 3, [[6]] * 3, max_tokens=1)
    assert len(one_token) == 3


def test_no_pairs_are_no_batches():
    assert list(PairBuckets([], [])) == []
    assert PairBuckets([], []).waste == 0.0


def test_mistakes_are_told_in_one_sentence():
    with pytest.raises(ValueError, match="2 sources have 1 targets"):
        PairBuckets([[5], [6]], [[5]])
    with pytest.raises(ValueError, match="target 1 has no tokens"):
        PairBuckets([[5], [6]], [[5], []])
    with pytest.raises(ValueError, match="source 0 has no tokens"):
        PairBuckets([[]], [[5]])
    with pytest.raises(ValueError, match="target 0 already begins with START"):
        PairBuckets([[5]], [[START, 5]])
