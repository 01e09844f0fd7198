"""Checks of an encoder-decoder: each runs the model, or a function around it, and measures.

A model is called as `model(source_ids, target_ids, need_weights) -> (logits, weights)`, where
weights is one tensor `(batch, heads, n_target, n_source)` per layer of the decoder.
"""

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..data.batching import PAD
from ..data.pair_batching import END, START
from .calls import drawn
from .check import TOLERANCE, Check, Fault, first_of, off_by, same


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
    x = drawn(tokens, 1, 3, tokens.embedding_dim)
    off = off_by(logits(x), F.linear(x, tokens.weight))
    one = off_by(logits(x[0, 0]), F.linear(x[0, 0], tokens.weight))
    advice = "the pre-softmax layer is the embedding matrix, transposed: no copy, factor or softmax"
    return Check(name, max(off, one) < TOLERANCE, f"off by at most {max(off, one):.1e}", advice)


def shifted(shift: Callable[[Tensor], Any]) -> Check:
    """The decoder reads all but the last token and is to predict all but the first (§3.1)."""
    target = torch.tensor([[START, 7, 8, 9, END], [START, 7, 8, END, PAD]])
    read, labels = shift(target.clone())
    right = torch.equal(read, target[:, :-1]) and torch.equal(labels, target[:, 1:])
    first = torch.equal(read[:1], target[:1, :-1]) and torch.equal(labels[:1], target[:1, 1:])
    row = int(first and not right)  # the one that shows it
    measured = f"of {named(target[row])}, reads {named(read[row])} to predict {named(labels[row])}"
    advice = "read all but the last token of the row and predict all but the first, as they are"
    return Check("shifted targets", right, measured, advice)


def named(tokens: Tensor) -> str:
    """Tokens as text."""
    names = {START: "START", END: "END", PAD: "PAD"}
    return " ".join(names.get(token, str(token)) for token in tokens.flatten().tolist())


def smoothed_loss(loss: Callable[..., Tensor]) -> Check:
    """The loss and its gradient are torch's, for any smoothing, padding and padding id (§5.4)."""
    return first_of("label_smoothed_loss", _of_loss(loss), "as torch's cross-entropy")


def _of_loss(loss: Callable[..., Tensor]) -> Iterator[Fault]:
    generator = torch.Generator().manual_seed(0)
    logits = (2 * torch.randn(3, 5, 9, generator=generator)).requires_grad_()
    rows = [[5, 6, 7, 2, 3], [8, 1, 3, PAD, PAD], [4, 3, PAD, PAD, PAD]]
    cases = {
        "without smoothing or padding": (torch.tensor(rows[:1]), 0.0, PAD),
        "with padding": (torch.tensor(rows), 0.0, PAD),
        "with smoothing": (torch.tensor(rows[:1]), 0.2, PAD),
        "with smoothing and padding": (torch.tensor(rows), 0.1, PAD),
        "with pad_id = 3": (torch.tensor(rows), 0.1, 3),
    }
    advice = {
        "without smoothing or padding": "the mean of −log softmax(logits)[target] over all tokens",
        "with padding": "sum the losses of real tokens, divide by the number of real tokens",
        "with smoothing": "1 − ε for the true token, and ε / V for each of all V tokens",
    }
    for name, (targets, smoothing, pad_id) in cases.items():
        found = loss(logits[: len(targets)], targets, smoothing, pad_id)
        wanted = F.cross_entropy(
            logits[: len(targets)].flatten(0, 1),
            targets.flatten(),
            label_smoothing=smoothing,
            ignore_index=pad_id,
        )
        if not abs(found.item() - wanted.item()) < TOLERANCE:
            told = advice.get(name, "padding is left out of the sum and of the number")
            yield f"{name} {found.item():.3f}, torch's is {wanted.item():.3f}", told
        slopes = [torch.autograd.grad(one, logits, allow_unused=True)[0] for one in (found, wanted)]
        if slopes[0] is None or not same(slopes[0], slopes[1]):
            yield f"{name}: another gradient than torch's", "no detach, item or no_grad in the loss"


def next_token(model: Any, make_step: Callable[..., Any], source: Tensor) -> Check:
    """A step of a search gives the logarithms of the last position's probabilities.

    Also for other rows of the state than the first call's.
    """
    with torch.no_grad():
        memory, mask = model.encode(source)
        step, prefix = make_step(model), _prefixes(len(source), 3)
        found = step(prefix, SimpleNamespace(memory=memory, source_mask=mask))[0]
        expected = F.log_softmax(model(source, prefix)[0][:, -1], dim=-1)
        turned = SimpleNamespace(memory=memory.flip(0), source_mask=mask.flip(0))
        off = max(off_by(found, expected), off_by(step(prefix, turned)[0], _again(model, source)))
    total = found.exp().sum(dim=-1).mean().item()
    measured = f"off by {off:.1e}, probabilities sum to {total:.3f}"
    advice = "the log-softmax of the last position's logits, with the state's memory and mask"
    return Check("search step", off < TOLERANCE, measured, advice)


def _again(model: Any, source: Tensor) -> Tensor:
    logits: Tensor = model(source.flip(0), _prefixes(len(source), 3))[0]
    return F.log_softmax(logits[:, -1], dim=-1)


def _prefixes(n_rows: int, n: int) -> Tensor:
    """Rows of tokens after START, each another one."""
    rows = [[START, *((7 + row + 2 * i) % 14 + 4 for i in range(n - 1))] for row in range(n_rows)]
    return torch.tensor(rows)


def cache_agrees(
    model: nn.Module,
    start: Callable[..., Any],
    make_step: Callable[..., Callable[[Tensor, Any], tuple[Tensor, Any]]],
    source: Tensor,
) -> Check:
    """With a cache, every step gives what the whole model gives without one."""
    step, state = make_step(model), start(model, source)
    kept = state
    prefix, changes = _prefixes(len(source), 5), []
    prefix[0, 3] = PAD  # of a row that has ended
    for length in (1, 2, 3, 5):  # two tokens at once, too
        found, state = step(prefix[:, :length], state)
        expected = F.log_softmax(model(source, prefix[:, :length])[0][:, -1], dim=-1)
        changes.append(off_by(found, expected))
    again = step(prefix[:, :1], kept)[0]  # a state is not written into
    changes.append(off_by(again, F.log_softmax(model(source, prefix[:, :1])[0][:, -1], dim=-1)))
    wrong = [number for number, change in enumerate(changes, start=1) if not change < TOLERANCE]
    measured = f"off by at most {max(changes):.1e}"
    measured += f", from step {wrong[0]} on" if wrong else f" over {prefix.shape[1]} tokens"
    advice = "a new token's position counts from the sentence's start; its keys and values are "
    advice += "added after the old ones, and the mask keeps the rows of new tokens"
    if wrong and wrong[0] == 1:
        advice = "already the first token differs: keys, values and mask of the source, the norms"
    return Check("cache", not wrong, measured, advice)
