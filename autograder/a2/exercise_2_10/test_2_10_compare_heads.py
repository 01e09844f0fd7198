"""Hidden tests of exercise 2.10: one head or several, on runs small enough for a test.

Accuracies of such runs are mostly chance, and two may agree by chance. The examples that a reader
saw are exact evidence. A right comparison may draw its weights and data otherwise than the right
form does, so what is asked is mostly whether something is so.
"""

from pathlib import Path
from typing import NamedTuple

from grader.checking.exercise import fixture
from grader.checking.question import question

ROW_A, DOCSTRING = "§6.2, Table 3, row (A)", "exercise 2.10, the docstring"
SIZES = {"d_model": 8, "steps": 2, "n_train": 24, "n_validation": 16}
SOURCE = Path(__file__).with_name("reader_watch.py").read_text(encoding="utf-8")
SEEDED = "seed the weights, the examples and the batches of every run with its own seed"


class Reader(NamedTuple):
    """One recorded reader. An example is a memory and its queries."""

    start: float  # the sum of its absolute parameters at its first pass
    batches: list[list[str]]  # the examples of each training step
    measured: list[str]  # the examples of all other passes
    noise: float  # the largest difference between two passes on one batch

    def trained_on(self):
        return {example for batch in self.batches for example in batch}

    def draws(self):
        """Each batch as numbers of examples, in order of appearance."""
        seen = {}
        return [[seen.setdefault(example, len(seen)) for example in b] for b in self.batches]


def readers(its, heads, seeds, start=None, **sizes):
    """The readers of one call; `start` seeds the global generator before it."""
    scope = its.make("(exec(text, scope := {}), scope)[1]", text=SOURCE)
    try:
        its.call(its.compare_heads, heads, seeds, seed=start, deadline=5.0, **SIZES | sizes)
    finally:
        passes = its.make("scope['stop']()", scope=scope).get()
    found = {}
    for number, trains, seen, size, noise in passes:
        reader = found.setdefault(number, Reader(size, [], [], noise))
        reader.batches.append(seen) if trains else reader.measured.extend(seen)
    return list(found.values())


@fixture
def alone(its):
    """The readers of three calls with one run each, of seeds 5, 5 and 6.

    The global generator starts differently in the first two.
    """
    return [readers(its, [2], [seed], start) for seed, start in [(5, 1), (5, 2), (6, 1)]]


@question("2.10", weight=4, advice="new examples, drawn after the training examples", read=ROW_A)
def test_accuracy_is_that_of_validation(its, alone):
    """A reader is evaluated on `n_validation` examples that no training step has seen."""
    found = {}
    for n, several in ((16, alone[0]), (5, readers(its, [2], [0], n_validation=5))):
        seen, measured = several[0].trained_on(), several[0].measured
        memories = [{example.partition(":")[0] for example in some} for some in (seen, measured)]
        found[f"fresh examples for {n}"] = len([one for one in measured if one not in seen])
        # Two of 8⁸ memories repeat by chance once in 10⁹ runs.
        found[f"new memories for {n}"] = len(memories[0] & memories[1]) < 2
    return found


@question("2.10", weight=3, advice="build one reader, train it, evaluate the same", read=DOCSTRING)
def test_reader_is_trained(its, alone):
    """The evaluated reader has had `steps` steps on `n_train` examples and learned from them."""
    sizes = {"d_model": 32, "steps": 45, "n_train": 256, "n_validation": 256}
    (row,) = its.compare_heads([2], [0], **sizes)
    found = {"readers, trained and evaluated": [bool(r.batches and r.measured) for r in alone[0]]}
    for steps, several in ((2, alone[0]), (3, readers(its, [2], [0], steps=3))):
        found[f"training steps of {steps}"] = [len(reader.batches) for reader in several]
    found["one batch twice gives the same scores: no dropout"] = alone[0][0].noise < 1e-3
    found["at most n_train examples are seen"] = len(alone[0][0].trained_on()) <= SIZES["n_train"]
    defaults = {name: default for name, _, default in its.compare_heads.signature()}
    for name in ("steps", "n_train", "n_validation"):
        found[f"{name} by default"] = defaults.get(name)
    count = row.get("parameters")
    # 5,648: the attention has no biases, which the handout leaves open
    found |= {"columns": sorted(row), "parameters": 5776 if count == 5648 else count}
    # Chance is 1/64, with a standard error of 0.003 over 2,048 queries. With weights drawn in
    # another order, one of the two heads may learn late: 0.4 is seen, too.
    return found | {"it is far better than chance": 0.035 < row["validation_accuracy"] <= 1}


@question("2.10", weight=6, advice=SEEDED, read=DOCSTRING)
def test_seed_decides_all(its, alone):
    """A run depends only on its number of heads and its seed: weights, examples and batches."""
    five, again, six = (several[0] for several in alone)
    separate = [(one.start, one.batches, one.measured) for one in (five, six)]
    together = [(one.start, one.batches, one.measured) for one in readers(its, [1, 2], [5, 6])]
    options = {**SIZES, "n_train": 64, "n_validation": 64}
    rows = its.call(its.compare_heads, [1, 2], [5, 6], **options, seed=1).value
    state = its.make("(torch.manual_seed(2), torch.rand(3))[0].get_state()")
    alone_again = its.compare_heads([2], [6], **options)
    same = its.make("bool(state.equal(torch.random.get_rng_state()))", state=state).get()
    return {
        "one seed has the same first weights in another call": again.start == five.start,
        "one seed has the same batches in another call": again.batches == five.batches,
        "two seeds have other first weights": five.start != six.start,
        "two seeds have other examples": not five.trained_on() & six.trained_on(),
        "two seeds draw other batches": five.draws() != six.draws(),
        "a run is the same after other runs": all(one in together for one in separate),
        "the global generator is unchanged": same,
        "a row is the same in another call": all(row in rows for row in alone_again),
    }
