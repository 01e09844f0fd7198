"""The cell of an LSTM: three gates around a sum, and no matrix along the cell's own path."""

import torch
from torch import nn

from ..drawing import Drawing
from ..sheet import Sheet

GATES = {"f": "forget", "i": "write", "o": "read"}


def one_step() -> tuple[float, float]:
    """The derivative of one unit's next cell state with respect to its last; its forget gate."""
    torch.manual_seed(0)
    cell, x, h = nn.LSTMCell(1, 1), torch.ones(1, 1), torch.ones(1, 1)
    c = torch.ones(1, 1, requires_grad=True)
    _, after = cell(x, (h, c))
    (slope,) = torch.autograd.grad(after.sum(), c)
    gates = cell.weight_ih @ x + cell.bias_ih[:, None] + cell.weight_hh @ h + cell.bias_hh[:, None]
    return slope.item(), gates.sigmoid()[1].item()  # torch's order is i, f, g, o


def gated_cell() -> Drawing:
    """The cell state above, the gates that open and close it below."""
    found = one_step()
    sheet = Sheet(720, 300)
    sheet.text(24, 34, "One step back along the cell is one gate", anchor="start", bold=True)
    top, low = 98.0, 206.0
    sheet.text(44, top + 5, "c_{t−1}", bold=True)
    sheet.arrow((70, top), (152, top), role="way", head="tip")
    sheet.box(152, top - 19, 60, 38, "orange", "× f")
    sheet.arrow((212, top), (309, top), role="way", head="tip")
    sheet.plus(320, top)
    sheet.arrow((331, top), (636, top), role="way", head="tip")
    sheet.text(662, top + 5, "c_{t}", bold=True)
    for x, gate in ((182, "f"), (320, "i"), (540, "o")):
        sheet.box(x - 62, low - 21, 124, 42, "blue", f"{GATES[gate]} gate {gate}")
    sheet.arrow((182, low - 21), (182, top + 19))
    sheet.box(285, top + 36, 70, 32, "green", "i × new", size=13)
    sheet.arrow((320, low - 21), (320, top + 68))
    sheet.arrow((320, top + 36), (320, top + 11))
    sheet.box(490, top + 36, 100, 32, "green", "o × tanh(c)", size=13)
    sheet.arrow((540, low - 21), (540, top + 68))
    sheet.arrow((540, top), (540, top + 36))
    sheet.arrow((590, top + 52), (636, top + 52))
    sheet.text(662, top + 57, "h_{t}", bold=True)
    sheet.line((120, 256), (540, 256))
    for x in (182, 320, 540):
        sheet.arrow((x, 256), (x, low + 21))
    sheet.text(24, 261, "x_{t} and h_{t−1}", anchor="start", size=13)
    return sheet.drawing(
        "gated_cell",
        "The cell of an LSTM",
        "The cell state goes from left to right: it is multiplied by the forget gate, then the "
        "new content times the write gate is added. The output is tanh of the cell times the read "
        "gate. All three gates are computed from the input and the last output.",
        found,
    )
