"""Checks of what a classifier does, whatever it is made of: each measures its output."""

import torch
from torch import Tensor, nn

from .calls import distinct
from .check import TOLERANCE, Check, off_by

EVEN, COLLAPSED = 0.9999, 0.02  # shares of the largest entropy that the number of keys allows


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
    made = distinct(model)
    change = (made(token_ids)[0] - made(backwards)[0]).abs().max().item()
    advice = "nothing tells the encoder the order: are positions added to the embeddings?"
    return Check("positions matter", change > TOLERANCE, f"reversed: {change:.1e}", advice)


def sentences_do_not_mix(model: nn.Module, token_ids: Tensor) -> Check:
    """A sentence gets the same logits in a batch and alone."""
    together = model(token_ids)[0]
    alone = torch.cat([model(one[None])[0] for one in token_ids])
    change = off_by(alone, together)
    advice = (
        "sentences of a batch are mixed: which axis is the batch in every sum, mean or softmax?"
    )
    return Check("sentences apart", change < TOLERANCE, f"alone: {change:.1e}", advice)


def dropout_in_evaluation(model: nn.Module, token_ids: Tensor) -> Check:
    """Two passes in evaluation mode agree."""
    difference = model(token_ids)[0] - model(token_ids)[0]
    change = difference.nan_to_num().abs().max().item()  # where NaN is from, others say
    advice = (
        "dropout is active in evaluation (a function with training=True, or a missing eval()), or "
        "something is kept from one pass to the next, such as a running mean"
    )
    return Check("no dropout in eval()", change < TOLERANCE, f"two passes: {change:.1e}", advice)


def dropout_in_training(model: nn.Module, token_ids: Tensor) -> Check:
    """Two passes in training mode differ, if there is any dropout (§5.4), all of one rate."""
    rates = {m.p for m in model.modules() if isinstance(m, nn.Dropout)}
    advice = "train() does not reach the dropout: is it a part of the model?"
    name = "dropout in train()"
    if not any(rates):
        return Check(name, None, "the model has no nn.Dropout", advice)
    if len(rates) > 1:
        shown = " and ".join(f"{rate:g}" for rate in sorted(rates))
        return Check(name, False, f"rates {shown}", "pass the model's `dropout` on to every part")
    model.train()
    change = (model(token_ids)[0] - model(token_ids)[0]).abs().max().item()
    model.eval()
    return Check(name, change > TOLERANCE, f"two passes: {change:.1e}", advice)


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
    advice = "1: every token gets the same weight, whatever the scores; 0: one token gets all of it"
    return Check("attention entropy", fine, measured, advice)


def _listed(values: list[float], digits: int = 2) -> str:
    return ", ".join(f"{value:.{digits}g}" for value in values)
