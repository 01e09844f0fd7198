"""The visible checks of exercise 3.14: norm first or norm last."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# A model that only remembers how it was built.
BUILD = ("lambda norm_first, seed: type('Model', (torch.nn.LayerNorm,), "
         "{'made': (norm_first, seed)})(1)")


@exercise("3.14")
def test_rows_of_both_norms(student):
    """Six runs, six rows, the same seeds for both norms."""
    train = student.make("lambda model, seed: {'loss': 10 * seed + model.made[0], "
                         "'gradient_norms': [model.made[1] + 0.25, 77, 88, seed + 0.5]}")
    rows = student.compare_norms(student.make(BUILD), train, [4, 5, 6])
    expect.true(
        isinstance(rows, list) and len(rows) == 6, expected="a list of 2 × 3 rows",
        got=f"{type(rows).__name__}" + (f" of {len(rows)}" if isinstance(rows, list) else ""),
        otherwise="one row per run: not the best one, not the mean", read="exercise 3.14")
    columns = ["gradient_norm_first_layer", "gradient_norm_last_layer", "loss", "norm", "seed"]
    expect.equal(sorted(rows[0]), columns, what="the columns", read="exercise 3.14")
    got = sorted([row["norm"], *(row[name] for name in ("seed", "loss", *columns[:2]))]
                 for row in rows)
    want = [[norm, seed, 10 * seed + (norm == "pre"), seed + 0.25, seed + 0.5]
            for norm in ("post", "pre") for seed in (4, 5, 6)]
    expect.equal(got, want, what="[norm, seed, loss, first, last]",
                 otherwise="pre-norm is norm_first=True; layers are numbered from the input",
                 read="exercise 3.14")


@exercise("3.14", beside=["test_rows_of_both_norms"])
def test_two_seeds_are_refused(student):
    """Fewer than three different seeds raise a ValueError."""
    build = student.make(BUILD)
    nothing = student.make("lambda model, seed: {'loss': 0.0, 'gradient_norms': [0.0]}")
    for seeds in ([1, 2], [4, 4, 4]):
        expect.raises(
            lambda seeds=seeds: student.compare_norms(build, nothing, seeds),
            because=f"the seeds {seeds} are accepted: require three different ones",
            otherwise="a ValueError", read="exercise 3.14")
