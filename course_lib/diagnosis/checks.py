"""The individual checks of `checklist`: each runs a classifier and measures its output."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

TOLERANCE = 1e-4
EVEN, COLLAPSED = 0.9999, 0.02  # shares of the largest entropy that the number of keys allows
STEEP = 1e3  # ratio of the largest to the smallest gradient norm of the layers


@dataclass(frozen=True)
class Check:
    """One line of the checklist. `ok` is None for a check that does not apply to this model."""

    name: str
    ok: bool | None
    measured: str
    advice: str

    def __str__(self) -> str:
        sign = {True: "ok    ", False: "WRONG ", None: "-     "}[self.ok]
        line = f"{sign}{self.name:<24} {self.measured}"
        return f"{line}\n      → {self.advice}" if self.ok is False else line


def shapes(logits: Tensor, weights: list[Tensor], token_ids: Tensor, labels: Tensor) -> Check:
    """Finite logits (batch, classes), and weights (batch, heads, n, n) for every layer."""
    batch, n = token_ids.shape
    classes = int(labels.max()) + 1
    right = logits.ndim == 2 and len(logits) == batch and logits.shape[1] >= classes
    maps = all(w.ndim == 4 and len(w) == batch and w.shape[-2:] == (n, n) for w in weights)
    finite = bool(torch.isfinite(logits).all())
    measured = f"logits {tuple(logits.shape)}, weights {len(weights)} × {tuple(weights[0].shape)}"
    advice = "logits are (batch, classes) and finite, weights (batch, heads, n, n) a layer"
    return Check("shapes", right and maps and finite, measured, advice)


def row_sums(weights: list[Tensor], token_ids: Tensor, pad_id: int) -> Check:
    """The weights of a real query sum to 1 over the keys (§3.2.1)."""
    real = token_ids != pad_id
    sums = torch.stack([w.sum(dim=-1).transpose(1, 2)[real] for w in weights])
    worst = (sums - 1).abs().max().item()
    advice = "masked after the softmax without dividing again, or the softmax over a wrong axis"
    return Check("row sums", worst < TOLERANCE, f"off by at most {worst:.1e}", advice)


def weights_on_padding(weights: list[Tensor], token_ids: Tensor, pad_id: int) -> Check:
    """No real token attends to padding."""
    real = token_ids != pad_id
    pairs = real[:, None, :, None] & ~real[:, None, None, :]
    most = torch.stack([(w * pairs).max() for w in weights]).max().item()  # NaN stays NaN
    advice = "the padding mask is absent, inverted or not passed on to the layers"
    return Check("no weight on padding", most < TOLERANCE, f"at most {most:.1e}", advice)


def both_sides(weights: list[Tensor], token_ids: Tensor, pad_id: int) -> Check:
    """An encoder's tokens attend to earlier and to later tokens."""
    real = token_ids != pad_id
    pairs = real[:, None, :, None] & real[:, None, None, :]
    after = torch.stack([(w * pairs).triu(1).max() for w in weights]).max().item()
    before = torch.stack([(w * pairs).tril(-1).max() for w in weights]).max().item()
    advice = "a causal mask is for decoders: an encoder sees the whole sentence"
    measured = f"at most {before:.2f} before, {after:.2f} after"
    return Check("sees both sides", min(before, after) > TOLERANCE, measured, advice)


def padding_changes_nothing(model: nn.Module, token_ids: Tensor, padded: Tensor) -> Check:
    """More padding does not change the logits."""
    change = (model(token_ids)[0] - model(padded)[0]).abs().max().item()
    advice = "padding is pooled, attended to, or counted in a mean"
    return Check("padding is ignored", change < TOLERANCE, f"changes by {change:.1e}", advice)


def positions_matter(model: nn.Module, token_ids: Tensor, pad_id: int) -> Check:
    """Reversing the real tokens of a sentence changes its logits (§3.5)."""
    backwards = token_ids.clone()
    for sentence in backwards:
        real = sentence != pad_id
        sentence[real] = sentence[real].flip(0)
    change = (model(token_ids)[0] - model(backwards)[0]).abs().max().item()
    advice = "nothing tells the encoder the order: are positions added to the embeddings?"
    return Check("positions matter", change > TOLERANCE, f"reversed: {change:.1e}", advice)


def dropout_in_evaluation(model: nn.Module, token_ids: Tensor) -> Check:
    """Two passes in evaluation mode agree."""
    change = (model(token_ids)[0] - model(token_ids)[0]).abs().max().item()
    advice = "dropout is active in evaluation: a function with training=True, or a missing eval()"
    return Check("no dropout in eval()", change < TOLERANCE, f"two passes: {change:.1e}", advice)


def dropout_in_training(model: nn.Module, token_ids: Tensor) -> Check:
    """Two passes in training mode differ, if there is any dropout (§5.4)."""
    rates = [m.p for m in model.modules() if isinstance(m, nn.Dropout)]
    advice = "train() does not reach the dropout: is it a part of the model?"
    name = "dropout in train()"
    if not any(rates):
        return Check(name, None, "the model has no nn.Dropout", advice)
    model.train()
    change = (model(token_ids)[0] - model(token_ids)[0]).abs().max().item()
    model.eval()
    return Check(name, change > TOLERANCE, f"two passes: {change:.1e}", advice)


def norm_placement(model: nn.Module, token_ids: Tensor, pad_id: int) -> Check:
    """The encoder's output is normalized, by the layers or by a final norm (§3.1).

    Scaling the encoder's input by 1000 leaves only normalized outputs unchanged.
    """
    name = "norm placement"
    encoder = getattr(model, "encoder", None)
    layers = getattr(encoder, "layers", None)
    if not isinstance(encoder, nn.Module) or not isinstance(layers, nn.ModuleList):
        return Check(name, None, "the model has no part encoder.layers", "")
    real = token_ids != pad_id
    parts = [*layers, encoder]
    plain = _spreads(model, encoder, parts, token_ids, real, 1.0)
    louder = _spreads(model, encoder, parts, token_ids, real, 1e3)
    normalised = [after < 10 * before for before, after in zip(plain, louder, strict=True)]
    consistent = normalised[-1] and len(set(normalised[:-1])) == 1
    order = "post-norm" if normalised[0] else "pre-norm"
    measured = f"{order}; spread by layer {_listed(plain[:-1])}, at the end {plain[-1]:.2g}"
    advice = "pre-norm needs a last LayerNorm, post-norm one after each sum; layers must agree"
    return Check(name, consistent, measured, advice)


def norm_first(placed: Check) -> Check:
    """The check of `norm_first`, from the norm placement of a model that was built with it."""
    if placed.ok and "post-norm" in placed.measured:
        placed = replace(placed, ok=False, advice="norm_first changes nothing: is it passed on?")
    return replace(placed, name="norm_first")


def _spreads(
    model: nn.Module,
    encoder: nn.Module,
    parts: list[nn.Module],
    token_ids: Tensor,
    real: Tensor,
    scale: float,
) -> list[float]:
    """The standard deviation of each part's output over the features, for an input × `scale`."""
    found: list[float] = []

    def keep(_: nn.Module, __: object, output: Tensor | tuple[Tensor, ...]) -> None:
        x = output if isinstance(output, Tensor) else output[0]
        found.append(x[real].std(dim=-1, correction=0).mean().item())

    def enlarge(_: nn.Module, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
        if given:
            return (given[0] * scale, *given[1:]), named
        first = next(iter(named))  # encoder(x=…)
        return given, named | {first: named[first] * scale}

    hooks = [part.register_forward_hook(keep) for part in parts]
    hooks.append(encoder.register_forward_pre_hook(enlarge, with_kwargs=True))
    try:
        model(token_ids)
    finally:
        for hook in hooks:
            hook.remove()
    return found


def attention_entropy(weights: list[Tensor], token_ids: Tensor, pad_id: int) -> Check:
    """Entropy per layer, as a share of the maximum: neither uniform nor on a single token."""
    real = token_ids != pad_id
    most = real.sum(dim=-1, keepdim=True).log().expand_as(real)[real].mean().item()
    shares = []
    for layer in weights:
        entropy = torch.special.entr(layer).sum(dim=-1).mean(dim=1)
        shares.append(entropy[real].mean().item() / most)
    fine = all(COLLAPSED < share < EVEN for share in shares)
    measured = f"{_listed(shares, 3)} of the largest possible"
    advice = "1: the scores do not matter; 0: are they divided by √d_k?"
    return Check("attention entropy", fine, measured, advice)


def gradient_norms(model: nn.Module, token_ids: Tensor, labels: Tensor) -> Check:
    """Gradient norm per layer: none zero, NaN, or a thousand times another (dropout off)."""
    model.zero_grad()
    F.cross_entropy(model(token_ids)[0], labels).backward()
    parts = {name: part for name, part in model.named_children() if [*part.parameters()]}
    layers = getattr(parts.get("encoder"), "layers", None)
    if isinstance(layers, nn.ModuleList):
        parts = {f"layer {number}": layer for number, layer in enumerate(layers, start=1)}
    norms = [
        math.hypot(*(float(p.grad.norm()) for p in part.parameters() if p.grad is not None))
        for part in parts.values()
    ]
    fine = all(0 < norm < math.inf for norm in norms) and max(norms) < STEEP * min(norms)
    advice = "a part is cut off (detach, a missing residual connection), or gradients explode"
    return Check("gradient norms", fine, f"by layer {_listed(norms, 3)}", advice)


def warm_up(rate: Callable[[int, int, int], float] | None) -> Check:
    """The rate rises during warm-up, then falls, and is lower for wider models (§5.3, Eq. 3)."""
    name = "warm-up"
    if rate is None:
        return Check(name, None, "no schedule was given", "")
    first, middle, peak, late = (rate(step, 64, 100) for step in (1, 50, 100, 400))
    measured = f"step 1: {first:.1e}, 100 of 100: {peak:.1e}, 400: {late:.1e}"
    rises = 0 < first < middle < peak and math.isclose(first * 100, peak, rel_tol=1e-3)
    falls = math.isclose(late * 2, peak, rel_tol=1e-3)
    narrower = math.isclose(2 * rate(100, 256, 100), peak, rel_tol=1e-3)
    advice = "the first step is 1 and its rate is the peak over the warm-up steps; ∝ d_model^-0.5"
    return Check(name, rises and falls and narrower, measured, advice)


def _listed(values: list[float], digits: int = 2) -> str:
    return ", ".join(f"{value:.{digits}g}" for value in values)
