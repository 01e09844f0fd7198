"""Hidden tests of exercise 3.3: from token ids to vectors."""

import torch

from autograder.a3.tensors import filled, normal
from grader.checking.question import question

ON_META = """student['TransformerEmbedding'](9, 4, max_length=3).to('meta')(
    torch.ones(2, 5, dtype=torch.long, device='meta')).device.type"""
READ = "§3.4, last sentence; §3.5"
SUM = "embeddings × √d_model + the first n rows of the table, then dropout"
GROW = "`self.positions = self.table(n)`"


def build(its, rng, d_model=6, dropout=0.1, pad_id=0, **options):
    """The module in evaluation mode, with drawn weights."""
    return filled(its.TransformerEmbedding(9, d_model, dropout, pad_id, **options), rng, pad_id)


def outputs(module, rng, *lengths):
    """The vectors of two sentences of each length."""
    ids = {n: torch.from_numpy(rng.integers(1, 9, size=(2, n))) for n in lengths}
    return {f"the output for {n} tokens": module(ids[n]) for n in lengths}


@question("3.3", weight=3, advice=SUM, read=READ)
def test_values(its, rng):
    """Embeddings × √d_model plus positions, and gradients, for every token, padding included."""
    ids = torch.tensor([[5, 0, 7, 3], [1, 3, 0, 6]])
    padded = {f"the output with pad_id={i}": build(its, rng, pad_id=i)(ids) for i in (0, 3)}
    cotangent = normal(rng, 2, 4, 6)
    some = torch.tensor([[1, 2, 2, 3], [4, 1, 8, 5]])
    found = its.vjp(build(its, rng), some, cotangent=cotangent, parameters=True).parameters
    padded["the gradient of `tokens.weight`"] = found["tokens.weight"]
    return outputs(build(its, rng), rng, 4, 1, 2) | padded


@question("3.3", weight=2, advice=GROW, read="the docstring of 3.3")
def test_longer_than_the_table(its, rng):
    """An input longer than `max_length` works, with scaled positions, and short ones after it."""
    module = build(its, rng, max_length=4, position_scale=0.25)
    return outputs(module, rng, 4, 5, 9, 3) | {
        "the names in the state dict": sorted(module.state_dict()),
        "the table has a row for each of 9 positions": len(module.get("positions")) >= 9,
        "by default for 512": len(its.TransformerEmbedding(9, 4).get("positions")) >= 512,
    }


@question(
    "3.3", corner=True, advice="build tensors on the device of the weights", read="exercise 3.3"
)
def test_another_device(its):
    """The module works on another device, such as a GPU, also for long inputs."""
    return its.make(ON_META).get()


@question("3.3", weight=2, advice="apply the module's `dropout` last, to the sum", read="§5.4")
def test_dropout(its, rng):
    """Dropout is applied to the sums, in training only."""
    module = build(its, rng, 16, dropout=0.5)
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, 5)))
    whole = module(ids)
    module.train()
    used = its.call(module, ids, seed=1).value
    plain = its.TransformerEmbedding(9, 16)
    kept = its.call(plain, ids, seed=1).value
    plain.eval()
    rows = plain.state_dict()["tokens.weight"]
    gone, all_gone = used == 0, its.TransformerEmbedding(9, 4, dropout=1.0)(ids)
    return {
        "the output in evaluation mode": whole,
        "the factor by default": round(float((kept / plain(ids)).nanmedian()), 2),
        "rows of zeros by default": (rows == 0).all(1).nonzero().flatten().tolist(),
        # correct dropout drops all or none of 320 features once in 2^319 runs
        "some features are dropped": bool(gone.any()),
        "the others are doubled": bool((used - 2 * whole)[~gone].abs().max() < 1e-3),
        "not all are dropped": not gone.all(),
        "the output in training mode, at a rate of 1": all_gone,
    }
