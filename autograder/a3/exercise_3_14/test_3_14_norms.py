"""Hidden tests of exercise 3.14: a fair comparison of pre-norm and post-norm."""

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.14"
KEYS = ("norm", "seed", "loss", "gradient_norm_first_layer", "gradient_norm_last_layer")
# A model records how it was built and how often it was trained; its results encode both.
BUILD = (
    "lambda norm_first, seed: type('Model', (torch.nn.LayerNorm,), "
    "{'made': (bool(norm_first), int(seed)), 'runs': []})(1)"
)
TRAIN = (
    "lambda model, seed: (model.runs.append(1), log.append([*model.made, int(seed)]), "
    "{'loss': 1.0 * seed + 100 * model.made[0] + 0.25 * (len(model.runs) - 1), "
    "'gradient_norms': [seed + 0.1 + model.made[0], 7.5, seed + 0.3 + model.made[0]]})[-1]"
)


def run(student, seeds):
    """The rows, and (norm_first, model seed, training seed) of every run."""
    log = student.make("[]")
    rows = student.compare_norms(student.make(BUILD), student.make(TRAIN, log=log), seeds)
    return expect.rows(rows, KEYS, read=READ), log.get()


@exercise("3.14", weight=2)
def test_same_seeds_for_both(student):
    """Every seed runs with both norms; each model is built and trained with its seed."""
    seeds = [3, 11, 4]
    rows, log = run(student, seeds)
    found = sorted([str(row["norm"]), int(row["seed"])] for row in rows)
    wanted = sorted([norm, seed] for norm in ("post", "pre") for seed in seeds)
    expect.equal(
        found,
        wanted,
        because="one row per run: a mean or a best seed hides how much seeds differ"
        if len(log) == 2 * len(seeds) > len(rows)
        else "",
        otherwise="the same seeds for both norms, one row for each",
        read=READ,
        what="(norm, seed) of all rows",
    )
    built = sorted([int(pre), made, trained] for pre, made, trained in log)
    of_norm = [[run[1:] for run in built if run[0] == pre] for pre in (0, 1)]
    if of_norm[0] != of_norm[1]:
        because = MISTAKE.norms_unequal_seeds
    elif any(made != trained for _, made, trained in built):
        because = "a model is built with one seed and trained with another"
    else:
        because = ""
    expect.equal(
        built,
        sorted([pre, seed, seed] for pre in (0, 1) for seed in seeds),
        because=because,
        otherwise="every run builds a new model and trains it once",
        read=READ,
        what="(norm first, seed of the model, seed of the training) of all runs",
    )


@exercise("3.14", weight=2)
def test_values(student):
    """Each row has its own run's loss and gradient norms; post-norm is the paper's order."""
    rows, _ = run(student, [1, 2, 5])
    for row in rows:
        seed, pre = int(row["seed"]), row["norm"] == "pre"
        name = f"of {row['norm']}-norm with seed {seed}"
        first = seed + 0.1 + pre
        expect.close(
            row["loss"],
            seed + 100.0 * pre,
            otherwise="the loss that `train` returned for this run",
            read=READ,
            what=f"the loss {name}",
        )
        for which, wanted, other in (("first", first, first + 0.2), ("last", first + 0.2, first)):
            expect.close(
                row[f"gradient_norm_{which}_layer"],
                wanted,
                atol=1e-4,
                rtol=1e-6,
                otherwise="`gradient_norms` has one number per layer, the first layer first",
                read=READ,
                what=f"the gradient norm of the {which} layer {name}",
            )


@exercise("3.14")
def test_too_few_seeds(student):
    """Fewer than three different seeds raise a ValueError."""
    build, train = student.make(BUILD), student.make(TRAIN, log=student.make("[]"))
    for seeds, because in (
        ([1, 2], MISTAKE.norms_two_seeds),
        ([], "an empty list of seeds is accepted: require at least three"),
        ([4, 4, 4], MISTAKE.norms_one_seed_repeated),
    ):
        expect.raises(
            lambda seeds=seeds: student.compare_norms(build, train, seeds),
            because=because,
            otherwise="a ValueError for fewer than three different seeds",
            read=READ,
        )
    rows, _ = run(student, [0, 1, 2, 3])
    expect.equal(len(rows), 8, what="the number of rows for four seeds", read=READ)
