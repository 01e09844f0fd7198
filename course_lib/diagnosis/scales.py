"""Checks of scales: of scores, of embeddings and positions, of the weights of a new model.

They apply to models whose parts have the course's names; for others, `ok` is None.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from .check import Check, Fault, first_of, same

LEAST, MOST = 0.05, 3.0  # the deviation of drawn weights, in 1 / √inputs
CLOSE = 1e-2  # relative: a wrong factor is off by far more, float32 by far less


def score_scale(model: nn.Module) -> Check:
    """The scores of every attention are QKᵀ / √d_k (§3.2.1, Eq. 1).

    The factor is measured: it is the slope of the weights' logarithms over the products of the
    projected queries and keys.
    """
    name = "score scale"
    found: list[Any] = [part for part in model.modules() if _is_attention(part)]
    if not found:
        return Check(name, None, "no part has w_q, w_k and n_heads", "")
    measured = [(_slope(part), part) for part in found]
    if any(math.isnan(slope) for slope, _ in measured):  # `parts.attention` looks closer
        return Check(name, None, "the weights do not follow from w_q and w_k alone", "")

    def error(pair: tuple[float, Any]) -> float:
        return abs(pair[0] * math.sqrt(_d_k(pair[1])) - 1)

    worst, part = max(measured, key=error)
    d_k, d_model = _d_k(part), part.w_q.out_features
    known = {
        1.0: "the scores are not divided by √d_k",
        d_model**-0.5: "the scores are divided by √d_model: d_k is the width of one head",
        1 / d_k: "the scores are divided by d_k, not by its root",
    }
    near = [advice for factor, advice in known.items() if abs(worst / factor - 1) < CLOSE]
    shown = f"scores are QKᵀ × {worst:.3g}; 1/√d_k is {d_k**-0.5:.3g}"
    advice = near[0] if near else "scores are QKᵀ / √d_k, where d_k is the width of one head"
    return Check(name, error((worst, part)) < CLOSE, shown, advice)


def _is_attention(part: Any) -> bool:
    linear = isinstance(getattr(part, "w_q", None), nn.Linear)
    return linear and hasattr(part, "w_k") and isinstance(getattr(part, "n_heads", None), int)


def _d_k(part: Any) -> int:
    return int(part.w_q.out_features // part.n_heads)


def _slope(part: Any) -> float:
    """NaN if the logarithms of the weights are no multiple of the products."""
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 6, part.w_q.in_features, generator=generator).to(part.w_q.weight)
    weights = part(x, x, x, None, need_weights=True)[1]
    queries, keys = (w(x).unflatten(-1, (part.n_heads, -1)) for w in (part.w_q, part.w_k))
    products = _centered(torch.einsum("bqhd,bkhd->bhqk", queries, keys))
    if weights.shape != products.shape:
        return math.nan
    logs = _centered(weights.clamp(min=1e-30).log())
    slope = ((logs * products).sum() / products.square().sum()).item()
    unexplained = (logs - slope * products).square().mean() / logs.square().mean()
    return slope if unexplained < CLOSE else math.nan


def _centered(x: Tensor) -> Tensor:
    return x - x.mean(dim=-1, keepdim=True)


def embedding_scale(model: nn.Module, token_ids: Tensor, pad_id: int) -> Check:
    """Embeddings are multiplied by √d_model, the positions are not (§3.4, §3.5).

    Both factors are measured: what a token adds to padding, and what padding is alone.
    """
    name = "embedding scale"
    embedding: Any = getattr(model, "embedding", None)
    tokens, positions = getattr(embedding, "tokens", None), _table(model)
    if not isinstance(tokens, nn.Embedding) or positions is None:
        return Check(name, None, "the model has no embedding.tokens and embedding.positions", "")
    if not hasattr(embedding, "position_scale"):
        return Check(name, None, "the embedding scales its positions in another way", "")
    width, ids = tokens.embedding_dim, token_ids[:1]
    padding = torch.full_like(ids, pad_id)
    alone, table = embedding(padding), positions[: ids.shape[1]]
    rows = tokens.weight[ids] - tokens.weight[padding]
    factor = _factor(embedding(ids) - alone, rows)
    places = _factor(alone, table.expand_as(alone))
    if not same(embedding(ids), factor * tokens.weight[ids] + places * table):
        return Check(name, None, "not a sum of embeddings and positions with two factors", "")
    right = abs(factor / math.sqrt(width) - 1) < CLOSE and abs(places - 1) < CLOSE
    shown = f"tokens × {factor:.3g}, positions × {places:.3g}; √d_model is {math.sqrt(width):.3g}"
    advice = "the embeddings alone are multiplied by √d_model, before the positions are added"
    if abs(places) < CLOSE:
        advice = "the positions are not added"
    return Check(name, right, shown, advice)


def _factor(found: Tensor, of: Tensor) -> float:
    """The factor f of the best fit f · `of` to `found`."""
    return ((found * of).sum() / of.square().sum()).item()


def sinusoids(model: nn.Module) -> Check:
    """Sines and cosines alternate, and the wavelengths grow by one ratio, from 2π on (§3.5).

    Nothing trains them. A table of parameters with other numbers holds learned positions.
    """
    positions = _table(model)
    if positions is None or len(positions) < 2:
        return Check("sinusoids", None, "the model has no table embedding.positions", "")
    scale = float(getattr(model.embedding, "position_scale", 1.0))  # type: ignore[arg-type]
    found = _of_table(positions.double() / scale)
    if not isinstance(positions, nn.Parameter):
        return found
    if not found.ok:
        return Check("sinusoids", None, "the positions are learned", "")
    advice = 'self.register_buffer("positions", …) moves with the model and is not trained'
    return Check("sinusoids", False, "the table is a parameter: training changes it", advice)


def _of_table(table: Tensor) -> Check:
    name = "sinusoids"
    width = table.shape[1] // 2 * 2
    sines, cosines = table[:, 0:width:2], table[:, 1:width:2]
    half = width // 2
    start = "position 0 begins " + ", ".join(f"{value:.2g}" for value in table[0, :4].tolist())
    if _are(table[0, :half], 0) and _are(table[0, half:], 1):
        advice = "the sines fill the first half, the cosines the second: features 2i and 2i + 1"
        return Check(name, False, start, advice)
    if _are(sines[0], 1) and _are(cosines[0], 0):
        return Check(name, False, start, "sines and cosines are exchanged: a sine comes first")
    angles = torch.atan2(sines[1], cosines[1])  # of position 1, from 1 radian down
    alternate = _are(sines[0], 0) and _are(cosines[0], 1) and _are(sines**2 + cosines**2, 1)
    ratios = angles.log().diff()
    places = torch.arange(len(table), device=table.device)[:, None]
    turning = _are(sines - torch.sin(places * angles), 0)  # every row, not the first two alone
    even = alternate and _are(angles[:1], 1) and _are(ratios - ratios.mean(), 0) and turning
    last = f"; the last wavelength is {2 * math.pi / angles[-1].item():.4g} positions"
    advice = "feature 2i is a sine and 2i + 1 the cosine of one angle; position 0 comes first"
    expected = 10000 ** (2 / table.shape[1])  # between neighboring wavelengths
    right = even and (half < 2 or abs(math.exp(-ratios.mean()) / expected - 1) < CLOSE / half)
    return Check(name, bool(right), start + last, advice)


def _table(model: nn.Module) -> Tensor | None:
    found = getattr(getattr(model, "embedding", None), "positions", None)
    return found if isinstance(found, Tensor) and found.ndim == 2 else None


def _are(values: Tensor, wanted: float) -> bool:
    return bool((values - wanted).abs().max() < 1e-4)


def initialization(model: nn.Module) -> Check:
    """The weights of a new model are drawn with a deviation near 1 / √inputs; padding has zeros.

    A norm begins as one: with gains of 1 and biases of 0. Then a sum of products is as large as its
    inputs. Embeddings may be larger, unless they are the output matrix, too: then
    `training.learning.start` finds that.
    """
    return first_of("initialization", _of_weights(model), "near 1 / √inputs")


@torch.no_grad()
def _of_weights(model: nn.Module) -> Iterator[Fault]:
    for path, part in model.named_modules():
        if type(part).__name__ == "LayerNorm":
            gain, bias = getattr(part, "weight", None), getattr(part, "bias", None)
            if gain is not None and not (gain == 1).all() or bias is not None and bias.any():
                yield f"{path} changes what it has normalized", "gains begin at 1, biases at 0"
        if not isinstance(part, nn.Linear | nn.Embedding):
            continue
        weight, root = part.weight.float(), math.sqrt(part.weight.shape[1])
        padding_row: Any = getattr(part, "padding_idx", None)
        padding = [] if padding_row is None else [padding_row]
        drawn = weight[[row for row in range(len(weight)) if row not in padding]]
        deviation, size = drawn.std().item(), drawn.square().mean().sqrt().item()
        usual = "nn.Linear's own numbers or xavier_uniform_"
        if deviation * root < LEAST:
            measured = f"the weights of {path} are nearly equal: deviation {deviation:.1g}"
            yield measured, f"equal weights get equal gradients and stay equal: take {usual}"
        elif isinstance(part, nn.Linear) and size * root > MOST:
            measured = f"the weights of {path} are large: {size:.2g}; 1 / √inputs is {1 / root:.2g}"
            yield measured, f"large sums saturate the softmax: take {usual}"
        if weight[padding].any():
            advice = "set it to 0 after the weights are drawn: padding_idx only keeps it as it is"
            yield f"the row of padding in {path} is not 0", advice
