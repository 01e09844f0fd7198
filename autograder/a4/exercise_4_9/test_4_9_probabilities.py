"""Hidden tests of exercise 4.9: one search step without a cache."""

from functools import partial

import torch

from autograder.a4.drawn_weights import load, normal, prefixes
from grader.checking.question import question

ask = partial(question, "4.9", read="§3.4, last but one sentence; exercise 4.9")
WAY = "decode the prefixes, then take the log-softmax of the last position"
KEPT = "return the state unchanged: without a cache a step adds nothing to it"


def build(its, rng):
    """The step of a model with random weights, and a state of three rows."""
    real = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    model = load(its.Transformer(11, 2, 8, 2, 12, norm_first=True), rng)
    return its.uncached_step(model), its.Encoded(normal(rng, 3, 5, 8), real[:, None, None])


@ask(weight=3, advice=WAY, atol=1e-3)
def test_values(its, rng):
    """Log probabilities of the token after each prefix, (rows, vocab_size), also of one row."""
    step, state = build(its, rng)
    found = {f"after {n} tokens": step(prefixes(rng, 3, n), state)[0] for n in (4, 2, 1)}
    one_row = state.method("reorder", torch.tensor([1]))
    return found | {"of one row": step(prefixes(rng, 1, 3), one_row)[0]}


@ask(advice=KEPT, atol=1e-3)
def test_state(its, rng):
    """Each call uses and returns its state, also after rows are reordered."""
    step, state = build(its, rng)
    found, state = {}, step(prefixes(rng, 3, 3), state)[1]
    for number, rows in enumerate(([2, 0, 0, 1], [3, 1, 1, 0])):
        found[f"the memory after call {number}"] = state.get("memory")
        given = prefixes(rng, 4, 3 + number), state.method("reorder", torch.tensor(rows))
        found[f"log probabilities of reordered rows, call {number + 1}"], state = step(*given)
    return found


@ask(needs_one_of=["test_values"], advice="`@torch.no_grad()`")
def test_no_gradients(its, rng):
    """No gradients are recorded: a search does not train."""
    recorded = its.make("lambda step, *given: step(*given)[0].requires_grad")
    step, state = build(its, rng)
    return {"log probabilities require gradients": recorded(step, prefixes(rng, 3, 3), state)}
