"""Multi-head attention by a state dict, for the layers of assignments 3 and 4."""

import math

from torch.nn.functional import linear


def reference(state, n_heads, inputs, mask=None):
    """Output and weights as in the paper."""
    projected = [
        linear(x, state[f"{name}.weight"], state.get(f"{name}.bias")).unflatten(-1, (n_heads, -1))
        for x, name in zip(inputs, ("w_q", "w_k", "w_v"), strict=True)
    ]
    query, key, value = (x.transpose(1, 2) for x in projected)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    output = (weights @ value).transpose(1, 2).flatten(2)
    return linear(output, state["w_o.weight"], state.get("w_o.bias")), weights
