"""The visible checks of exercise 4.11: beam search."""

import math
from functools import partial

import torch

from grader.checking.question import question, refusal

STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")
ask = partial(question, "4.11", read="exercise 4.11")
search = partial(ask, step="beam_search", builds_on=STEPS)

# Transition probabilities of six tokens; 2 is the start and 3 the end. Sentence 0 is a garden path:
# 4 is more likely than 5 at first, but only 5 leads to a certain next token. Sentence 1 may end
# after 4 or go on: the longer sentence is less likely. Sentence 2 ends with its second token. The
# two beams of sentence 3 change places.
FOLLOWS = torch.zeros(4, 6, 6)
FOLLOWS[:, :, 3] = 1.0
FOLLOWS[0, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.6, 0.4])
FOLLOWS[0, 4] = torch.tensor([0.3, 0.3, 0.0, 0.4, 0.0, 0.0])
FOLLOWS[0, 5] = torch.tensor([0.0, 0.0, 0.0, 0.9, 0.1, 0.0])
FOLLOWS[1, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
FOLLOWS[1, 4] = torch.tensor([0.0, 0.48, 0.0, 0.52, 0.0, 0.0])
FOLLOWS[2, 2] = torch.tensor([0.45, 0.55, 0.0, 0.0, 0.0, 0.0])
FOLLOWS[3, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.6, 0.4])
FOLLOWS[3, 4] = torch.tensor([0.4, 0.6, 0.0, 0.0, 0.0, 0.0])
FOLLOWS[3, 5] = torch.tensor([0.05, 0.95, 0.0, 0.0, 0.0, 0.0])
# A state has the sentence of each of its rows, and what that has read.
STATE = (
    "type('State', (), {'__init__': lambda self, *of: setattr(self, 'of', of), 'reorder': "
    "lambda self, rows: type(self)(*(one[rows] for one in self.of))})"
    "(torch.tensor(sentences), torch.empty(len(sentences), 0))"
)
STEP = (
    "lambda prefixes, state: (log.append(state.of[1].tolist() == prefixes[:, :-1].tolist()), "
    "table[state.of[0], prefixes[:, -1]].log(), type(state)(state.of[0], prefixes))[1:]"
)


def searched(its, sentences, what="", **options):
    """What a search finds for each sentence, by name, and whether each step had its rows' state."""
    log, state = its.make("[]"), its.make(STATE, sentences=sentences)
    step = its.make(STEP, log=log, table=FOLLOWS)
    found = {
        f"`{part}` of sentence {n}{what}": [hypothesis.get(part) for hypothesis in own]
        for n, own in enumerate(its.beam_search(step, state, len(sentences), **options))
        for part in ("tokens", "score", "finished")
    }
    return found, log.get()


@ask(step="continuations", advice="((5 + |Y|) / 6)^α; sentences do not compete")
def test_continuations_by_hand(its):
    """The penalty of some lengths; of two sentences of two beams, the three best continuations."""
    scores = torch.tensor([[-1.0, -2], [-3, -0.5]])
    logs = torch.tensor([[-1.0, -4, -2.5], [-0.25, -3, -9], [-0.5, -7, -8], [-4, -2, -1]])
    totals, rows, tokens = its.continuations(scores, logs, 3)
    few, _, _ = its.continuations(scores[:1, :1], logs[:1], 5)
    many, _, _ = its.continuations(scores[:1], logs[:2], 4)
    return {
        "the factors of 0, 1, 7 and 13 tokens, α = 0.5": [
            its.length_penalty_factor(length, 0.5) for length in (0, 1, 7, 13)
        ],
        "the factor for α = 0": its.length_penalty_factor(40, 0.0),
        "scores": totals,
        "rows": rows,
        "tokens": tokens,
        "scores, if five are wanted and there are three": few,
        "scores of four, more than there are tokens": many,
    }


@ask(step="split_candidates", advice="the two best that are no end go on")
def test_six_candidates(its):
    """Six candidates, a beam of two: END at rank 1 finishes, the two best others go on."""
    totals = torch.tensor([[-0.5, -0.9, -1.2, -1.6, -2, -2.5], [-0.5, -0.6, -0.7, -0.8, -0.9, -1]])
    tokens = torch.tensor([[3, 5, 3, 4, 7, 6], [3, 3, 5, 4, 6, 7]])
    parts = its.split_candidates(totals, tokens, 2)
    found = dict(zip(("scores", "places", "finished"), parts, strict=True))
    return found | {"finished with end=5": its.split_candidates(totals, tokens, 2, 5)[2]}


@ask(step="is_final", advice="the docstring has three reasons to stop")
def test_when_to_stop(its):
    """Two finished with -1 and -3, a width of three: it depends on `bound` and on `n_best`."""
    found = its.make("[student['Hypothesis']([], score, True) for score in (-3.0, -1.0)]")
    asked = [(-2.0, 3, 1), (-2.0, 3, 2), (-0.5, 3, 1), (-0.5, 2, 1), (-math.inf, 4, 3), (0.0, 1, 1)]
    return {
        f"it is final: bound {bound}, width {width}, n_best {n}": bool(
            its.is_final(found, bound, width, n)
        )
        for bound, width, n in asked
    }


@search(weight=2, advice="0.4 · 0.9 is more than 0.6 · 0.4; divide by the factor, then compare")
def test_what_the_penalty_does(its):
    """A beam of two finds what greedy search misses; α decides between a short and a long one."""
    options = {"width": 2, "n_best": 2, "max_length": 6}
    found, _ = searched(its, [0, 1], " with α = 0", length_penalty=0.0, **options)
    found |= searched(its, [1], " with α = 1", length_penalty=1.0, **options)[0]
    best = options | {"length_penalty": 1.0, "n_best": 1}
    found |= searched(its, [1], " with α = 1, the best alone", **best)[0]
    found |= searched(its, [0], " with start=5, end=4", start=5, end=4, **options)[0]
    return found | {
        f"with {wrong}": refusal(lambda wrong=wrong: searched(its, [0], **(options | wrong)))
        for wrong in ({"n_best": 3}, {"length_penalty": -0.5})
    }


@search(weight=2, advice="reorder the state with the prefixes")
def test_sentences_together(its):
    """Three sentences in one batch give the same results as alone, in as many steps."""
    options = {"width": 2, "length_penalty": 0.6, "n_best": 2}
    found, states = searched(its, [1, 0, 2], max_length=6, **options)
    alone, moved = searched(its, [3], " alone", max_length=6, **options)
    options["length_penalty"] = 1.0
    cut, _ = searched(its, [1, 0], " with max_length=2, α = 1", max_length=2, **options)
    state = {"at each step, the state is that of its rows": states + moved}
    return state | found | alone | cut
