"""Hidden tests of exercise 2.10: one head or several, on runs small enough for a test."""

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

ROW_A = "§6.2, Table 3, row (A)"
COLUMNS = ("n_heads", "seed", "parameters", "validation_accuracy")
TINY = {"d_model": 8, "steps": 1, "n_train": 16, "n_validation": 16}


def rows_of(value):
    """The rows, each with the four columns and plain numbers in them."""
    expect.true(
        isinstance(value, list) and all(isinstance(row, dict) for row in value),
        expected="a list of rows, each a dict",
        got=type(value).__name__,
        read="exercise 2.10, the docstring",
    )
    for row in value:
        missing = [name for name in COLUMNS if name not in row]
        expect.true(
            not missing,
            expected=f"the columns {', '.join(COLUMNS)}",
            got=f"no {', '.join(missing)} among {', '.join(map(str, row))}",
            otherwise="keep the names of the docstring",
            read="exercise 2.10, the docstring",
        )
        strange = [name for name in COLUMNS if not isinstance(row[name], (int, float))]
        expect.true(
            not strange,
            expected="numbers in every column",
            got=f"{strange[0]} = {row[strange[0]]!r}" if strange else "",
            otherwise="`.item()` or `float(…)` makes a plain number of a tensor",
            read="exercise 2.10, the docstring",
        )
    return value


def parameters_of(d_model):
    """Four embeddings of 8, four layers with biases, a linear layer for 2 × 8 symbols."""
    return 4 * 8 * d_model + 4 * (d_model**2 + d_model) + 16 * (d_model + 1)


@exercise("2.10")
def test_one_row_a_run(student):
    """Every number of heads with every one of five seeds: ten rows with four columns."""
    heads, seeds = [1, 4], [3, 1, 4, 15, 9]
    # The first optimiser of a process loads much of torch.
    value = student.call(student.compare_heads, heads, seeds, **TINY, deadline=5.0).value
    rows = rows_of(value)
    hints = {
        len(heads): "one row for each number of heads: a mean, or a best seed, hides how much "
        "seeds differ",
        len(seeds): "one row for each seed, of one number of heads only",
    }
    expect.equal(
        sorted((int(row["n_heads"]), int(row["seed"])) for row in rows),
        sorted((n_heads, seed) for n_heads in heads for seed in seeds),
        otherwise=hints.get(len(rows), "append one row in the inner loop, with its own seed"),
        read=ROW_A,
        what="(n_heads, seed) of all rows",
    )
    accuracies = [row["validation_accuracy"] for row in rows]
    expect.true(
        all(0 <= accuracy <= 1 for accuracy in accuracies),
        expected="accuracies between 0 and 1",
        got=f"{min(accuracies)} to {max(accuracies)}",
        otherwise="the share of right answers, neither a loss nor per cent",
        read="exercise 2.10, the docstring",
    )


@exercise("2.10")
def test_equal_parameters(student):
    """Every row counts the same number of parameters, that of the whole reader."""
    for d_model, heads in [(8, [1, 2, 8]), (16, [4])]:
        options = {**TINY, "d_model": d_model}
        rows = rows_of(student.compare_heads(heads, [0], **options))
        counts = [int(row["parameters"]) for row in rows]
        expect.true(
            len(set(counts)) == 1,
            expected="as many parameters with 1 head as with 8",
            got=", ".join(f"{row['n_heads']:g}: {row['parameters']}" for row in rows),
            otherwise="the numbers of heads are compared at unequal parameters: keep d_model, and "
            "let d_k = d_model / n_heads",
            read=ROW_A,
        )
        attention = 4 * (d_model**2 + d_model)
        expect.close(
            counts[0],
            parameters_of(d_model),
            causes={
                "the attention's parameters only: count those of the whole reader": attention,
                "the biases of the attention are missing": parameters_of(d_model) - 4 * d_model,
                "the width is not `d_model`": parameters_of(32),
            },
            otherwise="all parameters of a PointerReader of width d_model, with biases",
            read=ROW_A,
            what=f"the parameters for d_model = {d_model}",
        )


@exercise("2.10", weight=2)
def test_accuracy_is_that_of_validation(student):
    """Two memories learnt by heart answer nothing about others: accuracy on those stays low."""
    rows = rows_of(student.compare_heads([2], [0], d_model=32, steps=15, n_train=2, n_validation=2))
    accuracy = rows[0]["validation_accuracy"]
    expect.true(
        accuracy < 0.3,
        expected="an accuracy near chance (1/64) after training on two memories",
        got=f"{accuracy:.2f}",
        otherwise="this is training accuracy: measure on examples that were not trained on, drawn "
        "after those of training from the same generator",
        read=ROW_A,
    )


@exercise("2.10")
def test_reader_is_trained(student):
    """After 25 steps on 256 memories, two heads answer far more often than chance."""
    rows = rows_of(
        student.compare_heads([2], [0], d_model=32, steps=25, n_train=256, n_validation=64)
    )
    accuracy = rows[0]["validation_accuracy"]
    expect.true(
        accuracy > 0.2,
        expected="an accuracy far above chance, 1/64",
        got=f"{accuracy:.3f}",
        otherwise="the reader that is measured was not trained for `steps` steps",
        read="exercise 2.10, the docstring",
    )


@exercise("2.10", weight=2)
def test_seed_decides_all(student):
    """A row depends on its number of heads and its seed only, and leaves the generator alone."""
    options = {**TINY, "n_train": 64, "n_validation": 64}
    together = rows_of(student.call(student.compare_heads, [1, 2], [5, 6], **options, seed=1).value)
    alone = rows_of(student.call(student.compare_heads, [2], [6, 5], **options, seed=2).value)
    wanted = {row["seed"]: row["validation_accuracy"] for row in together if row["n_heads"] == 2}
    expect.equal(
        {row["seed"]: row["validation_accuracy"] for row in alone},
        wanted,
        otherwise="a run depends on what ran before it, or on the global generator: seed the "
        "weights, the examples and the batches of every run by its own seed",
        read="exercise 2.10, the docstring",
        what="validation accuracy by seed, run again alone",
    )
    expect.true(
        len(set(wanted.values())) > 1,
        expected="runs of different seeds that differ",
        got=f"{wanted}",
        otherwise="the seed is not used: every run starts alike",
        read="exercise 2.10, the docstring",
    )
    state = student.make("torch.manual_seed(11) and torch.random.get_rng_state()")
    student.compare_heads([1], [5], **options)
    same = student.make("int(torch.random.get_rng_state().equal(state))", state=state)
    expect.equal(
        same.get(),
        1,
        otherwise="`torch.manual_seed` also reseeds everyone else: put it under "
        "`torch.random.fork_rng()`",
        read="exercise 2.10, the docstring",
        what="the global generator is as it was (1 = yes)",
    )
