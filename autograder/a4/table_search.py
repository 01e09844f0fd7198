"""A model that is a table, on anybody's side, and what a search with it finds, as data."""

import torch

from grader.checking.question import refusal

END = 3
# Runs where the search runs; logs at each step the prefixes, and those that the state has read.
MODEL = """
import torch

class State:
    def __init__(self, *of):
        self.of = of
    def reorder(self, rows):
        return State(*(one[rows] for one in self.of))

def model(table, by_hand, log, sentences):
    size, width = table.shape
    chosen = {
        prefix: torch.tensor([row.get(token, 0.0) for token in range(width)]).log()
        for prefix, row in by_hand.items()
    }
    def place(owner, prefix):
        for token in prefix:
            owner = (31 * owner + token + 1) % size
        return owner
    def step(prefixes, state):
        prefixes = prefixes.tolist()
        log.append([prefixes, state and state.of[1].tolist()])
        owners = [0] * len(prefixes)
        if state:
            owners = (state.of[0].tolist() + owners)[: len(owners)]
            state = State(torch.tensor(owners), torch.tensor(prefixes))
        rows = table[list(map(place, owners, prefixes))]
        for row, prefix in enumerate(prefixes) if chosen else ():
            if (key := " ".join(map(str, prefix))) in chosen:
                rows[row] = chosen[key]
        return rows, state
    return step, sentences and State(torch.tensor(sentences), torch.empty(len(sentences), 0))
"""
READ = (
    "lambda lists: [[[h.tokens if all(type(t) is int for t in h.tokens) else repr(h.tokens), "
    "float(h.score), bool(h.finished)] for h in (one if type(one) is list else [one])] "
    "for one in lists]"
)
# "meta" is a device of every machine; its tensors have no values, so a search with it ends early.
ELSEWHERE = (
    "lambda prefixes, state: (seen.append(prefixes.device.type), "
    "torch.zeros(len(prefixes), 6, device=prefixes.device), state)[1:]"
)


def drawn(rng, vocab_size=6, sharpness=1.5, rows=997, end=0.0):
    """A table of log probabilities; `end` is added to the logit of the end token."""
    logits = sharpness * torch.from_numpy(rng.normal(size=(rows, vocab_size)).astype("float32"))
    logits[:, END] += end
    return logits.log_softmax(-1)


def search(its, name, table, sentences=(), by_hand=None, what="", **options):
    """The results of a search, by name, and the rows that each step read; `what` names the case.

    Without `sentences` there is one, and no state. `by_hand`: probabilities after some prefixes.
    """
    log, model = its.make("[]"), "(exec(text, scope := {}), scope['model'])[1]"
    step, state = its.make(model, text=MODEL)(table, by_hand or {}, log, [*sentences] or None)
    lists = its.make(READ)(getattr(its, name)(step, state, len(sentences) or 1, **options))
    found = {
        part: [[hypothesis[place] for hypothesis in own] for own in lists]
        for place, part in enumerate(("tokens", "scores", "finished"))
    }
    steps = log.get()
    if sentences:
        strays = [read != [prefix[:-1] for prefix in prefixes] for prefixes, read in steps]
        found["steps with the state of other rows"] = sum(strays)
    rows = [len(prefixes) for prefixes, _ in steps]
    return {f"{part} {what}".strip(): value for part, value in found.items()}, rows


def on_a_device(its, name):
    """Whether a search takes place on `device`, as far as it can without values."""
    search, seen = getattr(its, name), its.make("[]")
    step = its.make(ELSEWHERE, seen=seen)
    raised = refusal(
        lambda: search(step, None, 2, max_length=3, device="meta"), ["expected device"]
    )
    return {
        "the device of the first prefixes": seen.get()[:1],
        "no operation mixes tensors on `device` with tensors on the CPU": "expected" not in raised,
    }
