"""The visible checks of exercise 4.10: greedy search."""

from functools import partial

import torch

from grader.checking.question import question, refusal

ask = partial(question, "4.10", read="exercise 4.10")
# Two sentences of a model that looks only at the last token; 2 is the start and 3 the end.
# Sentence 0 is 4 1 5, sentence 1 is 5. What is left of 1 is shared by the five other tokens.
PATHS = ({(2, 4): 0.6, (4, 1): 0.5, (1, 5): 0.7, (5, 3): 0.8}, {(2, 5): 0.5, (5, 3): 0.9})
FOLLOWS = torch.full((2, 6, 6), 1 / 6)
for sentence, path in enumerate(PATHS):
    for (before, after), share in path.items():
        FOLLOWS[sentence, before] = (1 - share) / 5
        FOLLOWS[sentence, before, after] = share
# A state records the sentence of each of its rows; a step logs the prefixes it was given.
STATE = (
    "type('State', (), {'__init__': lambda self, of: setattr(self, 'of', of), "
    "'reorder': lambda self, rows: type(self)(self.of[rows])})(torch.tensor(sentences))"
)
STEP = (
    "lambda prefixes, state: (log.append(prefixes.tolist()), "
    "table[state.of, prefixes[:, -1]].log(), state)[1:]"
)
ELSEWHERE = (
    "lambda prefixes, state: (seen.append(prefixes.device.type), "
    "torch.zeros(len(prefixes), 6, device=prefixes.device), state)[1:]"
)


def searched(its, sentences, max_length, what="", **options):
    """What a search returns for each row, by name, and the prefixes given to each step."""
    log, state = its.make("[]"), its.make(STATE, sentences=sentences)
    step = its.make(STEP, log=log, table=FOLLOWS)
    rows = list(its.greedy(step, state, len(sentences), max_length, **options))
    found = {f"the number of hypotheses{what}": len(rows)}
    for n, row in enumerate(rows):
        for part in ("tokens", "score", "finished"):
            found[f"`{part}` of row {n}{what}"] = row.get(part)
        found[f"the type of its tokens{what}"] = type(row.get("tokens")).__name__
    return found, log.get()


@ask(weight=4, advice="the most likely token at every step; nothing follows the end")
def test_by_hand(its):
    """2 → 4 → 1 → 5 → end; the score sums all; cut off, a row stays; a batch's rows as alone."""
    found, prefixes = searched(its, [0], 10)
    cut, steps = searched(its, [0, 1], 2, " with max_length=2")
    batch, read = searched(its, [0, 1, 0], 10, " of three")
    found |= cut | batch | {"rows read at each step": [len(rows) for rows in read]}
    return found | {"prefixes of the first two steps": prefixes[:2], "steps": len(steps)}


@ask(weight=2, advice="call choose(log_probabilities)")
def test_another_end(its):
    """`start` and `end` are arguments, and `choose` picks the tokens."""
    found, prefixes = searched(its, [0], 10, " with start=4 and end=5", start=4, end=5)
    choose = its.make("lambda logs: logs.lt(-1).cumsum(1).argmax(1)")  # the last below −1
    chosen, _ = searched(its, [0], 2, " when `choose` takes another", choose=choose)
    return {"the first prefixes with start=4": prefixes[0]} | found | chosen


@ask(advice="make every tensor on `device`", corner=True)
def test_device(its):
    """The prefixes are on `device`."""
    # torch's "meta" device is on every machine: its tensors have no values, so the search stops
    seen = its.make("[]")
    step = its.make(ELSEWHERE, seen=seen)
    raised = refusal(lambda: its.greedy(step, None, 2, 3, device="meta"), ["expected device"])
    return {
        'the device of the first prefixes, device="meta"': seen.get()[:1],
        "no operation mixes tensors on `device` with tensors on the CPU": "expected" not in raised,
    }
