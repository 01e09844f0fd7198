"""The visible checks of exercise 3.17: how to begin."""

import torch

from grader.checking.question import question, refusal

SCHEMES = ("xavier", "he", "normal")
LAYERS = "torch.nn.Sequential(torch.nn.Linear(200, 600), torch.nn.Linear(600, 200))"


def weights(its, layer, scheme, seed=7):
    its.initialize(layer, scheme, its.make(f"torch.Generator().manual_seed({seed})"))
    return layer.state_dict()


@question(
    "3.17",
    weight=3,
    advice="±√(6 / (in + out)), √(2 / in); the weight is (out, in)",
    read="exercise 3.17",
)
def test_spread(its):
    """Weights have each scheme's deviation and form, in widening and narrowing layers, mean 0."""
    found = {}
    for scheme in SCHEMES:
        state = weights(its, its.make(LAYERS), scheme)
        for layer, size in {"0": "200 → 600", "1": "600 → 200"}.items():
            weight, of = state[f"{layer}.weight"].double(), f"of {scheme}, {size} features"
            # of 120,000 values: chance moves the deviation by 0.2 %, the mean by 0.003 deviations
            spread = float(weight.std())
            found[f"the deviation {of}, rounded to 0.01"] = round(spread, 2)
            found[f"the mean {of} is 0"] = abs(float(weight.mean())) < 0.05 * spread
            # √3 = 1.73 deviations if uniform
            found[f"weights beyond 2.5 deviations {of}"] = bool(weight.max() > 2.5 * spread)
    return found


@question("3.17", advice="model.modules(), isinstance; name the three", read="exercise 3.17")
def test_only_linear_layers(its):
    """Weights and biases, set to 0, alone change; an unknown scheme raises a ValueError."""
    parts = "Linear(3, 3, False)]), nn.Linear(3, 2), nn.LayerNorm(3), nn.Embedding(5, 3)])"
    model = its.make(f"(lambda nn: nn.ModuleList([nn.ModuleList([nn.{parts})(torch.nn)")
    before, after = model.state_dict(), weights(its, model, "he")
    return {
        "what changes": [name for name in after if not torch.equal(before[name], after[name])],
        "the biases are 0": not after["1.bias"].any(),
        "the scheme 'lecun'": refusal(lambda: weights(its, model, "lecun"), SCHEMES),
    }


@question(
    "3.17", weight=2, advice="draw from `generator` only, and seed nothing", read="exercise 3.17"
)
def test_only_the_generator(its):
    """All randomness comes from `generator`; torch's global one is not touched."""
    found, layer = {}, its.make("torch.nn.Linear(20, 30)")
    for scheme in SCHEMES:
        before = its.make("torch.get_rng_state()")
        one, same, other = (weights(its, layer, scheme, seed)["weight"] for seed in (1, 1, 2))
        still = its.make("torch.equal(before, torch.get_rng_state())", before=before)
        found[f"{scheme}: equal generators give equal weights"] = torch.equal(one, same)
        found[f"{scheme}: another one gives others"] = not torch.equal(one, other)
        found[f"{scheme}: torch's global generator is untouched"] = still.get()
    return found
