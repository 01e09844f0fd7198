"""Hidden tests of exercise 2.10: one head or several, on runs small enough for a test."""

from autograder.a2.exercise_2_10.watched_readers import SIZES, readers
from grader.checking import expect
from grader.checking.exercise import exercise, fixture
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

ROW_A = "§6.2, Table 3, row (A)"
DOCSTRING = "exercise 2.10, the docstring"
COLUMNS = ("n_heads", "seed", "parameters", "validation_accuracy")
TINY = {"d_model": 8, "steps": 1, "n_train": 16, "n_validation": 16}


def rows_of(value):
    """The rows, after checking that each has the four columns with plain numbers."""
    because = MISTAKE.compare_column_missing
    for row in expect.rows(value, COLUMNS, because=because, read=DOCSTRING):
        strange = [name for name in COLUMNS if not isinstance(row[name], (int, float))]
        expect.true(
            not strange,
            expected="numbers in every column",
            got=f"{strange[0]} = {row[strange[0]]!r}" if strange else "",
            otherwise="convert tensors with `.item()` or `float(…)`",
            read=DOCSTRING,
        )
    return value


def parameters_of(d_model):
    """Parameters of the reader: four embeddings of 8, four biased layers and a 16-way output."""
    return 4 * 8 * d_model + 4 * (d_model**2 + d_model) + 16 * (d_model + 1)


@fixture
def alone(student):
    """The readers of three calls with one run each, of seeds 5, 5 and 6.

    The global generator starts differently in the first two.
    """
    return [readers(student, [2], [seed], seed=start) for seed, start in [(5, 1), (5, 2), (6, 1)]]


@exercise("2.10")
def test_one_row_a_run(student):
    """Two numbers of heads with three seeds each: six rows with four columns."""
    heads, seeds = [1, 4], [3, 1, 15]
    # The first optimizer in a process imports much of torch.
    value = student.call(student.compare_heads, heads, seeds, **TINY, deadline=5.0).value
    rows = rows_of(value)
    found = sorted((int(row["n_heads"]), int(row["seed"])) for row in rows)
    because = ""
    if [n_heads for n_heads, _ in found] == heads:
        because = MISTAKE.compare_best_seed
    elif sorted(seed for _, seed in found) == sorted(seeds):
        because = "one row for each seed, but for only one number of heads"
    expect.equal(
        found,
        sorted((n_heads, seed) for n_heads in heads for seed in seeds),
        because=because,
        otherwise="append one row in the inner loop, with its own seed",
        read=ROW_A,
        what="(n_heads, seed) of all rows",
    )
    accuracies = [row["validation_accuracy"] for row in rows]
    expect.true(
        all(0 <= accuracy <= 1 for accuracy in accuracies),
        expected="accuracies between 0 and 1",
        got=f"{min(accuracies)} to {max(accuracies)}",
        otherwise="the fraction of correct answers, not a loss or a percentage",
        read=DOCSTRING,
    )


@exercise("2.10")
def test_equal_parameters(student):
    """Every row reports the same number of parameters, that of the whole reader."""
    for d_model, heads in [(8, [1, 2, 8]), (16, [4])]:
        options = {**TINY, "d_model": d_model}
        rows = rows_of(student.compare_heads(heads, [0], **options))
        counts = [int(row["parameters"]) for row in rows]
        expect.true(
            len(set(counts)) == 1,
            expected="as many parameters with 1 head as with 8",
            got=", ".join(f"{row['n_heads']:g}: {row['parameters']}" for row in rows),
            read=ROW_A,
        )
        attention = 4 * (d_model**2 + d_model)
        expect.close(
            counts[0],
            parameters_of(d_model),
            otherwise="all parameters of a PointerReader of width d_model, with biases",
            read=ROW_A,
            what=f"the number of parameters for d_model = {d_model}",
        )


@exercise("2.10", weight=2)
def test_accuracy_is_that_of_validation(student, alone):
    """A reader is evaluated on `n_validation` examples that no training step has seen."""
    fewer = readers(student, [2], [0], n_validation=5)
    for n_validation, found in ((SIZES["n_validation"], alone[0]), (5, fewer)):
        (reader,) = one_trained(found)
        again = reader.repeated_memories()
        because = MISTAKE.compare_training_accuracy
        if len(reader.fresh) == len(reader.measured):
            because = MISTAKE.compare_same_examples_again
        expect.true(
            len(again) < 2,  # two of 8⁸ memories repeat by chance once in 10⁹ runs
            expected=f"an accuracy on {n_validation} memories that are not in the training set",
            got=f"{len(again)} training memories among them",
            because=because,
            read=ROW_A,
        )
        expect.equal(
            len(reader.fresh),
            n_validation,
            otherwise="draw `n_validation` new examples and evaluate on all of them, once",
            read=DOCSTRING,
            what="the number of validation examples",
        )


def one_trained(found):
    """The only reader of a run, as a list. Raises Failure if several are trained or evaluated."""
    measured = [reader for reader in found if reader.measured]
    expect.true(
        all(reader.batches for reader in measured),
        expected="the accuracy of the trained reader",
        got="passes of an untrained reader",
        read=DOCSTRING,
    )
    expect.true(
        len(found) == 1 and bool(measured),
        expected="one reader per run, trained and then evaluated",
        got=f"{len(found)} readers, {len(measured)} of them evaluated",
        otherwise="build one reader, train it, and pass the same one to `accuracy`",
        read=DOCSTRING,
    )
    return found


@exercise("2.10")
def test_reader_is_trained(student, alone):
    """The evaluated reader has had `steps` training steps and has learned from them."""
    for steps, found in ((SIZES["steps"], alone[0]), (3, readers(student, [2], [0], steps=3))):
        (reader,) = one_trained(found)
        expect.equal(
            len(reader.batches),
            steps,
            otherwise="one step on one batch, `steps` times",
            read=DOCSTRING,
            what="the number of training steps",
        )
    sizes = {"d_model": 32, "steps": 45, "n_train": 256, "n_validation": 256}
    (row,) = rows_of(student.compare_heads([2], [0], **sizes))
    expect.above(
        row["validation_accuracy"],
        # Chance is 1/64, with a standard error of 0.003 over 2,048 queries. With weights drawn in
        # another order, one of the two heads may learn late: 0.4 is seen, too.
        0.035,
        expected="an accuracy far above chance, 1/64, after 45 steps",
        otherwise="the training steps must update the reader that is evaluated",
        read=DOCSTRING,
    )


@exercise("2.10")
def test_no_dropout(alone):
    """Readers are compared without dropout."""
    (reader,) = one_trained(alone[0])
    expect.below(
        reader.noise,
        1e-3,
        expected="the same scores for the same batch twice: `dropout=0.0`",
        got=f"scores that differ by up to {reader.noise:.2g}",
        read="handout of exercise 2.10",
    )


@exercise("2.10")
def test_data_of_a_seed(student, alone):
    """Runs with the same seed see the same data; runs with different seeds do not."""
    (five,), (again,), (six,) = map(one_trained, alone)
    expect.true(
        again.batches == five.batches,
        expected="examples and batches that depend only on the seed",
        got="different ones after `torch.manual_seed(2)`",
        read=DOCSTRING,
    )
    expect.true(
        not five.trained_on & six.trained_on,
        expected="different examples for different seeds",
        got="the same examples with seeds 5 and 6",
        read=DOCSTRING,
    )
    expect.true(
        five.draws() != six.draws(),
        expected="different batches for different seeds",
        got="the same choice of examples in every batch with seeds 5 and 6",
        read=DOCSTRING,
    )
    separate = [(one.batches, one.fresh) for one in (five, six)]
    together = readers(student, [2, 4], [5, 6])
    expect.true(
        all((one.batches, one.fresh) in separate for one in together),
        expected="for each seed the examples and batches of a separate run",
        got="different ones when several runs are made in one call",
        read=DOCSTRING,
    )


@exercise("2.10", weight=2)
def test_seed_decides_all(student, alone):
    """A row depends only on its number of heads and its seed, not on earlier runs."""
    (first,), (again,), (other,) = map(one_trained, alone)
    expect.equal(
        again.start,
        first.start,
        read=DOCSTRING,
        what="the sum of the absolute initial parameters with seed 5",
    )
    expect.true(
        first.start != other.start,
        expected="different weights for different seeds",
        got="the same with seeds 5 and 6",
        because="the seed is not used: every run starts from the same weights",
        read=DOCSTRING,
    )
    options = {**SIZES, "n_train": 64, "n_validation": 64}
    together = rows_of(student.call(student.compare_heads, [1, 2], [5, 6], **options, seed=1).value)
    separate = rows_of(student.call(student.compare_heads, [2], [6, 5], **options, seed=2).value)
    expect.equal(
        {row["seed"]: row["validation_accuracy"] for row in separate},
        {row["seed"]: row["validation_accuracy"] for row in together if row["n_heads"] == 2},
        because="a run depends on the runs before it, or on the global generator: seed the "
        "weights, the examples and the batches of every run with its own seed",
        read=DOCSTRING,
        what="validation accuracy by seed, in a separate call",
    )


@exercise(
    "2.10",
    beside=["test_accuracy_is_that_of_validation", "test_seed_decides_all", "test_one_row_a_run"],
)
def test_global_generator(student):
    """The call leaves the state of the global generator unchanged."""

    def same(a, b):
        return student.make("bool(a.equal(b))", a=a, b=b).get()

    pairs = []  # the generator's states before and after each of two calls
    for drawn in (3, 4):
        before = student.make("(torch.manual_seed(11), torch.rand(n))[0].get_state()", n=drawn)
        student.compare_heads([1], [5], **SIZES)
        pairs.append((before, student.make("torch.random.get_rng_state()")))
    because = ""
    if same(pairs[0][1], student.make("torch.Generator().manual_seed(11).get_state()")):
        because = MISTAKE.compare_generator_restarted
    elif same(pairs[0][1], pairs[1][1]):
        because = MISTAKE.compare_generator_reseeded
    expect.true(
        all(same(*pair) for pair in pairs),
        expected="the global generator's state from before the call",
        got="a different state",
        because=because,
        otherwise="numbers are drawn from the global generator, and its state is not restored",
        read=DOCSTRING,
    )
