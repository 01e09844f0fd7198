"""The readers that `compare_heads` trains and measures, watched: what each saw, and when.

Accuracies of runs small enough for a test are mostly chance, and two of them may agree by chance.
What a reader was trained and measured on is neither.
"""

from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from course_lib.checking import expect

SOURCE = Path(__file__).with_name("reader_watch.py").read_text(encoding="utf-8")
WATCH = "(exec(text, scope := {}), scope)[1]"
SIZES = {"d_model": 8, "steps": 2, "n_train": 24, "n_validation": 16}


class Reader(NamedTuple):
    """One reader; an example is named by its memory and its queries."""

    start: float  # the sum of its parameters' sizes in its first pass
    batches: list[list[str]]  # the examples of each training step
    measured: list[str]  # the examples of all other passes
    noise: float  # the largest difference of two equal passes, in training

    @property
    def trained_on(self) -> set[str]:
        return {example for batch in self.batches for example in batch}

    @property
    def fresh(self) -> list[str]:
        """Measured examples that no training step has seen."""
        return [example for example in self.measured if example not in self.trained_on]

    def memories_again(self) -> set[str]:
        """Memories that were trained on and measured on, with whatever queries."""
        trained, measured = (
            {e.partition(":")[0] for e in s} for s in (self.trained_on, self.measured)
        )
        return trained & measured

    def draws(self) -> list[list[int]]:
        """Each batch as numbers in the order of first appearance: equal draws, equal numbers."""
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

    `seed` is that of the global generator before the call. Fails when no reader was used.
    """
    with _watch(student) as scope:
        options = {**SIZES, **sizes}
        student.call(student.compare_heads, heads, seeds, seed=seed, deadline=5.0, **options)
        passes = scope.method("__getitem__", "passes")
    expect.true(
        bool(passes),
        expected="runs of the `PointerReader` that is imported above",
        got="none of its passes",
        because="another model stands in for `PointerReader`",
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
