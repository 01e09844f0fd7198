"""The architecture (Figure 1): the whole Transformer, and its encoder alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn

from ..config import PRESETS
from ..decoder import Decoder, DecoderLayer
from ..decoding.cache import uncached_step
from ..embeddings import TransformerEmbedding
from ..encoder import Encoder, EncoderLayer
from ..positions import sinusoidal_positions
from ..residual import ResidualConnection
from ..transformer import Transformer
from .drawing import Drawing
from .sheet import Sheet

LABELS = {
    "attention": ("multi-head", "self-attention"),
    "self_attention": ("masked multi-head", "self-attention"),
    "cross_attention": ("multi-head", "cross-attention"),
    "feed_forward": ("feed-forward",),
}
TITLE = "The Transformer"
WIDTH, BLOCK, NORM = 176, 44, 28  # of a column; heights of a sub-layer and of what follows it
BETWEEN, BEFORE = 8, 30  # sub-layer and its norm; the norm and the next sub-layer
PER_SUBLAYER = BEFORE + BLOCK + BETWEEN + NORM


@dataclass(frozen=True)
class Architecture:
    """The sub-layers of one layer of each stack as they run, and the sizes of the base model."""

    encoder: tuple[str, ...]
    decoder: tuple[str, ...]
    n_layers: int
    d_model: int
    classes: dict[str, type]  # of the sub-layers, and of what follows each


def architecture() -> Architecture:
    """Read from the library's layers as they run, and from its preset."""
    x = torch.zeros(1, 2, 4)
    base = PRESETS["base"]
    layers = EncoderLayer(4, 2, 8), DecoderLayer(4, 2, 8)
    return Architecture(
        _ran(layers[0], x),
        _ran(layers[1], x, x),
        base.n_layers,
        base.d_model,
        {name: type(part) for layer in layers for name, part in layer.named_children()},
    )


def _ran(layer: nn.Module, *inputs: torch.Tensor) -> tuple[str, ...]:
    """The names of a layer's submodules in the order in which they return."""
    names: list[str] = []
    for name, part in layer.named_children():
        runs = part.dropout if isinstance(part, ResidualConnection) else part
        runs.register_forward_hook(lambda *_, name=name: names.append(name))
    layer(*inputs)
    return tuple(names)


def transformer() -> Drawing:
    """Encoder and decoder side by side, from the bottom up."""
    found = architecture()
    sheet = Sheet(740, 652)
    bottom = 506
    _input(sheet, 130, bottom, "source", "a dog runs")
    _input(sheet, 454, bottom, "target so far", "START un chien court")
    top = _stack(sheet, 130, bottom, Encoder, found, outer=-1)
    end = _stack(sheet, 454, bottom, Decoder, found, outer=1)
    cross = bottom - PER_SUBLAYER - BEFORE - BLOCK / 2
    sheet.arrow((218, top), (218, top - 38), (368, top - 38), (368, cross), (454, cross))
    sheet.text(218, top - 62, "memory", bold=True)
    sheet.text(218, top - 45, f"(batch, n, {found.d_model})", size=12, role="quiet")
    sheet.text(402, cross - 8, "K, V", size=12, role="quiet")
    _output(sheet, 454, end)
    return sheet.drawing("transformer", TITLE, _said(found), found)


def transformer_upright() -> Drawing:
    """The same with the decoder above the encoder, for narrow screens."""
    found = architecture()
    sheet = Sheet(340, 1084)
    x, bottom, beside = 96, 938, 318  # the memory goes up beside the decoder's input
    middle = x + WIDTH / 2
    _input(sheet, x, bottom, "source", "a dog runs")
    top = _stack(sheet, x, bottom, Encoder, found, outer=-1)
    start = top - 206
    _input(sheet, x, start, "target so far", "START un chien court")
    end = _stack(sheet, x, start, Decoder, found, outer=-1)
    cross = start - PER_SUBLAYER - BEFORE - BLOCK / 2
    sheet.arrow((middle, top), (middle, top - 20), (beside, top - 20), (beside, cross),
                (x + WIDTH, cross))  # fmt: skip
    sheet.text(middle, top - 44, "memory", bold=True)
    sheet.text(middle, top - 28, f"(batch, n, {found.d_model})", size=12, role="quiet")
    sheet.text(302, cross - 8, "K, V", size=12, role="quiet")
    _output(sheet, x, end)
    return sheet.drawing("transformer-upright", TITLE, _said(found), found)


def encoder() -> Drawing:
    """The left half: what assignment 3 builds."""
    found = architecture()
    sheet = Sheet(430, 456)
    bottom = 310
    _input(sheet, 130, bottom, "source", "a fine little film")
    top = _stack(sheet, 130, bottom, Encoder, found, outer=-1)
    sheet.arrow((218, top), (218, top - 24))
    sheet.text(218, top - 50, "one vector for each token", bold=True)
    sheet.text(218, top - 32, f"(batch, n, {found.d_model})", size=12, role="quiet")
    return sheet.drawing(
        "encoder",
        "The encoder",
        f"From the bottom up: embedding plus positions, then a stack of {found.n_layers} layers. "
        "A layer is self-attention, add and norm, feed-forward, add and norm; around each of the "
        "two sub-layers goes a residual connection. The result is one vector for each token.",
        found,
    )


def _said(found: Architecture) -> str:
    """A description of both drawings of the whole model."""
    return (
        "From the bottom up. The encoder: embedding plus positions, then a stack of "
        f"{found.n_layers} layers of self-attention and feed-forward, each followed by add and "
        "norm. Its output, the memory, is the keys and values of the decoder's cross-attention. "
        f"The decoder: embedding plus positions, then {found.n_layers} layers of masked "
        "self-attention, cross-attention and feed-forward, each followed by add and norm; then a "
        "linear layer and a softmax."
    )


def _output(sheet: Sheet, x: float, end: float) -> None:
    """From the decoder's top, `end`, to the probabilities."""
    middle = x + WIDTH / 2
    sheet.arrow((middle, end), (middle, end - 26))
    sheet.box(x, end - 56, WIDTH, 30, "purple", "linear", of=Transformer)
    sheet.arrow((middle, end - 56), (middle, end - 72))
    sheet.box(x, end - 102, WIDTH, 30, "grey", "softmax", of=uncached_step)
    sheet.arrow((middle, end - 102), (middle, end - 120))
    sheet.text(middle, end - 128, "probabilities of each next word", size=13, bold=True)


def _input(sheet: Sheet, x: float, bottom: float, name: str, example: str) -> None:
    """Words, embedding and positions, up to `bottom`, where the stack begins."""
    middle = x + WIDTH / 2
    sheet.text(middle, bottom + 128, name, size=13, bold=True)
    sheet.text(middle, bottom + 110, example, size=13)
    sheet.arrow((middle, bottom + 96), (middle, bottom + 84))
    sheet.box(x, bottom + 54, WIDTH, 30, "purple", "embedding", of=TransformerEmbedding)
    sheet.arrow((middle, bottom + 54), (middle, bottom + 39))
    sheet.text(middle + 68, bottom + 33, "positions", size=13)
    sheet.place(middle + 34, bottom + 17, 68, 23, sinusoidal_positions, "positions")
    sheet.arrow((middle + 36, bottom + 28), (middle + 12, bottom + 28))
    sheet.plus(middle, bottom + 28)
    sheet.line((middle, bottom + 17), (middle, bottom))


def _stack(
    sheet: Sheet, x: float, bottom: float, stack: type, found: Architecture, outer: int
) -> float:
    """One layer in a frame, from `bottom` up, its ways around on the `outer` side; the top."""
    name, middle, y = stack.__name__.lower(), x + WIDTH / 2, bottom
    parts: Sequence[str] = getattr(found, name)
    times = f"{found.n_layers} ×" if outer < 0 else f"× {found.n_layers}"
    sublayers = [part for part in parts if not part.endswith("_residual")]
    height = PER_SUBLAYER * len(sublayers) + 12
    side = middle + outer * (WIDTH / 2 + 20)
    left, right = min(side - 14, x - 14), max(side + 14, x + WIDTH + 14)
    sheet.box(left, bottom - height, right - left, height + 2, "grey")
    first = left - 46 if outer < 0 else left  # the number of layers belongs to the frame
    sheet.place(first, bottom - height, right - left + 46, height + 2, stack, name)
    sheet.text(
        left - 24 if outer < 0 else right + 24, bottom - height / 2, times, size=18, bold=True
    )
    for part in parts:
        if part.endswith("_residual"):
            y -= BETWEEN
            sheet.line((middle, y + BETWEEN), (middle, y))
            y -= NORM
            sheet.box(x, y, WIDTH, NORM, "orange", "add & norm", size=13, of=found.classes[part])
            edge = middle + outer * WIDTH / 2
            start = y + NORM + BETWEEN + BLOCK + 17
            sheet.arrow(
                (middle, start),
                (side, start),
                (side, y + NORM / 2),
                (edge, y + NORM / 2),
                role="way",
                head="tip",
            )
        else:
            sheet.arrow((middle, y), (middle, y - BEFORE))
            if "attention" in part:
                names = "Q" if part.startswith("cross") else "Q, K, V"
                sheet.text(
                    middle - outer * 10,
                    y - 6,
                    names,
                    size=12,
                    role="quiet",
                    anchor="end" if outer > 0 else "start",
                )
            y -= BEFORE + BLOCK
            role = "green" if part == "feed_forward" else "blue"
            sheet.box(x, y, WIDTH, BLOCK, role, *LABELS[part], of=found.classes[part])
    sheet.line((middle, y), (middle, bottom - height))
    return bottom - height
