"""The visible checks of exercise 4.9: from vectors to probabilities."""

import numpy as np
import torch

from grader.checking.question import question

# A decoder with one table: logits are the sum of a prefix's rows and of what the mask leaves of
# the memory. It logs whether gradients are recorded.
DECODER = (
    "type('Model', (torch.nn.Embedding,), {'recorded': [], 'decode': lambda self, target_ids, "
    "memory, mask, need_weights=False: (self.recorded.append(torch.is_grad_enabled()), "
    "(self(target_ids).cumsum(1) + (memory if mask is None else memory * mask[:, 0, 0, :, None])"
    ".sum(1, keepdim=True), None))[1]}).from_pretrained(table, freeze=False)"
)
DRAWN = np.random.RandomState(1)
TABLE, MEMORY = (torch.from_numpy(2 * DRAWN.randn(*s)).float() for s in ((6, 6), (2, 2, 6)))
MASK = torch.tensor([[[[True, False]]], [[[True, True]]]])
PREFIXES = torch.tensor([[2, 4, 5], [2, 5, 1]])


def stepped(its, table=TABLE, rows=2):
    """The model, and what a step returns, after one with another state."""
    model = its.make(DECODER, table=table)
    step, prefixes = its.uncached_step(model), PREFIXES[:rows]
    step(prefixes, its.Encoded(-MEMORY[:rows], MASK[:rows]))
    return model, step(prefixes, its.Encoded(MEMORY[:rows], MASK[:rows]))


@question("4.9", weight=2, advice="decode the prefixes; use the last position; return the state")
def test_next_token(its):
    """Log probabilities of the token that follows each prefix, and the state for the next step."""
    logs, state = stepped(its)[1]
    return {
        "log probabilities": logs,
        "of one row": stepped(its, rows=1)[1][0],
        "of logits that lie 200 apart": stepped(its, table=100 * TABLE.sign())[1][0],
        "memory": state.get("memory"),
        "source_mask": state.get("source_mask"),
    }


@question(
    "4.9", needs_one_of=["test_next_token"], advice="`@torch.no_grad()` on the inner function"
)
def test_nothing_is_recorded(its):
    """No gradients are recorded, although the model's parameters require them."""
    return {"gradients recorded by `decode`": stepped(its)[0].get("recorded")}
