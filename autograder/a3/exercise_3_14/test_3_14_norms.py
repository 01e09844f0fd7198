"""Hidden tests of exercise 3.14: a fair comparison of pre-norm and post-norm."""

from grader.checking.question import question, refusal

READ = "the docstring of 3.14"
# A model records how it was built and how often it was trained; its results encode both.
BUILD = (
    "lambda norm_first, seed: type('Model', (torch.nn.LayerNorm,), "
    "{'made': (bool(norm_first), int(seed)), 'runs': []})(1)"
)
TRAIN = (
    "lambda model, seed: (model.runs.append(1), log.append([*model.made, int(seed)]), "
    "{'loss': 1.0 * seed + 100 * model.made[0] + 0.25 * (len(model.runs) - 1), "
    "'gradient_norms': [seed + 0.1 + model.made[0], 7.5, 8.5, seed + 0.3 + model.made[0]]})[-1]"
)


def run(its, seeds):
    """The rows in a fixed order, and (norm_first, model seed, training seed) of every run."""
    log = its.make("[]")
    rows = its.compare_norms(its.make(BUILD), its.make(TRAIN, log=log), seeds)
    return sorted(rows, key=lambda row: (str(row["norm"]), row["seed"])), sorted(log.get())


@question("3.14", weight=2, advice="every run builds a new model and trains it once", read=READ)
def test_same_seeds_for_both(its):
    """Every seed runs with both norms; each model is built and trained with its seed."""
    rows, log = run(its, [3, 11, 4, 7])
    return {
        "norm and seed of all rows": [f"{row['norm']}, {row['seed']}" for row in rows],
        "[norm first, seed of the model, seed of the training] of all runs": log,
    }


@question("3.14", weight=2, advice="`gradient_norms`: one per layer, the first first", read=READ)
def test_values(its):
    """Each row has its own run's loss and gradient norms; post-norm is the paper's order."""
    rows, _ = run(its, [1, 2, 5])
    names = ("loss", "gradient_norm_first_layer", "gradient_norm_last_layer")
    return {f"{n} of {row['norm']}, {row['seed']}": row[n] for row in rows for n in names}


@question("3.14", corner=True, advice="count the different seeds", read=READ)
def test_few_seeds(its):
    """Fewer than three different seeds are refused."""
    return {f"{own}": refusal(lambda own=own: run(its, own)[0]) for own in ([7], [5, 5, 8, 8])}
