"""How the hidden tests search: one model on both sides, results read as plain data."""

from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from autograder.a4.search_models import TableModel
from grader.checking import evidence, expect
from grader.checking.expect import Failure
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle, StudentError

MISTAKE = known_mistakes(__file__)

START, END = 2, 3
ROUNDING = 1e-4  # the largest difference of two scores that count as equal
SOURCE = Path(__file__).with_name("search_models.py").read_text(encoding="utf-8")
BUILD = "(exec(text, scope := {}), scope['TableModel'](table, by_hand))[1]"
# As four arrays, which are sent at once; one by one if there are tokens that no array can hold.
READ = (
    "lambda found: [np.array([len(h.tokens) for h in found], dtype=np.int64), "
    "np.array([t for h in found for t in h.tokens], dtype=np.int64), "
    "np.array([float(h.score) for h in found]), np.array([bool(h.finished) for h in found])] "
    "if all(type(h.tokens) is list for h in found) "
    "and all(type(t) is int and abs(t) < 2**63 for h in found for t in h.tokens) "
    "else [[h.tokens, float(h.score), bool(h.finished)] for h in found]"
)
NOT_REORDERED = MISTAKE.beam_state_not_reordered
OTHER_ORDER = MISTAKE.beam_state_of_other_rows
# Logs the device of the prefixes: "meta" is on every machine, and its tensors hold no values.
STOPPED = "lambda prefixes, state: (seen.append(prefixes.device.type), 1 / 0)"


class Found(NamedTuple):
    """A hypothesis as data."""

    tokens: list[int]
    score: float
    finished: bool


def drawn(rng, vocab_size=6, sharpness=1.5, rows=997, end=0.0):
    """A random table of log probabilities; `end` is added to the logit of the end token."""
    logits = sharpness * torch.from_numpy(rng.normal(size=(rows, vocab_size)).astype("float32"))
    logits[:, END] += end
    return logits.log_softmax(-1)


class Search:
    """A model on the student's side, its twin on the judge's side, and searches with it."""

    def __init__(self, student, table, by_hand=None):
        self.student, self.twin = student, TableModel(table, by_hand)
        self.model = student.make(BUILD, text=SOURCE, table=table, by_hand=by_hand)
        self.step = student.make("model.step", model=self.model)
        self.as_data = student.make(READ)
        self.beams = False  # whether its rows are beams, which change places at every step

    def state(self, sentences):
        """The initial state of these sentences on the student's side; None for no sentences."""
        if sentences is None:
            return None
        return self.model.method("start", list(sentences))

    def greedy(self, n_rows, max_length, sentences=None, name="greedy", **options):
        """One hypothesis per row."""
        found = self.ask(name, n_rows, sentences, max_length=max_length, **options)
        return self.read(found, n_rows, "per row")

    def beam(self, n_sentences, sentences=None, **options):
        """One list of hypotheses per sentence."""
        self.beams = True
        found = self.ask("beam_search", n_sentences, sentences, **options)
        expect.true(
            isinstance(found, (list, tuple)) and len(found) == n_sentences,
            expected=f"{n_sentences} lists, one per sentence",
            got=described(found),
            otherwise="each sentence has its own list, even when n_best is 1",
            read="the docstring of 4.11",
        )
        return [self.read(one, None, "per rank") for one in found]

    def ask(self, name, n, sentences, **options):
        function = getattr(self.student, name)
        try:
            return function(self.step, self.state(sentences), n, **options)
        except StudentError as error:
            if error.kind.isupper() or not self.model.get("strays"):
                raise
            got = f"{error.kind}: {error.message}"
            mistake = self.state_mistake()
            raise Failure("hypotheses", got, mistake, "the docstring of `step`", True) from None

    def state_mistake(self):
        """The mistake with the state, if a step was given the state of other rows."""
        orders = self.model.get("orders")
        if orders and self.beams and len(orders) < self.calls() - 1:
            return MISTAKE.beam_state_reordered_on_leaving
        return OTHER_ORDER if orders else NOT_REORDERED

    def read(self, found, count, each):
        """Hypotheses as data."""
        expect.true(
            isinstance(found, (list, tuple))
            and all(isinstance(one, Handle) and one.type_name == "Hypothesis" for one in found),
            expected="a list of `Hypothesis`",
            got=described(found),
            otherwise="return `Hypothesis(tokens, score, finished)`, which is provided",
            read="the docstring of `Hypothesis`",
        )
        expect.true(
            count is None or len(found) == count,
            expected=f"{count} hypotheses, one {each}",
            got=f"{len(found)}",
            read="the docstring",
        )
        made = as_found(self.as_data(list(found)))
        for one in made:
            expect.true(
                isinstance(one.tokens, list) and all(type(token) is int for token in one.tokens),
                expected="tokens as a list of ints",
                got=described(one.tokens),
                otherwise="`.tolist()` turns a tensor into a list of ints",
                read="the docstring of `Hypothesis`",
            )
        return made

    def calls(self):
        return len(self.model.get("log"))

    def check_state(self, read):
        """Check that every step had the state of its own rows."""
        strays = self.model.get("strays")
        got = "it was"
        if strays:
            known, prefix = strays[0]
            got = f"a state that had read {known} for the prefix {prefix}"
            if isinstance(known, int):
                got = f"a state of {known} rows for {prefix} prefixes"
        expect.true(
            not strays,
            expected="each step needs the state of the rows that it reads",
            got=got,
            because=self.state_mistake(),
            read=read,
        )

    def check_device(self, name, read):
        """Check that the prefixes of the first step are on the given `device`."""
        for wanted in ("meta", "cpu"):
            seen = self.student.make("[]")
            stopped = self.student.make(STOPPED, seen=seen)
            try:
                getattr(self.student, name)(stopped, None, 2, max_length=3, device=wanted)
            except StudentError as error:
                if error.kind.isupper() or not seen.get():
                    raise
            expect.equal(
                seen.get()[:1],
                [wanted],
                otherwise="put the prefixes of the first step on `device`",
                read=read,
                what=f"the device of the first prefixes with device={wanted!r}",
            )


def as_found(read):
    """What `READ` returned, as hypotheses."""
    if not isinstance(read[0] if read else None, np.ndarray):
        return [Found(*one) for one in read]
    lengths, tokens, scores, finished = (array.tolist() for array in read)
    ends = list(accumulate(lengths))
    own = [tokens[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    return [Found(*one) for one in zip(own, scores, finished, strict=True)]


def described(value):
    if isinstance(value, (list, tuple)):
        kinds = [v.type_name if isinstance(v, Handle) else type(v).__name__ for v in value[:3]]
        return f"a {type(value).__name__} of {len(value)} ({', '.join(kinds)})"
    return value.type_name if isinstance(value, Handle) else type(value).__name__


def same(found, wanted):
    """Whether two lists of hypotheses agree; equal scores may come in either order."""
    if len(found) != len(wanted):
        return False
    orders = (None, lambda one: (one.tokens, one.finished))
    as_they_come, by_tokens = (
        zip(*(sorted(side, key=key) if key else side for side in (found, wanted)), strict=True)
        for key in orders
    )
    ranks = all(abs(a.score - b.score) <= ROUNDING and a[2] == b[2] for a, b in as_they_come)
    return ranks and all(agree(a, b) for a, b in by_tokens)


def compare(found, wanted, *, causes=None, otherwise="", read="", what="sentence"):
    """Compare lists of lists of hypotheses. `causes` maps mistakes to their results."""
    wrong = [n for n, pair in enumerate(zip(found, wanted, strict=True)) if not same(*pair)]
    if not wrong:
        evidence.report("close", apart(found, wanted) / ROUNDING)
        return
    seen = ""
    for name, made in evidence.listed(causes).items():
        if all(same(*pair) for pair in zip(found, made, strict=True)):
            seen = name
            break
    n = wrong[0]
    place = next(
        (i for i, pair in enumerate(zip(found[n], wanted[n], strict=False)) if not agree(*pair)), 0
    )
    expected, got = summary(wanted[n], place), summary(found[n], place)
    raise Failure(f"for {what} {n}: {expected}", got, seen or otherwise, read, bool(seen))


def apart(found, wanted):
    """The largest difference between scores of the same rank."""
    pairs = [pair for lists in zip(found, wanted, strict=True) for pair in zip(*lists, strict=True)]
    return max((abs(one.score - other.score) for one, other in pairs), default=0.0)


def agree(one, other):
    return one[::2] == other[::2] and abs(one.score - other.score) <= ROUNDING


def summary(hypotheses, place):
    """One hypothesis in words; the number of hypotheses if there is none at `place`."""
    if place >= len(hypotheses):
        return f"{len(hypotheses)} hypotheses"
    one = hypotheses[place]
    end = "finished" if one.finished else "cut off"
    number = f"hypothesis {place} of {len(hypotheses)}: " if len(hypotheses) > 1 else ""
    return f"{number}tokens {one.tokens}, score {one.score:.4f}, {end}"
