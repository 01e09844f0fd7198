"""A model that is a table, on anybody's side, and what a search with it finds, as data."""

from typing import NamedTuple

import torch

from grader.seam import StudentError

END = 3
# Runs where the search runs. `rows` keeps how many rows each step was asked for, `strays` counts
# the steps whose state had read other prefixes; without a state, every row is of sentence 0.
MODEL = """
class State:
    def __init__(self, sentences, tokens):
        self.sentences, self.tokens = sentences, tokens
    def reorder(self, rows):
        return State(self.sentences[rows], self.tokens[rows])
class Model:
    def __init__(self, table, by_hand):
        self.table, self.rows, self.strays = table, [], 0
        self.by_hand = {prefix: torch.tensor(row).log() for prefix, row in by_hand.items()}
    def start(self, sentences):
        return State(torch.tensor(sentences), torch.empty(len(sentences), 0))
    def following(self, sentence, prefix):
        place = sentence
        for token in prefix:
            place = (31 * place + token + 1) % len(self.table)
        return self.by_hand.get(" ".join(map(str, prefix)), self.table[place])
    def step(self, prefixes, state):
        prefixes = prefixes.tolist()
        self.rows.append(len(prefixes))
        owners = [0] * len(prefixes)
        if state is not None:
            self.strays += state.tokens.tolist() != [prefix[:-1] for prefix in prefixes]
            owners = (state.sentences.tolist() + owners)[: len(owners)]
            state = State(torch.tensor(owners), torch.tensor(prefixes))
        found = [self.following(*pair) for pair in zip(owners, prefixes)]
        return torch.stack(found) if found else self.table[:0], state
"""
BUILD = "(exec(text, scope := {'torch': torch}), scope['Model'](table, by_hand))[1]"
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


class Search(NamedTuple):
    """The hypotheses that a search found, and what its model saw."""

    found: dict
    rows: list
    strays: int


def drawn(rng, vocab_size=6, sharpness=1.5, rows=997, end=0.0):
    """A table of log probabilities; `end` is added to the logit of the end token."""
    logits = sharpness * torch.from_numpy(rng.normal(size=(rows, vocab_size)).astype("float32"))
    logits[:, END] += end
    return logits.log_softmax(-1)


def search(its, name, table, sentences=None, by_hand=None, what="", **options):
    """Search with a table; `what` names the case. No `sentences`: one, and no state."""
    model = its.make(BUILD, text=MODEL, table=table, by_hand=by_hand or {})
    state = None if sentences is None else model.method("start", list(sentences))
    count, step = len(sentences or [0]), its.make("model.step", model=model)
    lists = its.make(READ)(getattr(its, name)(step, state, count, **options))
    found = {
        "tokens": [[h[0] for h in one] for one in lists],
        "scores": [h[1] for one in lists for h in one],
        "finished": [[h[2] for h in one] for one in lists],
    }
    found = {f"{part} {what}".strip(): value for part, value in found.items()}
    return Search(found, model.get("rows"), model.get("strays"))


def on_a_device(its, name):
    """Whether a search takes place on `device`, as far as it can without values."""
    seen, mixed = its.make("[]"), False
    step = its.make(ELSEWHERE, seen=seen)
    try:
        getattr(its, name)(step, None, 2, max_length=3, device="meta")
    except StudentError as error:
        if "meta" not in error.message:
            raise
        mixed = "expected device" in error.message
    return {
        'the device of the first prefixes with device="meta"': seen.get()[:1],
        "no operation mixes tensors on `device` with tensors on the CPU": not mixed,
    }
