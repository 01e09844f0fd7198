"""The key-value cache: what one step of a search computes without it and with it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ..decoding.cache import cached_step, encoded, start_cache, uncached_step
from ..transformer import Transformer
from .drawing import Drawing
from .sheet import Sheet

PREFIX = ("START", "un", "chien", "court")
SOURCE = ("a", "dog", "runs")
CHIP, HIGH, STEP = 64, 27, 31


@dataclass(frozen=True)
class StepCounts:
    """Of how many tokens a step computes queries, keys and the source's keys; and how many of the
    target's keys it was given."""

    queries: int
    keys: int
    source_keys: int
    kept: int


def cache_step() -> tuple[StepCounts, StepCounts]:
    """The step after `PREFIX` in a small model of the library, without and with a cache."""
    model = Transformer(16, n_layers=1, d_model=8, n_heads=2, d_ff=8, dropout=0.0).eval()
    source = torch.tensor([[4, 5, 6]])
    prefix = torch.tensor([[2, 7, 8, 9]])
    cache, step = start_cache(model, source), cached_step(model)
    for length in range(1, prefix.shape[1]):
        _, cache = step(prefix[:, :length], cache)
    kept = cache.layers[0].keys.shape[2]
    return (
        _counted(model, uncached_step(model), prefix, encoded(model, source), 0),
        _counted(model, step, prefix, cache, kept),
    )


def _counted(
    model: Transformer, step: Callable[..., Any], prefix: Tensor, state: object, kept: int
) -> StepCounts:
    """How many positions go through the projections of the first decoder layer in one step."""
    counts = dict.fromkeys(("queries", "keys", "source"), 0)
    layer: Any = model.decoder.layers[0]
    own, cross = layer.self_attention, layer.cross_attention
    hooks = [
        part.register_forward_hook(_counter(counts, name))
        for name, part in (("queries", own.w_q), ("keys", own.w_k), ("source", cross.w_k))
    ]
    step(prefix, state)
    for hook in hooks:
        hook.remove()
    return StepCounts(counts["queries"], counts["keys"], counts["source"], kept)


def _counter(counts: dict[str, int], name: str) -> Callable[[nn.Module, Any, Tensor], None]:
    def count(module: nn.Module, inputs: Any, output: Tensor) -> None:
        counts[name] += output.shape[1]

    return count


def key_value_cache() -> Drawing:
    """Two panels: the projections of one decoder layer that one step needs."""
    without, with_cache = found = cache_step()
    sheet = Sheet(800, 366)
    sheet.text(
        24,
        34,
        "One step of one decoder layer: which word follows “un chien court”?",
        size=16,
        anchor="start",
        bold=True,
    )
    _panel(sheet, 24, "without a cache", without)
    _panel(sheet, 412, "with a cache", with_cache)
    sheet.box(206, 331, 22, 18, "orange")
    sheet.text(236, 345, "computed in this step", size=13, anchor="start")
    sheet.box(426, 331, 22, 18, "blue")
    sheet.text(456, 345, "kept from earlier steps", size=13, anchor="start")
    after = with_cache.kept + with_cache.keys
    return sheet.drawing(
        "key_value_cache",
        "The key-value cache",
        f"One step of a decoder layer after {len(PREFIX)} tokens. Without a cache the queries, "
        f"keys and values of all {without.keys} tokens are computed, and the keys and values "
        f"of the {without.source_keys} source tokens. With a cache the keys and values of "
        f"{with_cache.kept} tokens and of the source are kept; those of the newest token "
        f"are computed and appended, which makes {after}, and there is one query.",
        found,
    )


def _panel(sheet: Sheet, left: float, title: str, computed: StepCounts) -> None:
    start = left + 92
    sheet.text(start + 2 * (CHIP + 4), 68, title, bold=True)
    n = len(PREFIX)
    y = 82
    for name, count, kept in (
        ("queries", computed.queries, 0),
        ("keys", computed.keys, computed.kept),
        ("values", computed.keys, computed.kept),
    ):
        sheet.text(left + 82, y + 18, name, size=13, anchor="end")
        for place in range(n):
            if place < kept or place >= n - count:
                role = "blue" if place < kept else "orange"
                sheet.box(start + place * (CHIP + 4), y, CHIP, HIGH, role)
        y += STEP
    _tokens(sheet, start, y, PREFIX, "target", left, read=n - computed.queries)
    y += STEP + 16
    for name in ("keys", "values"):
        sheet.text(left + 82, y + 18, name, size=13, anchor="end")
        for place in range(len(SOURCE)):
            role = "orange" if computed.source_keys else "blue"
            sheet.box(start + place * (CHIP + 4), y, CHIP, HIGH, role)
        y += STEP
    _tokens(sheet, start, y, SOURCE, "source", left, read=0 if computed.source_keys else 9)


def _tokens(
    sheet: Sheet, start: float, y: float, words: tuple[str, ...], name: str, left: float, read: int
) -> None:
    """The words below the vectors; those before `read` are not read again."""
    sheet.text(left + 82, y + 18, name, size=13, anchor="end", bold=True)
    for place, word in enumerate(words):
        role = "ink" if place >= read else "quiet"
        sheet.text(
            start + place * (CHIP + 4) + CHIP / 2,
            y + 18,
            word,
            size=13,
            role=role,
            bold=place >= read,
        )
