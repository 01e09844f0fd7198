"""The visible checks of exercise L1.4: attention that remembers."""

import numpy as np
import torch

from grader.checking.question import question

RANDOM = np.random.RandomState(1)
X = torch.from_numpy(RANDOM.randn(2, 5, 8)).float()
STATE = {
    f"w_{letter}.{kind}": torch.from_numpy(RANDOM.randn(*shape)).float() / 3
    for letter in "qkvo"
    for kind, shape in (("weight", (8, 8)), ("bias", (8,)))
}
CAUSAL = torch.ones(5, 5).tril().bool()[None, None]
PLACES = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])


def _made(its, places=None):
    layer = its.CachedAttention(8, 2, 0.9)
    layer.load_state_dict(STATE)
    layer.eval()
    layer.set("positions", places)
    return layer


@question("L1.4", advice="attend to the keys, turned if there are positions", read="§3.2.2")
def test_plain(its):
    """Without a cache it is multi-head attention; with positions, queries and keys are turned."""
    layer = _made(its)
    output, weights = layer(X, X, X, CAUSAL, need_weights=True)
    layer.train()
    dropped = (layer(X, X, X, CAUSAL)[0] - output).abs().max() > 0.1
    found = {"weights": weights, "output": output, "dropout changes it": bool(dropped)}
    return found | {"output with positions": _made(its, PLACES)(X, X, X, CAUSAL)[0]}


@question("L1.4", advice="extend the cache by turned keys, attend to all", read="exercise L1.4")
def test_one_at_a_time(its):
    """Read one by one with a cache, the positions give what they give together."""
    layer, outputs = _made(its), []
    layer.set("cache", its.KeysAndValues())
    for i in range(5):
        x = X[:, i : i + 1]
        layer.set("positions", PLACES[:, i : i + 1])
        outputs.append(layer(x, x, x, CAUSAL[:, :, i : i + 1, : i + 1])[0])
    return torch.cat(outputs, dim=1)
