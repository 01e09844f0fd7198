"""Checks of an encoder-decoder: each runs the model, or a function around it, and measures.

A model is called as `model(source_ids, target_ids, need_weights) -> (logits, weights)`, where
weights is one tensor `(batch, heads, n_target, n_source)` per layer of the decoder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .checks import TOLERANCE, Check


def lengths_differ(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """Source and target may have different lengths; logits and weights have the shapes of both."""
    name = "two lengths"
    advice = "the decoder's cross-attention takes queries from the target, keys and values from "
    advice += "the encoder's output"
    n_source, n_target = source.shape[1], target.shape[1]
    try:
        logits, weights = model(source, target, need_weights=True)
    except (RuntimeError, TypeError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Check(name, False, f"{n_source} and {n_target} tokens: {said}", advice)
    measured = f"logits {tuple(logits.shape)}, weights {len(weights)} × {tuple(weights[0].shape)}"
    right = (
        logits.shape[:2] == target.shape
        and all(w.shape[-2:] == (n_target, n_source) for w in weights)
        and bool(torch.isfinite(logits).all())
    )
    return Check(name, right, measured, advice)


def no_look_ahead(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """Later target tokens change no earlier logits (§3.1)."""
    half = target.shape[1] // 2
    later = target.clone()
    later[:, half:] = target[:, half:].flip(1)
    change = (model(source, target)[0] - model(source, later)[0])[:, :half].abs().max().item()
    advice = "the causal mask is absent, inverted, shifted, or not passed on: True = may attend"
    return Check("no look-ahead", change < TOLERANCE, f"changes by {change:.1e}", advice)


def reads_the_prefix(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """Earlier target tokens change later logits."""
    other = target.clone()
    other[:, :2] = target[:, :2].flip(1)
    change = (model(source, target)[0] - model(source, other)[0])[:, -1].abs().max().item()
    advice = "the decoder's self-attention sees no earlier token: is its mask inverted?"
    return Check("reads the prefix", change > TOLERANCE, f"changes by {change:.1e}", advice)


def reads_the_source(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """Another source changes the logits."""
    change = (model(source, target)[0] - model(source.flip(0), target)[0]).abs().max().item()
    advice = "the decoder does not read the encoder's output: keys and values of cross-attention"
    return Check("reads the source", change > TOLERANCE, f"changes by {change:.1e}", advice)


def source_padding(model: nn.Module, source: Tensor, target: Tensor, pad_id: int) -> Check:
    """More padding of the source changes nothing, and no weight falls on it."""
    padded = F.pad(source, (0, 3), value=pad_id)
    logits, weights = model(padded, target, need_weights=True)
    change = (model(source, target)[0] - logits).abs().max().item()
    hidden = (padded == pad_id)[:, None, None, :]
    most = max((w * hidden).max().item() for w in weights)
    advice = "the source's padding mask is missing, in the encoder or in cross-attention"
    if change >= TOLERANCE and most < TOLERANCE:
        advice = "the padding is hidden from cross-attention, but not within the encoder"
    measured = f"changes by {change:.1e}, weight on it at most {most:.1e}"
    return Check("source padding ignored", max(change, most) < TOLERANCE, measured, advice)


def cross_weights(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """Every target token's weights on the source sum to 1."""
    _, weights = model(source, target, need_weights=True)
    worst = max((w.sum(dim=-1) - 1).abs().max().item() for w in weights)
    advice = "softmax over the source (the last axis), after the mask"
    return Check("cross-attention sums", worst < TOLERANCE, f"off by at most {worst:.1e}", advice)


def shared_matrix(model: nn.Module) -> Check:
    """The logits are products with the embeddings, without another factor (§3.4)."""
    name = "shared matrix"
    tokens: Any = getattr(getattr(model, "embedding", None), "tokens", None)
    logits: Any = getattr(model, "logits", None)
    if not isinstance(tokens, nn.Embedding) or logits is None:
        return Check(name, None, "the model has no embedding.tokens and logits", "")
    x = torch.randn(1, 3, tokens.embedding_dim, generator=torch.Generator().manual_seed(0))
    x = x.to(tokens.weight)
    off = (logits(x) - F.linear(x, tokens.weight)).abs().max().item()
    advice = "the pre-softmax layer is the embedding matrix, transposed: no copy, factor or softmax"
    return Check(name, off < TOLERANCE, f"off by at most {off:.1e}", advice)


def shifted(shift: Callable[[Tensor], Any]) -> Check:
    """The decoder reads all but the last token and is to predict all but the first (§3.1)."""
    target = torch.tensor([[1, 7, 8, 9, 2]])
    read, labels = shift(target)
    right = read.tolist() == [[1, 7, 8, 9]] and labels.tolist() == [[7, 8, 9, 2]]
    measured = f"of START 7 8 9 END, reads {_named(read)} to predict {_named(labels)}"
    advice = "read START 7 8 9 and predict 7 8 9 END: what is read must not be what is wanted"
    return Check("shifted targets", right, measured, advice)


def _named(tokens: Tensor) -> str:
    names = {1: "START", 2: "END"}
    return " ".join(names.get(token, str(token)) for token in tokens.flatten().tolist())


def loss_of_padding(loss: Callable[..., Tensor], pad_id: int) -> Check:
    """Padding changes no loss: neither its sum nor the number that it is divided by."""
    logits = torch.randn(2, 4, 9, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([[5, 6, 7, 2], [8, 3, 4, 2]])
    longer = F.pad(logits, (0, 0, 0, 4), value=1.0)
    plain = float(loss(logits, labels, 0.0, pad_id))
    padded = float(loss(longer, F.pad(labels, (0, 4), value=pad_id), 0.0, pad_id))
    measured = f"loss {plain:.3f}, with as much padding again {padded:.3f}"
    advice = "the mean is over real tokens: sum the losses of real tokens, divide by their number"
    return Check("padding not in the loss", abs(plain - padded) < TOLERANCE, measured, advice)


class _Recorder(nn.Module):
    """A model of one parameter that keeps what it was asked."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.linspace(-1, 1, vocab_size))
        self.read = torch.empty(0, dtype=torch.long)

    def forward(self, source_ids: Tensor, target_ids: Tensor) -> tuple[Tensor, None]:
        self.read = target_ids
        return self.scores.expand(*target_ids.shape, -1), None


def teacher_forcing(step: Callable[..., dict[str, float]], pad_id: int) -> Check:
    """A training step reads the shifted targets, and its loss is that of the next tokens."""
    target = torch.tensor([[1, 7, 8, 2], [1, 5, 2, pad_id]])
    model = _Recorder(10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
    found = step(model, torch.tensor([[4, 5], [6, pad_id]]), target, optimizer, schedule)
    wanted = target[:, 1:].flatten()
    scores = model.scores.detach().expand(len(wanted), -1)
    expected = F.cross_entropy(scores, wanted, label_smoothing=0.1, ignore_index=pad_id).item()
    first, width = _named(model.read[:1]), model.read.shape[1]
    measured = f"reads {first}; loss {found['loss']:.3f}, of the next tokens {expected:.3f}"
    right = (
        abs(found["loss"] - expected) < TOLERANCE
        and width == 3
        and bool((model.read == target[:, :-1]).all())
    )
    advice = "read all but the last token; the smoothed loss is over all but the first, no padding"
    return Check("teacher forcing", right, measured, advice)


def next_token(model: Any, step: Callable[[Any, Tensor], Tensor], source: Tensor) -> Check:
    """The first step of a search gives the logarithms of the last position's probabilities.

    `step(model, prefixes)` gives log-probabilities for `source`.
    """
    prefix = torch.tensor([[1, 7, 8]]).expand(len(source), -1)
    found = step(model, prefix)
    expected = F.log_softmax(model(source, prefix)[0][:, -1], dim=-1)
    off = (found - expected).abs().max().item()
    total = found.exp().sum(dim=-1).mean().item()
    measured = f"off by {off:.1e}, probabilities sum to {total:.3f}"
    advice = "the log-softmax of the last position's logits, with the source's mask"
    return Check("search step", off < TOLERANCE, measured, advice)


def cache_agrees(
    model: nn.Module,
    start: Callable[..., Any],
    make_step: Callable[..., Callable[[Tensor, Any], tuple[Tensor, Any]]],
    source: Tensor,
) -> Check:
    """With a cache, every step gives what the whole model gives without one."""
    step, state = make_step(model), start(model, source)
    prefix = torch.tensor([[1, 7, 8, 9, 5]]).expand(len(source), -1)
    changes = []
    for length in range(1, prefix.shape[1] + 1):
        found, state = step(prefix[:, :length], state)
        expected = F.log_softmax(model(source, prefix[:, :length])[0][:, -1], dim=-1)
        changes.append((found - expected).abs().max().item())
    wrong = [number for number, change in enumerate(changes, start=1) if change >= TOLERANCE]
    measured = f"off by at most {max(changes):.1e}"
    measured += f", from token {wrong[0]} on" if wrong else f" over {len(changes)} tokens"
    advice = "a new token's position counts from the sentence's start; its keys and values are "
    advice += "added after the old ones, and the mask keeps the rows of new tokens"
    if wrong and wrong[0] == 1:
        advice = "already the first token differs: keys, values and mask of the source, the norms"
    return Check("cache", not wrong, measured, advice)
