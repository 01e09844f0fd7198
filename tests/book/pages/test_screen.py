"""Pages on any screen: plots and drawings for dark ones, equations that break, what cells print."""

import re

import pytest
from drawn_svg import contrast

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
from docutils import nodes  # noqa: E402
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from nbformat.v4 import new_output  # noqa: E402

from book.screen import cells, descriptions, equations, inline_code, pictures  # noqa: E402
from course_lib.drawings import gallery, palette  # noqa: E402


def plot(tmp_path, draw):
    """The SVG that matplotlib writes."""
    figure = Figure()
    draw(figure.subplots())
    figure.savefig(tmp_path / "plot.svg")
    plt.close(figure)
    return (tmp_path / "plot.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("that is ", ", so", ["that is ", ["", "x", ","], " so"]),
        ("both (", "), and", ["both ", ["(", "x", "),"], " and"]),
        ("with ", " and", ["with ", "x", " and"]),
    ],
)
@pytest.mark.parametrize("kind", [nodes.math, nodes.literal])
def test_no_line_begins_with_the_mark_behind_a_formula_or_code(kind, before, after, joined):
    page = nodes.document(None, None)
    page += nodes.paragraph("", "", nodes.Text(before), kind("", "x"), nodes.Text(after))
    equations.join(page)
    said = [[p.astext() for p in one] if isinstance(one, nodes.inline) else one for one in page[0]]
    assert [one if isinstance(one, list) else one.astext() for one in said] == joined


def test_a_long_path_may_end_a_line_behind_a_slash():
    path = "course_lib/analysis/attention_properties.py"
    body = f'<code><span class="pre">{path}</span> <span class="pre">a/b</span></code> {path}'
    broken = path.replace("/", "/<wbr>")
    assert inline_code.breakable(body) == body.replace(path, broken, 1)


def test_a_dark_plot_has_no_paper_and_lines_that_stand_out(tmp_path):
    colors = ["#0b62a4", "#b34700", "#00694a", "#74398f", "#3f4854"]
    svg = plot(
        tmp_path, lambda ax: [ax.plot([0, 1], [0, k], color=c) for k, c in enumerate(colors)]
    )
    assert "fill: #ffffff" in svg
    dark = pictures.dark_plot(svg)
    assert "#ffffff" not in dark
    drawn = set(re.findall(r"stroke: (#[0-9a-f]{6})", dark))
    assert len(drawn) >= len(colors)
    for color in drawn:
        assert contrast(color, palette.ROLES["paper"].dark_fill) > 3, color
    assert not drawn & set(colors)
    assert dark.count("<svg fill=") == 1


def test_white_letters_on_a_heat_map_and_the_map_itself_stay(tmp_path):
    def draw(ax):
        ax.imshow([[0, 1]])
        ax.text(0, 0, "0", color="white")

    svg = plot(tmp_path, draw)
    dark = pictures.dark_plot(svg)
    assert dark.count('<g style="fill: #ffffff') == svg.count('<g style="fill: #ffffff') == 1
    image = re.search(r"<image[^>]*>", svg)[0]
    assert image in dark


def test_every_picture_is_there_twice_with_the_same_words():
    body = '<img alt="a curve" src="../_images/ab.svg" /><img src="_images/a.png" alt="b">'
    drawing = gallery.draw("encoder")
    both = pictures.both(body + drawing.image())
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing.svg)
    assert both.count(f'width="{size[1]}" height="{size[2]}"') == 2  # its place is kept
    assert both.count("for-light") == both.count("for-dark") == 2
    assert both.count('alt="a curve"') == 2
    assert 'src="../_images/ab-dark.svg"' in both
    assert both.count("a.png") == 1


@pytest.mark.parametrize(
    ("tex", "apart"),
    [
        (r"a = b", [r"a = b"]),
        (r"a = b, \qquad c = d", [r"a = b,", r"c = d"]),
        (r"a \qquad \Rightarrow \qquad b", ["a", r"\Rightarrow", "b"]),
        (r"\begin{aligned} a &= b \qquad c \\ d \end{aligned}", None),
        (r"\left( a \qquad b \right)", None),
        (r"\underbrace{a \qquad b}_c \qquad d", [r"\underbrace{a \qquad b}_c", "d"]),
        (r"\{ a \qquad b \}", [r"\{ a", r"b \}"]),
    ],
)
def test_equations_break_only_between_whole_statements(tex, apart):
    assert equations.pieces(tex) == (apart or [tex])


def test_a_long_chain_of_equalities_gets_a_line_for_each():
    long = rf"a_{{i=1}} = {'b' * 40} = {'c' * 60},"
    rows = rf"a_{{i=1}} &= {'b' * 40} \\ &= {'c' * 60},"
    assert equations.chain(long) == rf"\begin{{aligned}} {rows} \end{{aligned}}"
    for one in ("a = b = c", rf"a = {'b' * 120}", rf"a = b \\ {'c' * 100} = d"):
        assert equations.chain(one) == one


def test_a_description_ends_with_a_word():
    assert descriptions.of("Two  words\nhere.") == "Two words here."
    long = descriptions.of("word, " * 60)
    assert len(long) <= descriptions.MOST
    assert long.endswith("word…")


# What a cell prints.


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
