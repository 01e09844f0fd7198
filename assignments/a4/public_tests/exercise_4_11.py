"""The visible checks of exercise 4.11: beam search."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# What the search builds on.
STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")

# Transition probabilities of six tokens; 2 is the start and 3 the end. Sentence 0 is a garden path:
# 4 is more likely than 5 at first, but only 5 leads to a certain next token. Sentence 1 may end
# after 4 or go on: the longer sentence is less likely.
FOLLOWS = torch.zeros(2, 6, 6)
FOLLOWS[:, :, 3] = 1.0
FOLLOWS[0, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.6, 0.4])
FOLLOWS[0, 4] = torch.tensor([0.3, 0.3, 0.0, 0.4, 0.0, 0.0])
FOLLOWS[0, 5] = torch.tensor([0.0, 0.0, 0.0, 0.9, 0.1, 0.0])
FOLLOWS[1, 2] = torch.tensor([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
FOLLOWS[1, 4] = torch.tensor([0.0, 0.48, 0.0, 0.52, 0.0, 0.0])
STATE = ("type('State', (), {'__init__': lambda self, of: setattr(self, 'of', of), "
         "'reorder': lambda self, rows: type(self)(self.of[rows])})")
STRAY = "the state needs as many rows as there are prefixes"
STEP = ("lambda prefixes, state: (log.append(prefixes.tolist()), "
        f"(_ for _ in ()).throw(ValueError({STRAY!r})) if len(state.of) != len(prefixes) else "
        "(table[state.of, prefixes[:, -1]].log(), state))[1]")

FOUND = ("(lambda Hypothesis: [Hypothesis([], s, True) for s in (-3.0, -1.0)])("
         "__import__('dataclasses').make_dataclass('Hypothesis', ['tokens', 'score', 'finished'], "
         "frozen=True))")


def stray():
    raise ValueError(STRAY)


STATES = {"the state still has the rows of the last step: reorder it with the prefixes, "
          "`state = reorder(state, rows)`": stray}


def searched(student, sentences, **options):
    """[tokens, score, finished] of every hypothesis, and the prefixes given to each step."""
    log = student.make("[]")
    step = student.make(STEP, log=log, table=FOLLOWS)
    state = student.make(f"{STATE}(torch.tensor({sentences}))")
    lists = student.beam_search(step, state, len(sentences), **options)
    lists = expect.parts(lists, len(sentences), otherwise="one list of hypotheses per sentence",
                         read="exercise 4.11")
    return [[[list(h.get("tokens")), h.get("score"), h.get("finished")] for h in found]
            for found in lists], log.get()


@exercise("4.11", step="continuations")
def test_length_penalty_by_hand(student):
    """((5 + |Y|) / 6)^α for 1, 7 and 13 tokens."""
    lengths = (1, 7, 13)
    expect.close(
        [student.length_penalty_factor(length, 0.5) for length in lengths],
        [1.0, math.sqrt(2), math.sqrt(3)], what="the factors of 1, 7 and 13 tokens, α = 0.5",
        otherwise="5 and 6 are constants of the formula", read="Wu et al. 2016, Eq. 14")
    expect.close(student.length_penalty_factor(40, 0.0), 1.0, what="the factor for α = 0",
                 read="exercise 4.11")


@exercise("4.11", step="continuations")
def test_continuations_by_hand(student):
    """Two sentences of two beams: the three best continuations of each."""
    scores = torch.tensor([[-1.0, -2.0], [-3.0, -0.5]])
    logs = torch.tensor([[-1.0, -4.0, -2.5], [-0.25, -3.0, -9.0],
                         [-0.5, -7.0, -8.0], [-4.0, -2.0, -1.0]])
    parts = expect.parts(student.continuations(scores, logs, 3), 3, read="exercise 4.11",
                         otherwise="scores, rows and tokens")
    totals, rows, tokens = parts
    expect.close(totals, [[-2.0, -2.25, -3.5], [-1.5, -2.5, -3.5]], what="scores",
                 otherwise="add the prefix's score to the token's; sentences do not compete",
                 read="exercise 4.11")
    expect.close(rows, [[0, 1, 0], [3, 3, 2]], what="rows",
                 otherwise="the row of log_probabilities that each one continues",
                 read="exercise 4.11")
    expect.close(tokens, [[0, 0, 2], [2, 1, 0]], what="tokens",
                 read="exercise 4.11")
    few, _, _ = expect.parts(student.continuations(scores[:1, :1], logs[:1], 5), 3)
    expect.close(few, [[-2.0, -3.5, -5.0]], what="five of three candidates", read="exercise 4.11",
                 otherwise="if there are fewer than n, return all of them")


@exercise("4.11", step="split_candidates")
def test_six_candidates(student):
    """Six candidates, a beam of two: END at rank 1 finishes, the two best others go on."""
    totals = torch.tensor([[-0.5, -0.9, -1.2, -1.6, -2.0, -2.5]])
    tokens = torch.tensor([[3, 5, 3, 4, 7, 6]])
    parts = expect.parts(student.split_candidates(totals, tokens, 2), 3, read="exercise 4.11",
                         otherwise="scores, places and finished")
    scores, places, finished = parts
    expect.close(
        finished, [[True, False, False, False, False, False]], what="finished",
        otherwise="True at ends among the two best", read="exercise 4.11")
    expect.close(
        scores, [[-0.9, -1.6]], what="scores of the next beam",
        otherwise="the two best that are no end", read="exercise 4.11")
    expect.close(places, [[1, 3]], what="their places among the candidates",
                 read="exercise 4.11")


@exercise("4.11", step="is_final")
def test_when_to_stop(student):
    """Two finished with -1 and -3, a width of three: it depends on `bound` and on `n_best`."""
    found = student.make(FOUND)
    asked = [(-2.0, 3, 1), (-2.0, 3, 2), (-0.5, 3, 1), (-0.5, 2, 1), (-math.inf, 4, 3)]
    answers = [bool(student.is_final(found, *one)) for one in asked]
    expect.equal(
        answers, [True, False, False, True, True],
        what="is it final? (bound, width, n_best) = " + ", ".join(map(str, asked)),
        read="exercise 4.11")


@exercise("4.11", weight=2, step="beam_search", after=STEPS)
def test_garden_path(student):
    """A beam of two finds what greedy search misses."""
    (found,), _ = searched(student, [0], width=2, length_penalty=0.0, max_length=6)
    (tokens, score, finished), = expect.parts(found, 1, otherwise="n_best is 1 by default",
                                              read="exercise 4.11")
    causes = {"this is greedy's: do two prefixes stay in the beam?": [4],
              "the end token is not part of the sentence": [5, 3],
              "the start token is not part of the sentence": [2, 5]}
    expect.equal(tokens, [5], what="the best sentence", read="exercise 4.11",                 otherwise="0.4 · 0.9 is more than 0.6 · 0.4")
    expect.close(
        score, math.log(0.36), atol=1e-4, what="its score",
        read="exercise 4.11")
    expect.equal(finished, True, what="finished", read="exercise 4.11")


def scores(best, second, alpha, more=0):
    """Scores of [4] and [4, 1] in sentence 1, with `more` tokens added to the length."""
    return [math.log({1: 0.52, 2: 0.48}[len(tokens)]) / ((5 + len(tokens) + more) / 6) ** alpha
            for tokens in (best, second)]


@exercise("4.11", weight=2, step="beam_search", after=STEPS)
def test_what_the_penalty_does(student):
    """α decides between a short sentence and a longer, less likely one."""
    for alpha, best, second in ((0.0, [4], [4, 1]), (1.0, [4, 1], [4])):
        (found,), _ = searched(student, [1], width=2, length_penalty=alpha, n_best=2, max_length=6)
        expect.parts(found, 2, otherwise="the two best: both end within a beam of two",
                     read="exercise 4.11")
        expect.equal([h[0] for h in found], [best, second], what=f"the two best with α = {alpha}",
                     otherwise="divide by the factor of the sentence's length, then compare",
                     read="Wu et al. 2016, Eq. 14")
        expect.close(
            [h[1] for h in found], scores(best, second, alpha), atol=1e-4,
            what=f"their scores with α = {alpha}",
            otherwise="|Y| is the number of tokens without start and end", read="exercise 4.11")


@exercise("4.11", step="beam_search", after=STEPS)
def test_sentences_together(student):
    """Two sentences in one batch give the same results as alone."""
    options = {"width": 2, "length_penalty": 0.6, "max_length": 6, "n_best": 2}
    together, _ = searched(student, [1, 0], **options)
    for place, sentence in enumerate((1, 0)):
        (alone,), _ = searched(student, [sentence], **options)
        expect.equal([h[0] for h in together[place]], [h[0] for h in alone], read="exercise 4.11",
                     what=f"the two best sentences at place {place}, the batch against alone,",
                     otherwise="is the state reordered with the prefixes, and has every sentence "
                               "its own rows?")
        expect.close([h[1] for h in together[place]], [h[1] for h in alone], atol=1e-4,
                     what=f"scores at place {place}, the batch against alone,",
                     read="exercise 4.11")


@exercise(
    "4.11",
    step="beam_search",
    after=STEPS,
    beside=["test_garden_path", "test_what_the_penalty_does", "test_sentences_together",
            "test_narrow_beams"],  # a hidden one, whose state never moves
)
def test_what_is_refused(student):
    """`n_best` above the width and a negative penalty raise a ValueError."""
    for options in ({"width": 2, "n_best": 3}, {"width": 2, "length_penalty": -0.5}):
        expect.raises(lambda options=options: searched(student, [0], **options),
                      otherwise="raise a ValueError that names the arguments", read="exercise 4.11")
