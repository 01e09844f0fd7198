"""The visible checks of exercise L2.1: hide words."""

import numpy as np
import torch

from grader.checking.question import question, refusal

SPECIAL, MASK, VOCAB = 5, 4, 45  # ids below 5 are special tokens, 4 is [MASK]
TEXTS = torch.from_numpy(np.random.RandomState(1).randint(SPECIAL, VOCAB, size=(200, 60)))
TEXTS[:, 0], TEXTS[:, -1], TEXTS[100:, 40:] = 2, 3, 0
WORDS = TEXTS >= SPECIAL
READ = "Devlin et al. 2019, section 3.1"
SHARES = "0.8, 0.1 and 0.1 of the chosen ones: compare one draw with 0.8 and 0.9 · share"


def _masked(its, share):
    generator = its.make("torch.Generator().manual_seed(1)")
    return its.call(its.mask_tokens, TEXTS, VOCAB, generator, share)


@question("L2.1", atol=0.03, advice="choose ids from 5 on, by `generator`", read=READ)
def test_what_is_asked(its):
    """A share of the words is asked for, no special tokens; the target is what stood there."""
    called = _masked(its, 0.15)
    inputs, targets = called.value
    asked = targets != -100
    refused = {f"share = {share}": refusal(lambda: _masked(its, share)) for share in (0.0, 1.0)}  # noqa: B023
    return refused | {
        "share of words that are asked for": asked[WORDS].float().mean(),
        "special tokens asked for": int(asked[~WORDS].sum()),
        "targets are the chosen words": torch.equal(targets[asked], TEXTS[asked]),
        "other inputs are as before": torch.equal(inputs[~asked], TEXTS[~asked]),
        "the same gaps with the same seed": torch.equal(_masked(its, 0.15).value[1], targets),
        "arguments that it changed": called.changed,
    }


@question("L2.1", atol=0.04, advice=SHARES, read=READ)
def test_80_10_10(its):
    """Of the chosen words, 80 % become [MASK], 10 % a random word, 10 % stay."""
    inputs, targets = _masked(its, 0.5).value
    read, wanted = inputs[targets != -100], TEXTS[targets != -100]
    return {
        "share of [MASK]": (read == MASK).float().mean(),
        "share of the same word": (read == wanted).float().mean(),
        "other words are ordinary ones": bool((read[read != MASK] >= SPECIAL).all()),
    }
