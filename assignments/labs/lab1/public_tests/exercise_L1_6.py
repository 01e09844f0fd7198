"""The visible check of exercise L1.6: draw the next token."""

import torch

from grader.checking.question import question

LOGITS = (torch.tensor([0.1, 0.4, 0.2, 0.3]).log() + 3.0).expand(4000, 4)  # up to a constant
ADVICE = "draw from sampling_distribution with all three settings; at temperature 0 take the best"


@question("L1.6", atol=0.06, advice=ADVICE, read="exercise L1.6")
def test_shares(its):
    """Each row's token is drawn with its probability, by the given generator."""

    def drawn(temperature=1.0, top_k=None, top_p=None):
        generator = its.make("torch.Generator().manual_seed(1)")
        return its.next_tokens(LOGITS, temperature, top_k, top_p, generator)

    def shares(tokens):
        return [float((tokens == token).float().mean()) for token in range(4)]

    ways = [{"top_k": 2}, {"top_p": 0.5}, *({"temperature": at} for at in (0, 0.4, 3.0))]
    again = bool(torch.equal(drawn(), drawn()))
    found = {"shares": shares(drawn()), "shape": drawn().shape, "a seed repeats them": again}
    return found | {f"shares with {how}": shares(drawn(**how)) for how in ways}
