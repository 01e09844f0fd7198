"""Expected outputs for the hidden tests of the encoder, and the outputs of likely mistakes.

Plain tensor operations on a state dict. The options of `layer` make mistakes on purpose.
"""

import math

import numpy as np
import torch
from torch import native_layer_norm
from torch.nn.functional import linear

from autograder.a2.multi_head_reference import reference as multi_head
from autograder.a3.answers import normal

ATTENTION = ("w_q", "w_k", "w_v", "w_o")


def layer_shapes(d_model, d_ff):
    """The names and shapes of one layer's state dict."""
    shapes = {}
    for part in ATTENTION:
        shapes |= {
            f"attention.{part}.weight": (d_model, d_model),
            f"attention.{part}.bias": (d_model,),
        }
    for part in ("attention_residual", "feed_forward_residual"):
        shapes |= {f"{part}.norm.{name}": (d_model,) for name in ("weight", "bias")}
    shapes |= {"feed_forward.w_1.weight": (d_ff, d_model), "feed_forward.w_1.bias": (d_ff,)}
    return shapes | {
        "feed_forward.w_2.weight": (d_model, d_ff),
        "feed_forward.w_2.bias": (d_model,),
    }


def encoder_shapes(n_layers, d_model, d_ff, norm_first=False):
    own = layer_shapes(d_model, d_ff)
    shapes = {f"layers.{i}.{name}": shape for i in range(n_layers) for name, shape in own.items()}
    return shapes | ({"norm.weight": (d_model,), "norm.bias": (d_model,)} if norm_first else {})


def draw(rng, shapes):
    """Random values, scaled so that every part affects the output; gains stay around 1."""
    state = {}
    for name, shape in shapes.items():
        values = normal(rng, *shape)
        if name.endswith("norm.weight"):
            values = 1 + 0.3 * values
        elif len(shape) == 2 and "tokens" not in name:
            values = 1.5 * values / math.sqrt(shape[1])
        state[name] = 0.5 * values if name.endswith("bias") else values
    return state


def under(state, prefix):
    return {n.removeprefix(prefix): v for n, v in state.items() if n.startswith(prefix)}


def norm(x, state, prefix):
    gain, bias = state[f"{prefix}norm.weight"], state[f"{prefix}norm.bias"]
    return native_layer_norm(x, (x.shape[-1],), gain, bias, 1e-6)[0]


def network(x, state, prefix="feed_forward."):
    """The feed-forward network."""
    hidden = linear(x, state[f"{prefix}w_1.weight"], state[f"{prefix}w_1.bias"]).clamp(min=0)
    return linear(hidden, state[f"{prefix}w_2.weight"], state[f"{prefix}w_2.bias"])


def layer(
    x,
    state,
    n_heads,
    mask=None,
    norm_first=False,
    *,
    add=(True, True),
    order=("attention", "feed_forward"),
    norms=("attention", "feed_forward"),
    triple=lambda given, x: (given, given, given),
):
    """Output and weights of one encoder layer. `add`: which sub-layers have a residual.

    `triple`: query, key and value, made from the residual connection's input and from x.
    """
    found = None
    for sublayer, added, own in zip(order, add, norms, strict=True):
        prefix = f"{own}_residual."
        given = norm(x, state, prefix) if norm_first else x
        if sublayer == "attention":
            made, found = multi_head(under(state, "attention."), n_heads, triple(given, x), mask)
        else:
            made = network(given, state)
        x = x + made if added else made
        x = x if norm_first else norm(x, state, prefix)
    return x, found


def encoder(x, state, n_heads, mask=None, norm_first=False, *, own=None, last_norm=None):
    """Output and weights of the stack. `own`: which layer's parameters each layer uses."""
    count = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    weights = []
    for number in own or range(count):
        x, seen = layer(x, under(state, f"layers.{number}."), n_heads, mask, norm_first)
        weights.append(seen)
    if norm_first if last_norm is None else last_norm:
        x = norm(x, state, "")
    return x, weights


def sinusoids(n, d_model):
    """The table of §3.5, in double precision and then rounded."""
    feature = np.arange(d_model)
    angle = np.arange(n)[:, None] / 10000.0 ** (2 * (feature // 2) / d_model)
    table = np.where(feature % 2 == 0, np.sin(angle), np.cos(angle))
    return torch.from_numpy(table.astype("float32"))


def embedded(token_ids, tokens, scale=1.0):
    d_model = tokens.shape[1]
    positions = scale * sinusoids(token_ids.shape[1], d_model)
    return tokens[token_ids] * math.sqrt(d_model) + positions


def classified(
    token_ids, state, n_heads, norm_first=False, pad_id=0, *, pool=None, masked=True, scale=1.0
):
    """Logits and weights of the classifier; `pool` maps (x, real) to one vector per sentence.

    `scale` multiplies the positions.
    """
    real = token_ids != pad_id
    mask = real[:, None, None] if masked else None
    x = embedded(token_ids, state["embedding.tokens.weight"], scale)
    x, weights = encoder(x, under(state, "encoder."), n_heads, mask, norm_first)
    pooled = (pool or mean)(x, real)
    return linear(pooled, state["output.weight"], state["output.bias"]), weights


def mean(x, real):
    """Mean over the real tokens; zeros for a sentence without any."""
    return torch.stack(
        [row[own].mean(0) if own.any() else row[0] * 0 for row, own in zip(x, real, strict=True)]
    )
