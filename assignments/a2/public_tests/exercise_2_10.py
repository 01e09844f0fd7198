"""The visible checks of exercise 2.10: one head or several."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

TINY = {"steps": 1, "n_train": 32, "n_validation": 128}


@exercise("2.10")
def test_rows(student):
    """One row for each number of heads and each seed, with the pinned columns."""
    rows = student.compare_heads([1, 2], [0, 1], **TINY)
    expect.true(
        isinstance(rows, list) and len(rows) == 4, expected="a list of 2 × 2 rows",
        got=f"{type(rows).__name__}" + (f" of {len(rows)}" if isinstance(rows, list) else ""),
        otherwise="one row per seed: neither the best seed nor the mean", read="exercise 2.10")
    columns = ["n_heads", "parameters", "seed", "validation_accuracy"]
    expect.equal(sorted(rows[0]), columns, what="the columns", read="exercise 2.10")
    expect.equal(
        sorted([row["n_heads"], row["seed"]] for row in rows),
        [[heads, seed] for heads in (1, 2) for seed in (0, 1)], what="[n_heads, seed]",
        read="exercise 2.10")


@exercise("2.10")
def test_equal_parameters(student):
    """Every run has the same number of parameters."""
    rows = student.compare_heads([1, 2, 4], [0], **TINY)
    expect.equal(
        sorted({row["parameters"] for row in rows}), [5776], what="the numbers of parameters",
        otherwise="d_model stays fixed and is divided among the heads. Count the whole reader",
        read="§6.2: “keeping the amount of computation constant”")


@exercise("2.10", beside=["test_rows", "test_equal_parameters", "test_fresh_examples"])
def test_again(student):
    """The seed determines the result: the same call gives the same rows."""
    first, second = (student.compare_heads([2], [3], **TINY) for _ in range(2))
    expect.equal(
        second, first, what="the second call",
        otherwise="call torch.manual_seed(seed) before the module is built, and make the "
                  "generator for examples and batches from the seed too", read="exercise 2.10")


@exercise("2.10")
def test_fresh_examples(student):
    """Memorizing two training memories does not help on sixty-four new ones."""
    (row,) = student.compare_heads([2], [0], steps=15, n_train=2, n_validation=64)
    expect.below(
        row["validation_accuracy"], 0.8, expected="an accuracy near chance, 1/64",
        because="this is training accuracy: draw new examples after the training examples",
        read="exercise 2.10")


@exercise("2.10", beside=["test_rows", "test_equal_parameters", "test_fresh_examples"])
def test_global_generator(student):
    """A run neither changes the global generator nor depends on it."""
    rows = []
    for drawn in (2, 3):
        before = student.make("(torch.manual_seed(1), torch.rand(n))[0].get_state()", n=drawn)
        rows.append(student.compare_heads([2], [3], **TINY))
        same = student.make("bool(before.equal(torch.random.get_rng_state()))", before=before)
        expect.true(
            same.get(), expected="torch's global generator unchanged", got="a different state",
            because="`torch.manual_seed` changes it, and so does dropout: draw from it only inside "
                    "`torch.random.fork_rng()`, and leave dropout off (0.0)",
            read="exercise 2.10")
    expect.equal(
        rows[1], rows[0], what="the rows after `torch.rand(3)` and after `torch.rand(2)`",
        otherwise="seed the weights, the examples and the batches of a run with its seed",
        read="exercise 2.10")
