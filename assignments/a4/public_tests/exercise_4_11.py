"""The visible checks of exercise 4.11: beam search."""

import math
from functools import partial

import torch

from grader.checking.question import question, refusal

STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")
READ = "exercise 4.11"
ask = partial(question, "4.11", read=READ)

# Transition probabilities of six tokens; 2 is the start and 3 the end. Sentence 0 is a garden path:
# 4 is more likely than 5 at first, but only 5 leads to a certain next token. Sentence 1 may end
# after 4 or go on: the longer sentence is less likely. Sentence 2 ends with its second token.
FOLLOWS = torch.zeros(3, 6, 6)
FOLLOWS[:, :, 3] = 1.0
FOLLOWS[0, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.6, 0.4])
FOLLOWS[0, 4] = torch.tensor([0.3, 0.3, 0.0, 0.4, 0.0, 0.0])
FOLLOWS[0, 5] = torch.tensor([0.0, 0.0, 0.0, 0.9, 0.1, 0.0])
FOLLOWS[1, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
FOLLOWS[1, 4] = torch.tensor([0.0, 0.48, 0.0, 0.52, 0.0, 0.0])
FOLLOWS[2, 2] = torch.tensor([0.45, 0.55, 0.0, 0.0, 0.0, 0.0])
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
FOUND = (
    "(lambda Hypothesis: [Hypothesis([], s, True) for s in (-3.0, -1.0)])(__import__('dataclasses')"
    ".make_dataclass('Hypothesis', ['tokens', 'score', 'finished'], frozen=True))"
)


def searched(its, sentences, what="", **options):
    """What a search finds for each sentence, by name, and whether each step had its rows' state."""
    log, state = its.make("[]"), its.make(STATE, sentences=sentences)
    step = its.make(STEP, log=log, table=FOLLOWS)
    found = {}
    for n, own in enumerate(its.beam_search(step, state, len(sentences), **options)):
        where = f"sentence {n}{what}"
        found[f"the tokens of {where}"] = [hypothesis.get("tokens") for hypothesis in own]
        found[f"the scores of {where}"] = [hypothesis.get("score") for hypothesis in own]
        found[f"`finished` of {where}"] = [hypothesis.get("finished") for hypothesis in own]
    return found, log.get()


@ask(weight=2, step="continuations", advice="((5 + |Y|) / 6)^α", read="Wu et al. 2016, Eq. 14")
def test_length_penalty_by_hand(its):
    """((5 + |Y|) / 6)^α for 1, 7 and 13 tokens."""
    factors = [its.length_penalty_factor(length, 0.5) for length in (1, 7, 13)]
    none = its.length_penalty_factor(40, 0.0)
    return {"the factors of 1, 7 and 13 tokens, α = 0.5": factors, "the factor for α = 0": none}


@ask(weight=2, step="continuations", advice="add the scores; sentences do not compete")
def test_continuations_by_hand(its):
    """Two sentences of two beams: the three best continuations of each."""
    scores = torch.tensor([[-1.0, -2.0], [-3.0, -0.5]])
    logs = torch.tensor(
        [[-1.0, -4.0, -2.5], [-0.25, -3.0, -9.0], [-0.5, -7.0, -8.0], [-4.0, -2, -1]]
    )
    few, _, _ = its.continuations(scores[:1, :1], logs[:1], 5)
    parts = zip(("scores", "rows", "tokens"), its.continuations(scores, logs, 3), strict=True)
    return dict(parts) | {"scores, if five are wanted and there are three": few}


@ask(weight=2, step="split_candidates", advice="the two best that are no end go on")
def test_six_candidates(its):
    """Six candidates, a beam of two: END at rank 1 finishes, the two best others go on."""
    totals = torch.tensor(
        [[-0.5, -0.9, -1.2, -1.6, -2.0, -2.5], [-0.5, -0.6, -0.7, -0.8, -0.9, -1]]
    )
    tokens = torch.tensor([[3, 5, 3, 4, 7, 6], [3, 3, 5, 4, 6, 7]])
    parts = its.split_candidates(totals, tokens, 2)
    found = dict(zip(("scores", "places", "finished"), parts, strict=True))
    return found | {"finished with end=5": its.split_candidates(totals, tokens, 2, 5)[2]}


@ask(weight=2, step="is_final", advice="the docstring has three reasons to stop")
def test_when_to_stop(its):
    """Two finished with -1 and -3, a width of three: it depends on `bound` and on `n_best`."""
    found = its.make(FOUND)
    asked = [(-2.0, 3, 1), (-2.0, 3, 2), (-0.5, 3, 1), (-0.5, 2, 1), (-math.inf, 4, 3)]
    return {
        f"it is final: bound {bound}, width {width}, n_best {n}": bool(
            its.is_final(found, bound, width, n)
        )
        for bound, width, n in asked
    }


@ask(weight=2, step="beam_search", after=STEPS, advice="0.4 · 0.9 is more than 0.6 · 0.4")
def test_garden_path(its):
    """A beam of two finds what greedy search misses."""
    return searched(its, [0], width=2, length_penalty=0.0, max_length=6)[0]


@ask(
    weight=3,
    step="beam_search",
    after=STEPS,
    advice="divide by the factor of its length, then compare",
)
def test_what_the_penalty_does(its):
    """α decides between a short sentence and a longer, less likely one."""
    answer = {}
    for alpha in (0.0, 1.0):
        options = {"width": 2, "length_penalty": alpha, "n_best": 2, "max_length": 6}
        answer |= searched(its, [1], f" with α = {alpha}", **options)[0]
    return answer


@ask(weight=4, step="beam_search", after=STEPS, advice="reorder the state with the prefixes")
def test_sentences_together(its):
    """Three sentences in one batch give the same results as alone, in as many steps."""
    options = {"width": 2, "length_penalty": 0.6, "n_best": 2}
    found, states = searched(its, [1, 0, 2], max_length=6, **options)
    cut, _ = searched(its, [1, 0], " with max_length=2", max_length=2, **options)
    return {"at each step, the state is that of its rows": states} | found | cut


@ask(
    weight=0.5,
    step="beam_search",
    after=STEPS,
    beside=[
        "test_garden_path",
        "test_what_the_penalty_does",
        "test_sentences_together",
        "test_narrow_beams",
    ],
    advice="raise a ValueError",
)
def test_what_is_refused(its):
    """`n_best` above the width and a negative penalty raise a ValueError."""
    return {
        f"with {options}": refusal(lambda options=options: searched(its, [0], **options))
        for options in ({"width": 2, "n_best": 3}, {"width": 2, "length_penalty": -0.5})
    }
