"""Parameters of well-known models by year, on a logarithmic scale."""

import math

from ..drawing import Drawing
from ..sheet import Sheet

# Year, millions of parameters as the papers that part 1 cites give them, and the family's color.
MODELS = {
    "LSTM translator": (2014.7, 384, "grey"),
    "Transformer": (2017.5, 213, "purple"),
    "GPT-2": (2019.1, 1_500, "orange"),
    "RoBERTa": (2019.5, 355, "blue"),
    "T5": (2019.9, 11_000, "purple"),
    "GPT-3": (2020.4, 175_000, "orange"),
    "ViT-Huge": (2020.8, 632, "blue"),
    "Whisper": (2022.7, 1_550, "purple"),
    "LLaMA": (2023.1, 65_000, "orange"),
    "DeepSeek-V3": (2024.9, 671_000, "orange"),
}
FAMILIES = {"blue": "encoder", "orange": "decoder", "purple": "both", "grey": "recurrent"}
LEFT, RIGHT, TOP, BOTTOM = 62, 730, 24, 272
SCALE = {100: "100 M", 1_000: "1 B", 10_000: "10 B", 100_000: "100 B", 1_000_000: "1000 B"}


def place(year: float, millions: float) -> tuple[float, float]:
    """The point of a model on the sheet."""
    share = math.log10(millions / 100) / 4
    return LEFT + (year - 2013.6) / 12 * (RIGHT - LEFT), BOTTOM - share * (BOTTOM - TOP)


def growth() -> Drawing:
    """A point for each model, its name at its right."""
    sheet = Sheet(760, 346)
    for millions, said in SCALE.items():
        _, y = place(2014, millions)
        sheet.text(LEFT - 8, y + 5, said, size=13, anchor="end", role="quiet")
        sheet.line((LEFT, y), (LEFT + 6, y))
    for tick in range(2014, 2026, 2):
        sheet.text(place(tick, 100)[0], BOTTOM + 24, str(tick), size=13)
    sheet.line((LEFT, TOP), (LEFT, BOTTOM), (RIGHT, BOTTOM))
    for name, (year, millions, role) in MODELS.items():
        x, y = place(year, millions)
        sheet.box(x - 6, y - 6, 12, 12, role)
        end = year > 2024
        sheet.text(x + (-12 if end else 12), y + 5, name, size=13, anchor="end" if end else "start")
    for number, (role, family) in enumerate(FAMILIES.items()):
        sheet.box(LEFT + 120 * number, 314, 16, 16, role)
        sheet.text(LEFT + 24 + 120 * number, 327, family, size=13, anchor="start")
    listed = ", ".join(f"{name} {int(year)}" for name, (year, *_) in MODELS.items())
    return sheet.drawing(
        "growth",
        "Ten years of models",
        f"Parameters by year, from 100 million to 1000 billion on a logarithmic scale: {listed}. "
        "Decoder-only models grow fastest.",
        MODELS,
    )
