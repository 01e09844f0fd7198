"""The visible checks of exercise 2.10: one head or several."""

from grader.checking.question import question

TINY = {"steps": 1, "n_train": 32, "n_validation": 128}


def compared(its, heads, seeds, **sizes):
    """The rows; there is time for a hundred steps, so that ignoring `steps` is seen as that."""
    return its.call(its.compare_heads, heads, seeds, deadline=10.0, **sizes).value


@question("2.10", weight=3, advice="one row per run: neither the best seed nor the mean")
def test_rows(its):
    """One row for each number of heads and each seed, with the required columns."""
    # Two right accuracies are equal once in 17 runs, six once in 10⁶.
    rows = compared(its, [1, 2], [0, 1, 2, 3, 4, 5], **TINY)
    found = {f"columns of row {number}": sorted(row) for number, row in enumerate(rows, 1)}
    for heads in (1, 2):
        shares = {row.get("validation_accuracy") for row in rows if row.get("n_heads") == heads}
        found[f"the seeds have one accuracy with {heads}"] = len(shares) == 1
    found["shares, 0 to 1"] = all(0 <= row.get("validation_accuracy", 0) <= 1 for row in rows)
    return found | {
        "[n_heads, seed]": sorted([row.get("n_heads"), row.get("seed")] for row in rows)
    }


@question(
    "2.10",
    weight=4,
    advice="d_model is divided among the heads; count the whole reader",
    read="§6.2",
)
def test_equal_parameters(its):
    """Every run has the same number of parameters, and `steps` and `n_train` matter."""
    rows = compared(its, [1, 2, 4], [0], **TINY)
    found = {f"parameters with {row['n_heads']} heads": row["parameters"] for row in rows}
    if set(found.values()) == {5648}:  # the attention has no biases, which the handout leaves open
        found = dict.fromkeys(found, 5776)
    for size, numbers in {"steps": (1, 9, 20), "n_train": (8, 16, 24, 32, 48, 64)}.items():
        some = [compared(its, [1], [0], **TINY | {size: n})[0] for n in numbers]
        same = len({row.get("validation_accuracy") for row in some}) == 1
        found[f"the accuracy is the same for {size} = {numbers}"] = same
    return found


@question("2.10", weight=2, advice="draw new examples after the training examples")
def test_fresh_examples(its):
    """Memorizing two training memories does not help on sixty-four new ones."""
    (row,) = compared(its, [2], [0], steps=15, n_train=2, n_validation=64)
    return {"the accuracy is near chance, 1/64": row["validation_accuracy"] < 0.8}


@question(
    "2.10", weight=2, needs_one_of=["test_rows", "test_equal_parameters", "test_fresh_examples"]
)
def test_global_generator(its):
    """A run neither changes the global generator nor depends on it: its seed decides all."""
    found, rows = {}, []
    for drawn, heads, seeds in ((2, [2], [3]), (3, [1, 2], [0, 3])):
        state = its.make("(torch.manual_seed(1), torch.rand(n))[0].get_state()", n=drawn)
        rows.append(compared(its, heads, seeds, **TINY)[-1])
        same = its.make("bool(state.equal(torch.random.get_rng_state()))", state=state).get()
        found[f"the generator is unchanged, {drawn}"] = same
    return found | {"the row is the same, alone or after others": rows[0] == rows[1]}
