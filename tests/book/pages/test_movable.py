"""Movable figures: their frames are what the library computes, and a keyboard moves them."""

import re

import numpy as np
import pytest

pytest.importorskip("sphinx", reason="the site's packages are not installed")

from checkout import ROOT

from book.movable.directive import html
from book.movable.figures import FIGURES
from book.movable.frames import Control, Frame, Movable
from course_lib.numpy_forms.attention import softmax
from course_lib.training.schedules import warmup_rate

LECTURES = ROOT / "lectures"
MADE = {name: make() for name, make in FIGURES.items()}


def said(name, **settings):
    """What the frame for these values of the controls says."""
    place = 0
    for control in MADE[name].controls:
        value = settings.get(control.label.split()[0], control.values[control.start])
        place = place * len(control.values) + control.values.index(value)
    return MADE[name].frames[place].said


def test_every_figure_is_on_a_page_of_a_part():
    pages = "".join(path.read_text(encoding="utf-8") for path in LECTURES.glob("part*.md"))
    assert set(re.findall(r"```\{movable\} (\w+)", pages)) == set(FIGURES)


def test_a_setting_without_a_frame_is_refused():
    with pytest.raises(ValueError, match="1 frames for 2 settings"):
        Movable("A title", (Control("width", ("1", "2")),), (Frame("", ""),))


def test_the_numbers_are_those_of_the_library():
    weights = softmax(np.array([0.0, 6, 4, 0, 2]))
    assert f"dog {weights[1]:.2f}, chased {weights[2]:.2f}" in said("temperature", temperature="1")
    assert f"{warmup_rate(1000, 1024, 1000):.5f} at step 1,000" in said(
        "warmup", steps="1,000", width="1024"
    )
    angles = {said("rotation", position=str(p), offset="3").split("turned")[1] for p in range(13)}
    assert len(angles) == 1
    assert "look ahead, 0 look at padding" in said("mask", mask="causal and padding")
    assert "6 pairs look ahead" in said("mask", mask="causal or padding (wrong)")
    assert "“birds”, probability 0.225" in said("beam", width="1")
    assert "“a dog”, probability 0.240" in said("beam", width="2")
    drawn = [said("nucleus", temperature="1", **{"top-p": p})[-1] for p in ("0.5", "0.8", "0.95")]
    assert drawn == ["1", "3", "4"]
    assert "expert: 1, 2, 0, 1" in said("router", experts="1")
    assert "expert: 4, 4, 4, 4" in said("router", experts="4")
    assert "96 heads: 19.3 GB, 8 groups: 1.6 GB" in said("cache", tokens="4,096")
    shares = [int(re.search(r"(\d+)% missing", said("rank", rank=str(r)))[1]) for r in range(1, 6)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 2 * shares[1] > 0


def test_without_a_script_one_frame_is_shown_and_says_what_it_is():
    for name, movable in MADE.items():
        made = html(name, movable)
        frames = re.findall(r"<svg[^>]*>", made)
        assert [" hidden" in frame for frame in frames].count(False) == 1
        assert " hidden" not in frames[movable.start]
        assert all(re.search(r'role="img" aria-label="[^"]{20,}"', frame) for frame in frames)
        assert "<script" not in made


@pytest.fixture
def page(chromium):
    """A page with the figure of the mask and that of the temperature, its script and its style."""
    figures = "".join(html(name, MADE[name]) for name in ("temperature", "mask"))
    style, script = (
        (LECTURES / "_static" / f"movable.{kind}").read_text(encoding="utf-8")
        for kind in ("css", "js")
    )
    opened = chromium.new_context(viewport={"width": 390, "height": 800}).new_page()
    opened.errors = []
    opened.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.set_content(f"<style>{style}</style><main>{figures}</main><script>{script}</script>")
    yield opened
    opened.close()


def shown(page, name):
    """What the one visible frame of a figure says."""
    frames = page.locator(f"#movable-{name} svg:visible")
    assert frames.count() == 1
    return frames.get_attribute("aria-label")


def test_a_slider_moves_by_the_keyboard(page):
    slider = page.get_by_role("slider", name="temperature")
    slider.focus()
    before = shown(page, "temperature")
    page.keyboard.press("End")
    assert shown(page, "temperature") == said("temperature", temperature="100") != before
    assert slider.get_attribute("aria-valuetext") == "100"
    assert page.locator("#movable-temperature [role=status]").inner_text() == said(
        "temperature", temperature="100"
    )
    page.keyboard.press("ArrowLeft")
    assert shown(page, "temperature") == said("temperature", temperature="12")
    assert page.errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_list_chooses_a_mask(page):
    page.get_by_role("combobox", name="mask").select_option("causal or padding (wrong)")
    assert shown(page, "mask") == said("mask", mask="causal or padding (wrong)")
    assert shown(page, "temperature") == said("temperature")
