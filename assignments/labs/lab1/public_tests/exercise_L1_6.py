"""The visible checks of exercise L1.6: draw the next token."""

import torch

from grader.checking.question import question

LOGITS = (torch.tensor([0.1, 0.4, 0.2, 0.3]).log() + 3.0).expand(4000, 4)  # up to a constant
READ = "exercise L1.6"


def _drawn(its, logits=LOGITS, temperature=1.0, top_k=None, top_p=None):
    generator = its.make("torch.Generator().manual_seed(1)")
    return its.next_tokens(logits, temperature, top_k, top_p, generator)


def _shares(tokens):
    """The fraction of rows with each token, compared within six standard errors."""
    return [float((tokens == token).float().mean()) for token in range(4)]


@question("L1.6", beside=["test_shares"], advice="take the most likely token", read=READ)
def test_the_most_likely(its):
    """At temperature 0, the most likely token of each row."""
    return _drawn(its, torch.tensor([[0.0, 2.0, 1.0], [3.0, 0.0, 1.0]]), temperature=0)


@question("L1.6", weight=2, atol=0.06, advice="draw from sampling_distribution", read=READ)
def test_shares(its):
    """Each row's token is drawn with its probability, by the given generator."""
    tokens = _drawn(its)
    again = bool(torch.equal(_drawn(its), tokens))
    return {"shape": tokens.shape, "shares": _shares(tokens), "the same with the same seed": again}


@question("L1.6", weight=2, atol=0.06, advice="pass the three settings on", read=READ)
def test_narrowed(its):
    """temperature, top_k and top_p are passed on."""
    ways = ({"top_k": 2}, {"top_p": 0.5}, {"temperature": 0.4}, {"temperature": 3.0})
    return {f"shares with {how}": _shares(_drawn(its, **how)) for how in ways}
