"""Whisper: a spectrogram made shorter by two convolutions, then the paper's encoder and decoder."""

import torch
from torch import nn

from ..drawing import Drawing
from ..sheet import Sheet

CHANNELS, COLUMNS = 80, 3000
SAID = ("START", "en", "transcribe", "hello", "there")


def lengths() -> tuple[int, int, int]:
    """How many columns the sound has, and how many after each of torch's own convolutions."""
    with torch.device("meta"):
        sound = torch.empty(1, CHANNELS, COLUMNS)
        first = nn.Conv1d(CHANNELS, 8, 3, padding=1)(sound)
        second = nn.Conv1d(8, 8, 3, stride=2, padding=1)(first)
    return sound.shape[-1], first.shape[-1], second.shape[-1]


def sound() -> Drawing:
    """The encoder's way above, the decoder's below, and the memory between them."""
    found = lengths()
    sheet = Sheet(768, 330)
    generator = torch.Generator().manual_seed(3)
    loud = torch.rand(5, 10, generator=generator) > torch.linspace(0.2, 0.9, 5)[:, None]
    roles = [["purple" if one else "grey" for one in row] for row in loud.flip(0).tolist()]
    sheet.text(84, 40, "30 s of sound", bold=True)
    sheet.grid(24, 58, (12, 15), roles)
    sheet.text(84, 156, f"{found[0]:,} × {CHANNELS}", size=13, role="quiet")
    ways = (
        (196, "orange", ("convolution", "stride 1"), found[1]),
        (386, "orange", ("convolution", "stride 2"), found[2]),
        (576, "blue", ("encoder", "of the paper"), found[2]),
    )
    sheet.arrow((144, 95), (196, 95))
    for x, role, lines, length in ways:
        sheet.box(x, 66, 140, 58, role, *lines)
        sheet.text(x + 70, 148, f"{length:,} positions", size=13, role="quiet")
        if x > 196:
            sheet.arrow((x - 50, 95), (x, 95))
    sheet.arrow((716, 95), (744, 95), (744, 224), (716, 224))
    sheet.box(576, 195, 140, 58, "blue", "decoder", "of the paper")
    for place, word in enumerate(SAID):
        role = "green" if place in (1, 2) else "grey"
        sheet.box(24 + 104 * place, 206, 96, 36, role, word, size=13)
    sheet.arrow((536, 224), (576, 224))
    sheet.text(232, 280, "language and task, as tokens", size=13)
    sheet.text(646, 280, "the next piece of text", bold=True)
    sheet.arrow((646, 253), (646, 264))
    return sheet.drawing(
        "sound",
        "Sound in, text out",
        f"A spectrogram of {found[0]:,} columns goes through two convolutions; the second halves "
        f"it to {found[2]:,} positions. Encoder and decoder are those of the paper. The decoder "
        "first reads tokens for the language and the task, then its own words.",
        found,
    )
