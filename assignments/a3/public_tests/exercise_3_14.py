"""The visible checks of exercise 3.14: norm first or norm last."""

from grader.checking.question import question, refusal

# A model that only remembers how it was built.
BUILD = """lambda norm_first, seed: type('Model', (torch.nn.LayerNorm,), {
    'made': (norm_first, seed)})(1)"""
TRAIN = """lambda model, seed: {'loss': 10 * seed + model.made[0],
    'gradient_norms': [model.made[1] + 0.25, 77, 88, seed + 0.5]}"""


@question(
    "3.14", weight=2, advice="one row per run; pre-norm is norm_first=True", read="exercise 3.14"
)
def test_rows_of_both_norms(its):
    """Six runs, six rows, the same seeds for both norms."""
    rows = its.compare_norms(its.make(BUILD), its.make(TRAIN), [4, 5, 6])
    rows = sorted(rows, key=lambda row: (str(row["norm"]), row["seed"]))
    return {f"{name} of row {i}": row[name] for i, row in enumerate(rows) for name in sorted(row)}


@question("3.14", corner=True, needs_one_of=["test_rows_of_both_norms"], read="exercise 3.14")
def test_two_seeds_are_refused(its):
    """Fewer than three different seeds raise a ValueError."""
    asked = lambda seeds: its.compare_norms(its.make(BUILD), its.make(TRAIN), seeds)  # noqa: E731
    return {f"{seeds}": refusal(lambda s=seeds: asked(s)) for seeds in ([1, 2], [4, 4, 4])}
