"""Multi-head attention (Figure 2, right): one width, divided among heads, and joined again."""

from dataclasses import dataclass

from ..attention import MultiHeadAttention
from .drawing import Drawing
from .sheet import Sheet


@dataclass(frozen=True)
class Sizes:
    """Sizes of the paper's module, and its linear layers in the order in which they are made."""

    n_heads: int
    d_model: int
    d_k: int
    layers: tuple[str, ...]


def sizes() -> Sizes:
    """Read from the module with its default arguments."""
    module = MultiHeadAttention()
    d_model = module.w_q.weight.shape[1]
    layers = tuple(name for name, _ in module.named_children() if name.startswith("w_"))
    return Sizes(module.n_heads, d_model, d_model // module.n_heads, layers)


def multi_head() -> Drawing:
    """Three projections, the heads side by side, their concatenation, and the last projection."""
    found = sizes()
    wide, narrow = f"(n, {found.d_model})", f"(n, {found.d_k})"
    sheet = Sheet(806, 276)
    lanes = {"head 0": 62, "head 1": 118, f"head {found.n_heads - 1}": 210}
    for name, layer, y in zip("QKV", found.layers, (62, 136, 210), strict=False):
        sheet.text(40, y + 25, name, size=16, bold=True)
        sheet.text(40, y + 43, wide, size=13, role="quiet")
        sheet.arrow((72, y + 20), (98, y + 20))
        sheet.box(100, y, 92, 40, "purple", f"linear {layer}", size=13)
        for lane in lanes.values():
            sheet.line((192, y + 20), (286, lane + 20))
    for name, y in lanes.items():
        sheet.arrow((286, y + 20), (298, y + 20))
        sheet.box(300, y, 190, 40, "blue", "scaled dot-product", "attention", size=13)
        sheet.text(524, y + 14, name, size=13, bold=True)
        sheet.arrow((490, y + 20), (558, y + 20))
        sheet.text(524, y + 37, narrow, size=13, role="quiet")
    sheet.line((395, 168), (395, 202), dashed=True)
    sheet.box(560, 62, 64, 188, "grey", "concat")
    sheet.arrow((624, 156), (642, 156))
    sheet.box(644, 136, 84, 40, "purple", f"linear {found.layers[-1]}", size=13)
    sheet.arrow((728, 156), (746, 156))
    sheet.text(772, 152, "output", bold=True, size=13)
    sheet.text(772, 172, wide, size=13, role="quiet")
    title = f"{found.n_heads} heads of {found.d_k} features, side by side"
    sheet.text(24, 34, title, size=16, anchor="start", bold=True)
    return sheet.drawing(
        "multi_head",
        "Multi-head attention",
        f"Q, K and V, {found.d_model} features wide, go through a linear layer each. Its result is "
        f"divided among {found.n_heads} heads of {found.d_k} features. Each head attends by "
        "itself, side by side with the others. Their outputs are concatenated to "
        f"{found.d_model} features and go through a last linear layer.",
        found,
    )
