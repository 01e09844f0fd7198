"""Hiding words for a masked language model: how many, which, and what stands in their place."""

import pytest
import torch

from course_lib.data.batching import TokenBuckets
from course_lib.data.masking import IGNORED, MaskedBatches, mask_tokens
from course_lib.data.tokenization import SPECIAL, TextTokenizer

VOCAB = 1000


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def texts(rows=400, n=100):
    """[CLS] … [SEP] … [SEP], padded to different lengths, with an [UNK] in each."""
    ids = torch.randint(len(SPECIAL), VOCAB, (rows, n), generator=generator(1))
    ids[:, 0], ids[:, 5], ids[:, 7] = TextTokenizer.CLS, TextTokenizer.SEP, TextTokenizer.UNK
    for row, length in enumerate(torch.randint(20, n, (rows,), generator=generator(2)).tolist()):
        ids[row, length - 1] = TextTokenizer.SEP
        ids[row, length:] = TextTokenizer.PAD
    return ids


@pytest.mark.parametrize("share", [0.15, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_a_share_of_the_words_is_chosen_and_of_these_80_10_10(seed, share):
    ids = texts()
    inputs, targets = mask_tokens(ids, VOCAB, generator(seed), share)
    words, chosen = ids >= len(SPECIAL), targets != IGNORED
    assert float(chosen[words].float().mean()) == pytest.approx(share, abs=0.03)
    hidden = (inputs == TextTokenizer.MASK)[chosen].float().mean()
    kept = (inputs == ids)[chosen].float().mean()
    assert float(hidden) == pytest.approx(0.8, abs=0.05)
    assert float(kept) == pytest.approx(0.1, abs=0.04)
    assert float(1 - hidden - kept) == pytest.approx(0.1, abs=0.04)
    replaced = inputs[chosen & (inputs != ids) & (inputs != TextTokenizer.MASK)]
    assert replaced.min() >= len(SPECIAL)
    assert replaced.max() < VOCAB
    assert len(replaced.unique()) > len(replaced) / 3  # any word, not one


def test_special_tokens_are_never_chosen_and_what_is_not_chosen_stays():
    ids = texts()
    before = ids.clone()
    inputs, targets = mask_tokens(ids, VOCAB, generator(), share=0.9)
    assert torch.equal(ids, before)
    chosen = targets != IGNORED
    assert not chosen[ids < len(SPECIAL)].any()
    assert torch.equal(targets[chosen], ids[chosen])
    assert torch.equal(inputs[~chosen], ids[~chosen])


def test_a_mask_can_be_drawn_again():
    ids = texts(rows=20)

    def drawn(seed):
        return torch.cat(mask_tokens(ids, VOCAB, generator(seed)))

    assert torch.equal(drawn(0), drawn(0))
    assert not torch.equal(drawn(0), drawn(1))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="more than 0 and less than 1"):
        mask_tokens(texts(2), VOCAB, generator(), share)


def test_every_epoch_hides_other_words_and_can_be_repeated():
    sequences = [[2, *range(5, 5 + n), 3] for n in range(5, 40)]
    batches = MaskedBatches(TokenBuckets(sequences, range(35), max_tokens=200), VOCAB, seed=3)

    def drawn(epoch):
        batches.set_epoch(epoch)
        return sorted(row.tolist() for _, targets in batches for row in targets)

    first = drawn(0)
    assert len(first) == len(sequences)
    assert drawn(1) != first == drawn(0)


def test_what_is_no_label_stays_with_its_texts():
    class Pairs:
        def set_epoch(self, epoch):
            """The same in every epoch."""

        def __iter__(self):
            yield torch.tensor([[2, 9, 3]]), torch.tensor([[0, 0, 0]]), torch.tensor([1])

    [(_, _, segments, unrelated)] = MaskedBatches(Pairs(), VOCAB)
    assert segments.tolist() == [[0, 0, 0]]
    assert unrelated.tolist() == [1]
