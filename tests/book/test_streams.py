"""What a cell prints is on the page as it was printed, in however many pieces it came."""

import pytest

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from nbformat.v4 import new_output  # noqa: E402

from book.screen import cells  # noqa: E402


def printed(*pieces, name="stdout"):
    return [new_output("stream", name=name, text=text) for text in pieces]


def test_a_line_that_comes_in_two_pieces_stays_a_line():
    (whole,) = cells.joined(printed("outputs that move:", " [3]\n", "done\n"))
    assert whole["text"] == "outputs that move: [3]\ndone\n"


def test_what_is_displayed_between_two_pieces_and_the_other_stream_stay():
    shown = new_output("display_data", {"text/plain": "7"})
    outputs = [*printed("a "), *printed("warned", name="stderr"), shown, *printed("b\n")]
    found = cells.joined(outputs)
    assert {one["text"] for one in found if one["output_type"] == "stream"} == {"a b\n", "warned\n"}
    assert shown in found


def test_a_bar_that_draws_over_itself_is_its_last_form():
    (whole,) = cells.joined(printed("1%\r", "100%\n"))
    assert whole["text"] == "100%\n"
