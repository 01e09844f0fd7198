"""Hidden tests of exercise 4.9: one search step without a cache."""

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

READ = "§3.4, last but one sentence; exercise 4.9"
WAY = "decode the prefixes, then take the log-softmax of the last position"
KEPT = "return the state unchanged: without a cache a step adds nothing to it"


def build(its, rng):
    """The step of a model with random weights, and a state of three rows."""
    real = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    given = {"memory": normal(rng, 3, 5, 8), "source_mask": real[:, None, None]}
    model = load(its.Transformer(11, 2, 8, 2, 12, norm_first=True), rng)
    return its.uncached_step(model), its.make("student['Encoded'](memory, source_mask)", **given)


def prefix(rng, rows, n):
    ids = torch.from_numpy(rng.integers(4, 11, size=(rows, n)))
    ids[:, 0] = 2
    return ids


@question("4.9", weight=2, advice=WAY, read=READ, atol=1e-3)
def test_values(its, rng):
    """Log probabilities of the token after each prefix, (rows, vocab_size), in nats."""
    step, state = build(its, rng)
    calls = {n: its.call(step, prefix(rng, 3, n), state) for n in (4, 2)}
    found = {f"log probabilities after {n} tokens": one.value[0] for n, one in calls.items()}
    return found | {"arguments that it changed": [one.changed for one in calls.values()]}


@question("4.9", advice=WAY, read=READ, atol=1e-3)
def test_rows_sum_to_one(its, rng):
    """The first step reads only the start token; the probabilities of each row sum to 1."""
    step, state = build(its, rng)
    one_row = state.method("reorder", torch.tensor([1]))
    return {
        "log probabilities after the start token": step(torch.full((3, 1), 2), state)[0],
        "log probabilities of one row": step(prefix(rng, 1, 3), one_row)[0],
    }


@question("4.9", advice=KEPT, read=READ, atol=1e-3)
def test_state(its, rng):
    """Each call uses and returns its state, also after rows are reordered."""
    step, state = build(its, rng)
    found, state = {}, step(prefix(rng, 3, 3), state)[1]
    for number, rows in enumerate(([2, 0, 0, 1], [3, 1, 1, 0])):
        found[f"the memory after call {number}"] = state.get("memory")
        given = prefix(rng, 4, 3 + number), state.method("reorder", torch.tensor(rows))
        found[f"log probabilities of reordered rows, call {number + 1}"], state = step(*given)
    return found


@question("4.9", beside=["test_values"], advice="`@torch.no_grad()`", read=READ)
def test_no_gradients(its, rng):
    """No gradients are recorded: a search does not train."""
    step, state = build(its, rng)
    recorded = its.make("lambda step, prefixes, state: step(prefixes, state)[0].requires_grad")
    return {"log probabilities require gradients": recorded(step, prefix(rng, 3, 3), state)}
