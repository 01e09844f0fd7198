"""Checks of a model's two ends: the masks it makes of token ids, and how its logits are made."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from .calls import distinct, watched
from .check import TOLERANCE, Check, Fault, first_of, same


def masks(model: nn.Module, *token_ids: Tensor, pad_id: int) -> Check:
    """The encoder gets the mask of real tokens, the decoder also that of later ones (§3.2.3)."""
    name, made = "masks", distinct(model)
    parts: dict[str, Any] = {
        key: part for key in ("encoder", "decoder") if _is_stack(part := getattr(made, key, None))
    }
    if not parts:
        return Check(name, None, "the model has no encoder with layers", "")
    with watched(parts) as calls, torch.no_grad():
        made(*token_ids)
    real = [(ids != pad_id)[:, None, None, :] for ids in token_ids]
    wanted = {"encoder": {"mask": real[0]}}
    if len(token_ids) > 1:
        n = token_ids[1].shape[1]
        past = torch.ones(n, n, dtype=torch.bool, device=real[1].device).tril()
        wanted["decoder"] = {"target mask": real[1] & past, "source mask": real[0]}
    first = calls.first("encoder")
    if first is not None and len(first[0]) != len(token_ids[0]):
        return Check(name, None, "the model reads one sentence at a time", "")
    faults = (fault for key in parts for fault in _of_masks(key, calls.first(key), wanted[key]))
    return first_of(name, faults, f"those of {' and '.join(parts)} hide padding and later tokens")


def _is_stack(part: object) -> bool:
    return isinstance(part, nn.Module) and hasattr(part, "layers")


def _of_masks(key: str, given: list[Any] | None, wanted: dict[str, Tensor]) -> Iterator[Fault]:
    if given is None:
        yield f"the {key} is never called", "call the part itself: self.part(x)"
        return
    advice = "True = may attend: real tokens (≠ pad_id), and for targets none that comes later"
    for found, (name, mask) in zip(given[-1 - len(wanted) : -1], wanted.items(), strict=True):
        if not isinstance(found, Tensor) or found.dtype != torch.bool:
            yield f"the {key} gets no boolean {name}", advice
            continue
        if found.shape != mask.shape:
            shown = f"{tuple(found.shape)}, not {tuple(mask.shape)}"
            yield f"the {key}'s {name} is {shown}", "(batch, 1, 1 or queries, keys)"
        elif not torch.equal(found, mask):
            yield f"the {key} gets another {name}", advice


def pooled(model: nn.Module, token_ids: Tensor, pad_id: int) -> Check:
    """The logits are a linear layer of the mean of real tokens, or of the first (§3.1)."""
    name, made = "pooling", distinct(model)
    parts = {key: getattr(made, key, None) for key in ("encoder", "dropout", "output")}
    if not all(isinstance(part, nn.Module) for part in parts.values()):
        return Check(name, None, "the model has no encoder, dropout and output", "")
    return first_of(
        name, _of_pooling(made, parts, token_ids, pad_id), "of real tokens, then linear"
    )


@torch.no_grad()
def _of_pooling(made: Any, parts: Any, token_ids: Tensor, pad_id: int) -> Iterator[Fault]:
    with watched(parts) as calls:
        logits = made(token_ids)[0]
    x = calls.returned["encoder"][0][0]
    real = (token_ids != pad_id).to(x)
    mean = torch.einsum("bn,bnd->bd", real / real.sum(-1, keepdim=True).clamp(min=1), x)
    if x.shape[0] != len(token_ids):
        return  # one sentence at a time
    read, dropped = calls.first("output"), calls.first("dropout")
    ways = {"mean": mean, "cls": x[:, 0]}
    first = read is not None and same(read[0], ways["cls"])
    wanted = ways[getattr(made, "pooling", "cls" if first else "mean")]
    if read is None or not same(read[0], wanted):
        advice = 'the sum of real tokens over their number; with pooling = "cls" the first token'
        yield "the output layer reads another vector than the pooled one", advice
    elif dropped is None or not same(dropped[0], wanted):
        yield (
            "the dropout does not read the pooled vector",
            "dropout to what the output layer reads",
        )
    elif not same(logits, calls.returned["output"][0]):
        advice = "the loss has the softmax: return what the output layer gives"
        yield "the logits are not what the output layer gives", advice


def output(model: nn.Module, source: Tensor, target: Tensor) -> Check:
    """The logits are the products of the decoder's output with the embeddings (§3.4)."""
    name, made = "output", distinct(model)
    parts = {key: getattr(made, key, None) for key in ("encoder", "decoder", "embedding")}
    if not all(isinstance(part, nn.Module) for part in parts.values()):
        return Check(name, None, "the model has no encoder, decoder and embedding", "")
    return first_of(name, _of_output(made, parts, source, target), "decoder × embeddingsᵀ")


@torch.no_grad()
def _of_output(made: Any, parts: Any, source: Tensor, target: Tensor) -> Iterator[Fault]:
    with watched(parts) as calls:
        logits = made(source, target, need_weights=True)[0]
    ids = [given[0] for given in calls.given["embedding"]]
    for what, wanted in (("source", source), ("target", target)):
        if not any(one.shape == wanted.shape and torch.equal(one, wanted) for one in ids):
            yield f"the {what} is not embedded as it is", "one embedding reads both, unshifted"
    entered, memory = calls.returned["embedding"], calls.returned["encoder"][0][0]
    if not same(calls.first("encoder")[0], entered[0]):  # type: ignore[index]
        yield "the encoder does not read the embedded source", "encoder(embedding(source))"
    read = calls.first("decoder") or []
    if not any(same(one, entered[-1]) for one in read[:1]):
        yield "the decoder does not read the embedded target", "decoder(embedding(target), …)"
    if not any(same(one, memory) for one in read[1:2]):
        yield "the decoder does not get the encoder's output", "it is the memory, as it is"
    products = calls.returned["decoder"][0][0] @ made.embedding.tokens.weight.T
    if not same(logits, products):
        advice = "x @ Wᵀ with the embeddings' own W: no copy, factor or softmax (the loss has one)"
        yield "the logits are no products with the embeddings", advice


def weights(model: nn.Module, *token_ids: Tensor) -> Check:
    """With `need_weights` a list of four-dimensional tensors, otherwise None."""
    made = distinct(model)
    with torch.no_grad():
        found, unasked = (made(*token_ids, need_weights=asked)[1] for asked in (True, False))
    advice = "(logits, weights): a tensor (batch, heads, queries, keys) of each layer, or None"
    name = "weights"
    if unasked is not None and len(unasked):  # None, or an empty list
        return Check(name, False, "returned without need_weights", advice)
    if not isinstance(found, list | tuple) or not all(isinstance(one, Tensor) for one in found):
        return Check(name, False, f"a {type(found).__name__}, no list of tensors", advice)
    shapes = {tuple(one.shape) for one in found}
    measured = f"{len(found)} × {' or '.join(map(str, shapes))}"
    return Check(name, all(len(shape) == 4 for shape in shapes), measured, advice)


def no_probabilities(logits: Tensor) -> Check:
    """Logits are any numbers: the loss takes their softmax."""
    total = logits.float().exp().sum(dim=-1)
    sums = logits.float().sum(dim=-1)
    probabilities = bool((logits >= 0).all()) and bool(((sums - 1).abs() < TOLERANCE).all())
    logarithms = bool(((total - 1).abs() < TOLERANCE).all())
    kind = "probabilities" if probabilities else "log-probabilities" if logarithms else "no softmax"
    advice = "return logits: the cross-entropy has the softmax, and twice learns almost nothing"
    return Check("logits", kind == "no softmax", kind, advice)
