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
READ = "exercise L1.4"


def _made(its, dropout=0.0, places=None):
    layer = its.CachedAttention(8, 2, dropout)
    layer.load_state_dict(STATE)
    layer.eval()
    layer.set("positions", places)
    return layer


@question("L1.4", advice="attend from the queries to the keys; (heads, weights)", read="§3.2.2")
def test_plain(its):
    """Without positions and without a cache it is multi-head attention."""
    layer = _made(its, dropout=0.9)
    output, weights = layer(X, X, X, CAUSAL, need_weights=True)
    layer.train()
    dropped = (layer(X, X, X, CAUSAL)[0] - output).abs().max() > 0.1
    return {"weights": weights, "output": output, "dropout changes it": bool(dropped)}


@question("L1.4", advice="rotate the heads that are given", read="Su et al. 2021, section 3.2")
def test_rotated(its):
    """With positions, queries and keys are turned, values are not."""
    return _made(its, places=PLACES)(X, X, X, CAUSAL)[0]


@question("L1.4", weight=2, advice="extend the cache by the turned keys, attend to all", read=READ)
def test_one_at_a_time(its):
    """Read one by one with a cache, the positions give what they give together."""
    layer, outputs = _made(its), []
    layer.set("cache", its.KeysAndValues())
    for i in range(5):
        x = X[:, i : i + 1]
        layer.set("positions", PLACES[:, i : i + 1])
        outputs.append(layer(x, x, x, CAUSAL[:, :, i : i + 1, : i + 1])[0])
    return torch.cat(outputs, dim=1)
