"""The visible checks of exercise 4.3: a layer with given weights, and the stack."""

import numpy as np
import torch

from grader.checking.question import question

WAY = "three sub-layers as in Figure 1; where do queries, keys and values come from?"
STACK = "x goes through the layers in turn; memory and masks stay the same"


def draw(seed, *shape):
    return torch.from_numpy(np.random.RandomState(seed).randn(*shape).astype("float32"))


# Three targets and three source tokens, the last of which is padding; and both masks.
X, MEMORY = draw(97, 1, 3, 4), draw(98, 1, 3, 4)
CAUSAL, REAL = torch.ones(1, 1, 3, 3).tril().bool(), torch.tensor([[[[True, True, False]]]])
GIVEN = (X, MEMORY, CAUSAL, REAL)


def load(module):
    """The module with given weights, in evaluation mode."""
    parts = sorted(module.state_dict().items())
    module.load_state_dict({name: draw(i, *value.shape) for i, (name, value) in enumerate(parts)})
    module.eval()
    return module


@question("4.3", weight=6, advice=f"{WAY} `.detach()` cuts the graph", read="§3.1, §3.2.3")
def test_post_norm_parity(its):
    """Both orders: outputs, each head's weights on the source, and the memory's gradient."""
    found = {}
    for name, norm_first in (("post-norm", False), ("pre-norm", True)):
        layer = load(its.DecoderLayer(4, 2, 6, dropout=0.0, norm_first=norm_first))
        found["the parts"] = sorted({key.partition(".")[0] for key in layer.state_dict()})
        found[f"the output, {name}"], found[f"weights, {name}"] = layer(*GIVEN)
        found[f"without masks, {name}"] = layer(X, MEMORY)[0]
        found[f"weights, asked for, {name}"] = layer(*GIVEN, need_weights=True)[1]
        found[f"gradient of the memory, {name}"] = its.vjp(layer, X, MEMORY).arguments[1]
    layer = load(its.DecoderLayer(4, 2, 6, dropout=1.0, norm_first=True))
    layer.train()  # nothing is added to x, and attention returns its output bias
    found["the output in training mode, dropout = 1"] = layer(X, MEMORY)[0]
    for name in ("self_attention", "cross_attention"):
        found[f"`{name}` alone in training mode"] = layer.get(name)(X, MEMORY, MEMORY)[0]
    return found


@question("4.3", weight=6, builds_on=["DecoderLayer"], advice=STACK, read="§3.1")
def test_layer_after_layer(its):
    """Each layer has its own parameters, and reads the previous one's output and the memory."""
    found = {}
    for name, norm_first in (("post-norm", False), ("pre-norm", True)):
        decoder = load(its.Decoder(2, 4, 2, 6, dropout=1.0, norm_first=norm_first))
        found[f"tensors of parameters in two layers, {name}"] = len(decoder.parameters())
        found[f"the output, {name}"], found[f"weights, {name}"] = decoder(*GIVEN)
        found[f"the weights of each layer, {name}"] = decoder(*GIVEN, need_weights=True)[1]
        decoder.train()
        found[f"the output in training mode, dropout = 1, {name}"] = decoder(*GIVEN)[0]
    return found
