"""Checks of a model's parts, each against its definition: attention, norm, network, embedding.

They apply to parts whose class has the course's name; for other models, `ok` is None.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .calls import distinct, doubled, drawn, of_class, watched
from .check import Check, Fault, first_of, off_by, same

Faults = Callable[[str, Any], Iterator[Fault]]


def _each(name: str, model: nn.Module, kind: str, faults: Faults, sound: str) -> Check:
    """The first fault of any part whose class is called `kind`."""
    found = of_class(distinct(model), kind)
    if not found:
        return Check(name, None, f"no part is a {kind}", "")
    every = (fault for path, part in found.items() for fault in faults(path, part))
    return first_of(name, every, f"{len(found)} {sound}")


def attention(model: nn.Module) -> Check:
    """Every `MultiHeadAttention` gives what torch's gives with the same weights and mask."""
    return _each("attention", model, "MultiHeadAttention", _of_attention, "as torch's")


@torch.no_grad()
def _of_attention(path: str, part: Any) -> Iterator[Fault]:
    width, heads = part.w_q.in_features, part.n_heads
    names = [name for name, _ in part.named_parameters(remove_duplicate=False)]
    if len(names) != len([*part.parameters()]) or len(names) not in (4, 8):
        yield f"{path} has the parameters {', '.join(names)}", "four layers: w_q, w_k, w_v and w_o"
    if part.w_q.out_features != width or part.w_v.out_features != width:
        return  # torch's heads have d_model / h features
    given = [drawn(part, 2, n, width, seed=seed) for seed, n in enumerate((5, 4, 4))]
    mask = drawn(part, 2, heads, 5, 4, seed=3) > 0
    mask[..., 0] = True
    expected, wanted = _torch_attention(part, given, mask)
    kept = [one.clone() for one in (*given, mask)]
    output, weights = part(*given, mask, need_weights=True)
    if not all(torch.equal(one, before) for one, before in zip((*given, mask), kept, strict=True)):
        yield f"{path} changes its inputs", "make new tensors: an operation with _ writes in place"
    if not same(weights, wanted):
        advice = "softmax(QKᵀ / √d_k) over the keys that the mask allows, in every head: look at "
        yield f"{path}: other weights than torch's", advice + "heads, mask, and the softmax's axis"
    if not same(output, expected):
        advice = "the heads are the weights times the values, side by side, times W^O"
        yield f"{path}: the weights are torch's, the output is not", advice
    mask[0, :, -1] = False
    output, weights = part(*given, mask, need_weights=True)
    bias = torch.zeros(width) if part.w_o.bias is None else part.w_o.bias
    if not same(output[0, -1], bias.to(output)) or weights[0, :, -1].any():
        yield (
            f"{path}: a query without keys gets no zeros",
            "after the softmax, masked weights are 0",
        )
    yield from _of_attention_dropout(path, part, given)


def _torch_attention(part: Any, given: list[Tensor], mask: Tensor) -> tuple[Tensor, Tensor]:
    """torch's `(output, weights)`, with this part's projections."""
    projections = part.w_q, part.w_k, part.w_v
    biases = [one.bias for one in projections if one.bias is not None]
    query, key, value = (one.transpose(0, 1) for one in given)
    output, weights = F.multi_head_attention_forward(
        query,
        key,
        value,
        embed_dim_to_check=part.w_q.in_features,
        num_heads=part.n_heads,
        in_proj_weight=None,
        in_proj_bias=torch.cat(biases) if biases else None,
        bias_k=None,
        bias_v=None,
        add_zero_attn=False,
        dropout_p=0.0,
        out_proj_weight=part.w_o.weight,
        out_proj_bias=part.w_o.bias,
        training=False,
        attn_mask=~mask.flatten(0, 1),
        use_separate_proj_weight=True,
        q_proj_weight=part.w_q.weight,
        k_proj_weight=part.w_k.weight,
        v_proj_weight=part.w_v.weight,
        average_attn_weights=False,
    )
    assert weights is not None  # need_weights is True by default
    return output.transpose(0, 1), weights


def _of_attention_dropout(path: str, part: Any, given: list[Tensor]) -> Iterator[Fault]:
    dropout = getattr(part, "dropout", None)
    if not isinstance(dropout, nn.Dropout):
        return
    plain, weights = part(*given, need_weights=True)
    with watched({"dropout": dropout}, {"dropout": doubled}) as calls:
        part.train()
        twice, shown = part(*given, need_weights=True)
        part.eval()
    read = calls.first("dropout")
    bias = 0 if part.w_o.bias is None else part.w_o.bias
    if read is None:
        yield f"{path}: its dropout is never called", "drop weights, before they meet the values"
    elif not same(read[0], weights) or not same(twice - bias, 2 * (plain - bias)):
        yield f"{path}: dropout of something else than the weights", "drop weights, once"
    elif not same(shown, weights):
        yield f"{path}: returns dropped weights", "return the weights as they were before dropout"


def normalization(model: nn.Module) -> Check:
    """Every `LayerNorm` gives what torch's gives, for large and for tiny variances (§3.1)."""
    return _each("layer norm", model, "LayerNorm", _of_norm, "as torch's")


@torch.no_grad()
def _of_norm(path: str, part: Any) -> Iterator[Fault]:
    x = drawn(part, 2, 3, len(part.weight))
    advice = "mean and biased variance over the features of one position; eps inside the root"
    if not isinstance(part, nn.LayerNorm) and part.eps != 1e-6:
        yield f"{path}: eps is {part.eps}", "1e-6, unless another is asked for"
    cases = {"": 3 * x + 1, " of a tiny variance": 1e-3 * x, " of a large mean": x + 300}
    for name, given in cases.items():
        expected = F.layer_norm(given, x.shape[-1:], part.weight, part.bias, part.eps)
        for mode in (True, False):
            off = off_by(part.train(mode)(given), expected)
            if not off < 1e-3:
                yield f"{path}: off by {off:.1e}{name}", advice


def feed_forward(model: nn.Module) -> Check:
    """Every `FeedForward` is max(0, x W₁ + b₁) W₂ + b₂ (§3.3, Eq. 2)."""
    return _each("feed-forward", model, "FeedForward", _of_network, "as in Eq. 2")


@torch.no_grad()
def _of_network(path: str, part: Any) -> Iterator[Fault]:
    x = 30 * drawn(part, 2, 3, part.w_1.in_features)
    part.train()  # it has no dropout of its own
    if part.w_1.bias is None or part.w_2.bias is None:
        yield f"{path} has no bias", "§3.3, Eq. 2: b₁ and b₂"
    off = off_by(part(x), F.linear(F.relu(part.w_1(x)), part.w_2.weight, part.w_2.bias))
    if not off < 1e-2:
        advice = "max(0, x W₁ + b₁) W₂ + b₂, nothing else: the residual connection adds and drops"
        yield f"{path}: off by {off:.1e}", advice


def embedding(model: nn.Module, token_ids: Tensor) -> Check:
    """Tokens × √d_model plus positions, then dropout, for inputs of any length (§3.4, §3.5)."""
    name, part = "embedding", getattr(distinct(model), "embedding", None)
    if type(part).__name__ != "TransformerEmbedding" or not hasattr(part, "position_scale"):
        return Check(name, None, "the model has no TransformerEmbedding", "")
    return first_of(name, _of_embedding(part, token_ids), "tokens × √d_model + positions")


@torch.no_grad()
def _of_embedding(part: Any, token_ids: Tensor) -> Iterator[Fault]:
    longest = len(part.positions)
    if part.positions.ndim != 2:
        advice = "the table is (n_positions, d_model): it broadcasts over the batch"
        yield f"positions are {tuple(part.positions.shape)}", advice
        return
    many = torch.arange(longest + 5, device=token_ids.device) % part.tokens.num_embeddings
    sums = {}
    for n, ids in {
        longest: many[:longest],
        longest + 5: many,
        token_ids.shape[1]: token_ids,
    }.items():
        ids = ids.view(-1, n)
        found = part(ids)
        root = math.sqrt(part.tokens.embedding_dim)
        sums[n] = part.tokens(ids) * root + part.positions[:n]
        if not same(found, sums[n]):
            advice = "row i of the table is added to token i, padding included; a longer input "
            yield (
                f"{n} tokens: off by {off_by(found, sums[n]):.1e}",
                advice + "makes a longer table",
            )
    dropout = part.dropout
    if not isinstance(dropout, nn.Dropout):
        return
    with watched({"dropout": dropout}, {"dropout": doubled}) as calls:
        found = part.train()(token_ids)
        part.eval()
    total = sums[token_ids.shape[1]]
    once = [one[0] for one in calls.given.get("dropout", [])]
    if len(once) != 1 or not same(once[0], total) or not same(found, 2 * total):
        yield "its dropout does not drop the sums", "§5.4: dropout to the sums, once"
