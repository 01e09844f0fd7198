"""The right form of every exercise of assignment 2, built on torch and SciPy otherwise than taught.

It answers the hidden questions. When a test fails because an earlier exercise is wrong, it also
runs again with that name replaced by the one here: each definition is self-contained, because they
are sent one at a time, and none uses what an exercise forbids.
"""

import itertools
import math

import numpy as np
import torch
from torch import nn


def _attend(query, key, value, mask, dropout):
    """By einsum, with −∞ for masked keys and rows without keys set to 0."""
    scores = torch.einsum("...qd,...kd->...qk", query, key) / math.sqrt(query.shape[-1])
    some = torch.tensor(True) if mask is None else mask.any(-1, keepdim=True)
    scores = scores if mask is None else scores.masked_fill(~mask & some, -math.inf)
    weights = torch.softmax(scores, -1) * some
    return torch.einsum("...qk,...kd->...qd", dropout(weights), value), weights


def attention(query, key, value, mask=None, dropout=None):
    """`(output, weights)`. Raises ValueError, naming both shapes, when two are incompatible."""
    for first, second, axis in ((query, key, -1), (key, value, -2)):
        if first.shape[axis] != second.shape[axis]:
            pair = f"{tuple(first.shape)} and {tuple(second.shape)}"
            raise ValueError(f"shapes {pair} do not fit together")
    return _attend(query, key, value, mask, dropout or nn.Identity())


def split_heads(x, n_heads):
    """Slices of the features, stacked in front of the tokens; ValueError if some are left over."""
    if x.shape[-1] % n_heads:
        raise ValueError(f"{x.shape[-1]} features are not divisible by {n_heads} heads")
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1)


def merge_heads(x):
    """The heads of each token, concatenated."""
    return torch.cat(x.unbind(1), dim=-1)


class MultiHeadAttention(nn.Module):
    """Multi-head attention that calls no other exercise; ValueError if features are left over."""

    def __init__(self, d_model=512, n_heads=8, dropout=0.1, bias=True):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"d_model = {d_model} is not a multiple of n_heads = {n_heads}")
        self.n_heads = n_heads
        self.w_q, self.w_k, self.w_v, self.w_o = (
            nn.Linear(d_model, d_model, bias=bias) for _ in range(4)
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None, need_weights=False):
        """`(output, weights or None)`; `mask` is True where a query may attend."""
        pairs = ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        heads = [layer(x).unflatten(-1, (self.n_heads, -1)) for layer, x in pairs]
        heads, weights = _attend(*(x.transpose(1, 2) for x in heads), mask, self.dropout)
        output = self.w_o(torch.cat(heads.unbind(1), dim=-1))
        return output, weights if need_weights else None


def to_torch_mask(mask, n_heads):
    """The opposite of the mask, example by example; ValueError unless it has 2 or 4 axes."""
    if mask.ndim == 2:
        return mask.logical_not()
    if mask.ndim != 4:
        raise ValueError(f"a mask of {mask.ndim} axes: give 2 or 4")
    return torch.cat([heads.expand(n_heads, -1, -1) for heads in mask]).logical_not()


def copy_from_torch(ours, theirs):
    """By state dicts, which are copied in place; ValueError if only one module has biases."""
    packed = theirs.state_dict()
    if ("in_proj_bias" in packed) != (ours.w_o.bias is not None):
        raise ValueError("only one of the modules has biases")
    own = {}
    for kind in ("weight", "bias")[: 1 + ("in_proj_bias" in packed)]:
        parts = [*packed[f"in_proj_{kind}"].chunk(3), packed[f"out_proj.{kind}"]]
        own |= {f"w_{name}.{kind}": part for name, part in zip("qkvo", parts, strict=True)}
    ours.load_state_dict(own)


class LayerNorm(nn.Module):
    """Layer normalization in double precision."""

    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.bias = (
            nn.Parameter(torch.ones(d_model)),
            nn.Parameter(torch.zeros(d_model)),
        )
        self.eps = eps

    def forward(self, x):
        """The result has the dtype of `x`."""
        wide = x.double()
        variance, mean = torch.var_mean(wide, -1, correction=0, keepdim=True)
        scaled = (wide - mean) * torch.rsqrt(variance + self.eps)
        return torch.addcmul(self.bias, scaled.to(x.dtype), self.weight)


class ResidualConnection(nn.Module):
    """Both orders, on torch's layer normalization."""

    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model, eps=1e-6), nn.Dropout(dropout)
        self.norm_first = norm_first

    def enter(self, x):
        """The input of the sub-layer."""
        return self.norm(x) if self.norm_first else x

    def leave(self, x, y):
        """The output of the sub-layer, added and normalized."""
        total = torch.add(self.dropout(y), x)
        return total if self.norm_first else self.norm(total)


def parameter_counts(d_model, n_heads, bias=True):
    """`(weights, biases)`, matrix by matrix."""
    d_k = d_model // n_heads
    shapes = [(d_model, d_k)] * (3 * n_heads) + [(n_heads * d_k, d_model)]
    return sum(rows * columns for rows, columns in shapes), bias * sum(n for _, n in shapes)


def gradient_norms(module, *inputs):
    """The norms by vector-Jacobian products of the output with the probe's ramp."""
    named = {name: p for name, p in module.named_parameters() if p.requires_grad}
    output = module(*inputs)
    output = output[0] if isinstance(output, tuple) else output
    ramp = torch.linspace(-1, 1, output.numel()).view_as(output)
    found = torch.autograd.grad(output, list(named.values()), ramp, allow_unused=True)
    sums = [0.0 if gradient is None else float(gradient.square().sum()) for gradient in found]
    return dict(zip(named, map(math.sqrt, sums), strict=True))


def head_diversity(weights, mask=None):
    """Half of both heads' divergences from their mean, pair by pair, in bits."""
    from scipy.special import rel_entr

    heads = np.moveaxis(np.asarray(weights, dtype=float), -3, 0)
    allowed = np.ones(weights.shape, bool) if mask is None else np.broadcast_to(mask, weights.shape)
    rows, found = np.moveaxis(allowed.any(-1), -2, 0), []
    for i, j in itertools.combinations(range(len(heads)), 2):
        both = rows[i] & rows[j]
        p, q = heads[i][both], heads[j][both]
        found += [*(rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2)).sum(-1)]
    if not found:
        raise ValueError("no two heads with a common row")
    return float(np.mean(found) / 2 / math.log(2))


def plot_heads(weights, tokens):
    """One map per head in a row; ValueError unless the weights are heads × tokens × tokens."""
    from matplotlib import pyplot

    maps, places = np.asarray(weights), range(len(tokens))
    if maps.ndim != 3 or maps.shape[1:] != (len(tokens), len(tokens)):
        raise ValueError(f"weights {maps.shape} for {len(tokens)} tokens")
    figure, axes = pyplot.figure(), []
    for head, one in enumerate(maps):
        axes.append(figure.add_subplot(1, len(maps), head + 1, xlabel="key", ylabel="query"))
        axes[-1].imshow(one, vmin=0, vmax=1)
        axes[-1].set(title=head, xticks=places, yticks=places)
        axes[-1].set(xticklabels=tokens, yticklabels=tokens)
    return axes


def compare_heads(n_heads_list, seeds, d_model=32, steps=100, n_train=1024, n_validation=512):
    """One row per run; the global generator is put back at the end."""
    from course_lib.analysis import pointer_reader as task

    rows, state = [], torch.get_rng_state()
    for n_heads, seed in itertools.product(n_heads_list, seeds):
        torch.manual_seed(seed)
        generator = torch.Generator().manual_seed(seed)
        module = MultiHeadAttention(d_model, n_heads, dropout=0.0)
        reader = task.PointerReader(module, d_model)
        task.train(reader, task.draw_examples(n_train, generator), steps, generator)
        row = {"n_heads": n_heads, "seed": seed}
        row["parameters"] = sum(value.numel() for value in reader.state_dict().values())
        fresh = task.draw_examples(n_validation, generator)
        rows.append(row | {"validation_accuracy": task.accuracy(reader, fresh)})
    torch.set_rng_state(state)
    return rows
