"""The live page in Chromium, opened from a folder: by mouse, by keyboard and without motion."""

import re

import pytest

from book.live import claims, live_model
from book.live.switches import BEAM

pytestmark = pytest.mark.xdist_group("site")
CLAIMS = claims.read()


@pytest.fixture(scope="module")
def tab(site, chromium):
    """The page with its models running, and what went wrong in it."""
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.wrong.append(said.text))
    page.goto((site / "live.html").as_uri())
    page.wait_for_function("live.page && live.page.writer.bars.children.length")
    yield page
    context.close()


def test_where_data_is_to_be_saved_the_models_wait_for_a_click(site, chromium):
    page = chromium.new_page()
    saving = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
    page.add_init_script(saving)
    page.goto((site / "live.html").as_uri())
    page.wait_for_timeout(500)
    assert page.evaluate("live.page === undefined")
    page.get_by_role("button", name="Start the models").click()
    page.wait_for_function("live.page && live.page.writer.bars.children.length")
    page.close()


def translated(tab, sentence):
    tab.fill("#live-text", sentence)
    tab.press("#live-text", "Enter")
    tab.wait_for_function("!live.page.result.textContent.includes('computing')")
    return tab.locator(".live-result strong").inner_text()


def test_a_worker_translates_and_the_page_says_what_it_does_not_know(tab):
    assert tab.evaluate("Boolean(live.page.engine.worker)")
    assert tab.evaluate("typeof live.Transformer") == "undefined"  # the arithmetic is not here
    assert translated(tab, claims.README_SENTENCE) == "Deux chiens jouent dans la neige."
    assert tab.locator(".live-warning").inner_text() == ""
    translated(tab, "the dog eats a xylophone")
    assert "never learned “xylophone”" in tab.locator(".live-warning").inner_text()
    assert "Read as “The dog eats a xylophone.”" in tab.locator(".live-warning").inner_text()


@pytest.mark.parametrize("name", list(CLAIMS["switches"]))
def test_a_sentence_of_the_text_is_tried_with_its_switch_off(name, tab):
    row = CLAIMS["switches"][name]["shown"][0]
    is_on = f"live.page.switches.{name}" if name != BEAM else "live.page.width.value === '4'"
    tab.locator(f'button.live-try[data-off="{name}"]').first.click()
    tab.wait_for_function(f"live.page.shown.translation === {row['without']!r}")
    assert not tab.evaluate(is_on)
    tab.get_by_role("button", name="Everything on").click()
    tab.wait_for_function(f"live.page.shown.translation === {row['fr']!r}")
    assert tab.evaluate(is_on)


def test_a_word_says_what_it_looked_at_by_mouse_and_by_keyboard(tab):
    translated(tab, claims.README_SENTENCE)
    word = tab.locator('.live-word[data-lane="target"]', has_text="chiens")
    word.hover()
    by_mouse = tab.locator(".live-told").first.inner_text()
    assert by_mouse.startswith("“chiens” was written looking at “")
    assert "“dogs”" in by_mouse
    tab.mouse.move(0, 0)
    word.focus()
    assert tab.locator(".live-told").first.inner_text() == by_mouse
    tab.keyboard.press("Enter")
    assert word.get_attribute("aria-pressed") == "true"
    assert "After “Deux” come next" in tab.locator(".live-bars-title").inner_text()
    tab.keyboard.press("Enter")


def test_the_drawing_follows_the_steps_of_the_computation(tab):
    translated(tab, claims.README_SENTENCE)
    slider = tab.get_by_role("slider", name="Step")
    slider.press("Home")
    assert slider.get_attribute("aria-valuetext") == "Encoder, embedding"
    first = tab.evaluate("live.page.flow.canvas.toDataURL()")
    assert tab.locator(".live-word.later").count() == 8  # START and what is not written yet
    tab.get_by_role("button", name="One step on").click()
    assert slider.get_attribute("aria-valuetext") == "Encoder, layer 0 attention"
    assert tab.evaluate("live.page.flow.canvas.toDataURL()") != first
    slider.press("End")
    assert "the next word: “END”" in slider.get_attribute("aria-valuetext")
    assert tab.locator(".live-word.later").count() == 0
    assert tab.locator(".live-bars .chosen").first.inner_text().startswith("END")


def test_the_sliders_decide_what_the_language_model_may_write(tab):
    told = tab.locator(".live-writer .live-told")
    tab.get_by_role("slider", name="Top-k").press("Home")
    tab.wait_for_function(
        "document.querySelector('.live-writer .live-told').textContent[0] === 'O'"
    )
    assert told.inner_text().startswith("One token is left")
    before = tab.input_value("#live-prompt")
    tab.get_by_role("button", name="One token").click()
    tab.wait_for_function(f"document.querySelector('#live-prompt').value !== {before!r}")
    assert tab.input_value("#live-prompt").startswith(before + " ")


def test_numbers_are_written_as_in_the_lectures(tab):
    text = tab.locator("#live-model").inner_text()
    assert re.findall(r"\d%|−\d|\b1 token\b", text)
    assert re.findall(r"\d %|-\d|\b1 tokens", text) == []


def test_a_students_own_model_takes_the_place(tab):
    names = ("translation.safetensors", "config.json", "tokenizer.json")
    files = [str(live_model.FOLDER / name) for name in names]
    tab.set_input_files("#live-files", files[:2])
    tab.wait_for_function("live.page.problem.textContent.includes('tokenizer.json is missing')")
    tab.set_input_files("#live-files", files)
    tab.wait_for_function("live.page.problem.textContent.startsWith('Loaded')")
    translated(tab, "xylophone")
    assert tab.locator(".live-warning").inner_text() == ""  # of another model no words are known


def test_a_browser_without_workers_computes_in_the_page(site, chromium):
    page = chromium.new_page()
    page.add_init_script("delete window.Worker")
    page.goto(f"{(site / 'live.html').as_uri()}?show=beam")
    page.wait_for_function("live.page && live.page.shown")
    assert page.evaluate("Boolean(live.page.engine.server)")
    assert page.locator(".live-result strong").inner_text() == "Deux chiens jouent dans la neige."
    page.close()


def test_nothing_went_wrong(tab):
    assert tab.wrong == []
