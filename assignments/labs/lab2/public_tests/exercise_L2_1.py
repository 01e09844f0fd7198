"""The visible checks of exercise L2.1: hide words."""

import numpy as np
import torch

from grader.checking.question import question, refusal

SPECIAL, MASK, VOCAB = 5, 4, 45  # ids below 5 are special tokens, 4 is [MASK]
WORDS = torch.from_numpy(np.random.RandomState(1).randint(SPECIAL, VOCAB, size=(200, 60)))
READ = "Devlin et al. 2019, section 3.1"
SHARES = "0.8, 0.1 and 0.1 of the chosen ones: compare one draw with 0.8 and 0.9 · share"


def _masked(its, share, token_ids=WORDS):
    generator = its.make("torch.Generator().manual_seed(1)")
    called = its.call(its.mask_tokens, token_ids, VOCAB, generator, share)
    inputs, targets = called.value
    return inputs, targets, called.changed


@question("L2.1", weight=2, atol=0.03, advice="choose words, ask for them as they were", read=READ)
def test_what_is_asked(its):
    """A share of the words is asked for; the target of each is what stood there."""
    inputs, targets, changed = _masked(its, 0.15)
    asked = targets != -100
    return {
        "share of words that are asked for": asked.float().mean(),
        "targets are the chosen words": torch.equal(targets[asked], WORDS[asked]),
        "other inputs are the words": torch.equal(inputs[~asked], WORDS[~asked]),
        "arguments that it changed": changed,
    }


@question("L2.1", weight=2, atol=0.04, advice=SHARES, read=READ)
def test_80_10_10(its):
    """Of the chosen words, 80 % become [MASK], 10 % a random word, 10 % stay."""
    inputs, targets, _ = _masked(its, 0.5)
    read, wanted = inputs[targets != -100], WORDS[targets != -100]
    hidden, same = read == MASK, read == wanted
    return {
        "share of [MASK]": hidden.float().mean(),
        "share of the same word": same.float().mean(),
        "other words are ordinary ones": bool((read[~hidden] >= SPECIAL).all()),
    }


@question("L2.1", beside=["test_what_is_asked"], advice="choose ids from 5 on", read=READ)
def test_special(its):
    """Special tokens and padding are never chosen."""
    texts = WORDS.clone()
    texts[:, 0], texts[:, -1], texts[100:, 40:] = 2, 3, 0
    inputs, targets, _ = _masked(its, 0.5, texts)
    special = texts < SPECIAL
    return {
        "special tokens asked for": int((targets[special] != -100).sum()),
        "special tokens stay": torch.equal(inputs[special], texts[special]),
    }


@question("L2.1", beside=["test_what_is_asked"], advice="draw from `generator`", read=READ)
def test_draws(its):
    """What is hidden depends on the generator alone; a share outside (0, 1) is refused."""
    same = torch.equal(_masked(its, 0.15)[1], _masked(its, 0.15)[1])
    refused = {f"share = {share}": refusal(lambda: _masked(its, share)) for share in (0.0, 1.0)}  # noqa: B023
    return {"the same gaps with the same seed": same} | refused
