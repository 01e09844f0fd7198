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


@question("4.3", advice="each of the three sub-layers has its own residual connection")
def test_names_of_the_parts(its):
    """Two attentions, a feed-forward network, and a residual connection for each."""
    state = its.DecoderLayer(4, 2, 6).state_dict()
    parts = sorted({name.partition(".")[0] for name in state})
    return {"the parts": parts, "tensors in the state dict": len(state)}


@question("4.3", weight=2, advice=WAY, read="§3.1, §3.2.3")
def test_post_norm_parity(its):
    """The paper's order: equal to torch's layer with the same weights and masks."""
    layer = load(its.DecoderLayer(4, 2, 6, dropout=0.0))
    output, weights = layer(*GIVEN)
    return {
        "the output": output,
        "weights, not asked for": weights,
        "without masks": layer(X, MEMORY)[0],
    }


@question("4.3", advice=WAY, read="§3.1, §3.2.3")
def test_pre_norm_parity(its):
    """With `norm_first`: equal to torch's layer with the same weights and masks."""
    output, weights = load(its.DecoderLayer(4, 2, 6, dropout=0.0, norm_first=True))(*GIVEN)
    return {"the output": output, "weights, not asked for": weights}


@question("4.3", weight=2, advice="the cross-attention's weights; `.detach()` cuts the graph")
def test_weights_to_the_source(its):
    """With `need_weights`, each head's weights on the source; the memory gets gradients."""
    layer = load(its.DecoderLayer(4, 2, 6))
    gradient = its.vjp(layer, *GIVEN[:2]).arguments[1]
    return {"weights": layer(*GIVEN, need_weights=True)[1], "gradient of the memory": gradient}


@question("4.3", advice="pass `dropout` on to every part that drops", read="§5.4")
def test_dropout(its):
    """At a rate of 1, in training, nothing is added to x, and attention returns its output bias."""
    layer = load(its.DecoderLayer(4, 2, 6, dropout=1.0, norm_first=True))
    layer.train()
    found = {"the layer's output": layer(X, MEMORY)[0]}
    for name in ("self_attention", "cross_attention"):
        found[f"`{name}` alone"] = layer.get(name)(X, MEMORY, MEMORY)[0]
    return found


@question("4.3", after=["DecoderLayer"], advice="are all layers in an nn.ModuleList?", read="§3.1")
def test_layers_of_their_own(its):
    """Every layer has its own parameters, all registered with the model."""
    return {
        f"parameter tensors in three layers, norm_first={norm_first}": len(
            its.Decoder(3, 4, 2, 6, norm_first=norm_first).parameters()
        )
        for norm_first in (False, True)
    }


@question("4.3", weight=2, after=["DecoderLayer"], advice=STACK, read="§3.1")
def test_layer_after_layer(its):
    """Each layer reads the previous one's output, and all read the same memory."""
    found = {}
    for norm_first in (False, True):
        decoder = load(its.Decoder(2, 4, 2, 6, dropout=1.0, norm_first=norm_first))
        output, weights = decoder(*GIVEN)
        found |= {f"the output, norm_first={norm_first}": output, "weights, not asked for": weights}
        decoder.train()
        found["the output in training mode, dropout = 1"] = decoder(*GIVEN)[0]
    return found


@question("4.3", after=["DecoderLayer"], advice="collect them layer by layer")
def test_weights_of_each_layer(its):
    """With `need_weights`, a list of one tensor per layer."""
    weights = load(its.Decoder(3, 4, 2, 6))(*GIVEN, need_weights=True)[1]
    return {f"the weights of layer {i}": one for i, one in enumerate(weights)}
