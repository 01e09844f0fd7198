"""Records which examples each reader of `compare_heads` is trained and evaluated on.

The accuracies of runs small enough for a test are mostly chance, and two may agree by chance. The
examples that a reader saw are exact evidence.
"""

from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from grader.checking import expect

SOURCE = Path(__file__).with_name("reader_watch.py").read_text(encoding="utf-8")
WATCH = "(exec(text, scope := {}), scope)[1]"
SIZES = {"d_model": 8, "steps": 2, "n_train": 24, "n_validation": 16}


class Reader(NamedTuple):
    """One recorded reader. An example is identified by its memory and its queries."""

    start: float  # the sum of its absolute parameters at its first pass
    batches: list[list[str]]  # the examples of each training step
    measured: list[str]  # the examples of all other passes
    noise: float  # the largest difference between two passes on one batch, in training

    @property
    def trained_on(self) -> set[str]:
        return {example for batch in self.batches for example in batch}

    @property
    def fresh(self) -> list[str]:
        """Measured examples that no training step has seen."""
        return [example for example in self.measured if example not in self.trained_on]

    def repeated_memories(self) -> set[str]:
        """Memories used in both training and evaluation, with any queries."""
        trained, measured = (
            {e.partition(":")[0] for e in s} for s in (self.trained_on, self.measured)
        )
        return trained & measured

    def draws(self) -> list[list[int]]:
        """Each batch as indices of examples, numbered by first appearance."""
        seen: dict[str, int] = {}
        return [[seen.setdefault(example, len(seen)) for example in b] for b in self.batches]


@contextmanager
def _watch(student):
    scope = student.make(WATCH, text=SOURCE)
    try:
        yield scope
    finally:
        student.make("scope['stop']()", scope=scope)


def readers(student, heads, seeds, seed=None, **sizes):
    """The readers of one call of `compare_heads`, in the order of their first pass.

    `seed` seeds the global generator before the call. Raises Failure when no reader was used.
    """
    with _watch(student) as scope:
        options = {**SIZES, **sizes}
        student.call(student.compare_heads, heads, seeds, seed=seed, deadline=5.0, **options)
        passes = scope.method("__getitem__", "passes")
    expect.true(
        bool(passes),
        expected="runs of the imported `PointerReader`",
        got="no forward pass of it",
        because="another model is used instead of `PointerReader`",
        read="handout of exercise 2.10",
    )
    numbers = list(dict.fromkeys(one["reader"] for one in passes))
    return [_reader([one for one in passes if one["reader"] == n]) for n in numbers]


def _reader(passes):
    trained = [one for one in passes if one["trained"]]
    return Reader(
        start=passes[0]["parameters"],
        batches=[one["examples"] for one in trained],
        measured=[e for one in passes if not one["trained"] for e in one["examples"]],
        noise=max((one["noise"] for one in trained), default=0.0),
    )
