"""Expected values for the hidden tests of exercise 2.3, and the values of likely mistakes."""

import math

import torch
from torch.nn.functional import linear

from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

LAYERS = ("w_q", "w_k", "w_v", "w_o")


def slices(x, n_heads):
    """(batch, n, d_model) → (batch, heads, n, d_k): head i owns features i·d_k … (i+1)·d_k."""
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def joined(heads):
    return torch.cat(list(heads.unbind(1)), dim=-1)


def reference(
    state, n_heads, inputs, mask=None, *, layers=LAYERS, root=None, split=slices, merge=joined
):
    """Output and weights as in the paper; the options make deliberate mistakes."""
    made = [
        split(linear(x, state[f"{name}.weight"], state.get(f"{name}.bias")), n_heads)
        for x, name in zip(inputs, layers[:3], strict=True)
    ]
    query, key, value = made
    scores = query @ key.transpose(-1, -2) / (root or math.sqrt(query.shape[-1]))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    output = merge(weights @ value)
    if layers[3]:
        output = linear(output, state["w_o.weight"], state.get("w_o.bias"))
    return output, weights


def viewed(x, n_heads):
    return x.reshape(x.shape[0], n_heads, x.shape[1], -1)


def interleaved(x, n_heads):
    return x.reshape(*x.shape[:2], -1, n_heads).permute(0, 3, 1, 2)


def unjoined(heads):
    batch, n_heads, n, d_k = heads.shape
    return heads.reshape(batch, n, n_heads * d_k)


def mistakes(state, n_heads, inputs, mask=None):
    """Name of each likely mistake → the (output, weights) it would give."""
    query, key, value = inputs
    d_model = query.shape[-1]
    # A mistake in the number of heads cannot use a per-head mask: other tests diagnose it.
    shared = None if mask is not None and mask.ndim == 4 and mask.shape[1] > 1 else mask

    def made(heads=n_heads, **options):
        return reference(state, heads, inputs, mask if heads == n_heads else shared, **options)

    def of(*other):
        return reference(state, n_heads, other, mask)

    found = {
        MISTAKE.multi_head_scaled_by_root_d_model: made(root=math.sqrt(d_model)),
        "the scores are not scaled": made(root=1.0),
        MISTAKE.multi_head_no_output_projection: made(layers=("w_q", "w_k", "w_v", "")),
        MISTAKE.multi_head_one_head: made(1),
        MISTAKE.multi_head_values_by_w_k: made(layers=("w_q", "w_k", "w_k", "w_o")),
        "the keys are projected by `w_q`": made(layers=("w_q", "w_q", "w_v", "w_o")),
        "the queries and the keys use each other's projection": made(
            layers=("w_k", "w_q", "w_v", "w_o")
        ),
        MISTAKE.multi_head_heads_are_d_k: made(d_model // n_heads),
        MISTAKE.multi_head_merged_by_view: made(merge=unjoined),
        MISTAKE.multi_head_split_by_view: made(split=viewed),
        "split and merged without the transpose": made(split=viewed, merge=unjoined),
        "the heads are interleaved: head i owns features i·d_k … (i+1)·d_k": made(
            split=interleaved, merge=lambda h: h.permute(0, 2, 3, 1).flatten(2)
        ),
    }
    if query.shape == value.shape:
        found[MISTAKE.multi_head_values_from_query] = of(query, key, query)
    if query.shape == key.shape:
        found["query and key are swapped"] = of(key, query, value)
        found["the keys are made from `query`, not from `key`"] = of(query, query, value)
    if key.shape == value.shape:
        found["the values are made from `key`, not from `value`"] = of(query, key, key)
        found["the keys are made from `value`, not from `key`"] = of(query, value, value)
        found[MISTAKE.multi_head_keys_and_values_exchanged] = reference(
            state, n_heads, (query, value, key), mask, layers=("w_q", "w_v", "w_k", "w_o")
        )
    return found
