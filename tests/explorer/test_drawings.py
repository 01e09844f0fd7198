"""Drawings: readable in both schemes, and what they show is what the library computes."""

import base64
import dataclasses
import io
import itertools
import json
import math
import re
from html import unescape

import numpy as np
import pytest
from checkout import ROOT, elsewhere, place
from drawn_svg import Drawn, contrast, luminance
from PIL import Image

from course_lib.drawings import gallery, palette, raster
from course_lib.drawings.beam_tree import LENGTH_PENALTY, TABLE, WIDTH, WORDS, signed
from course_lib.drawings.gallery import DRAWINGS, UPRIGHT
from course_lib.drawings.variants.experts import SCORES
from grader.authoring.views import notebooks, pictures, text_notebook
from grader.library.components import BuildError

UPRIGHTS = {f"{name} upright": made for name, made in UPRIGHT.items()}
EVERY = pytest.mark.parametrize("name", [*DRAWINGS, *UPRIGHTS])
LIMIT = 12_000  # bytes


def draw(name):
    return UPRIGHTS[name]() if name in UPRIGHTS else gallery.draw(name)


@pytest.fixture(scope="module")
def read():
    """Each drawing, read back from its SVG, once."""
    return {name: Drawn(draw(name).svg) for name in [*DRAWINGS, *UPRIGHTS]}


@EVERY
def test_a_drawing_tells_its_title_and_what_it_shows(name, read):
    made, root = draw(name), read[name].root
    title, told = (root.find(f"{{http://www.w3.org/2000/svg}}{tag}") for tag in ("title", "desc"))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [title.get("id"), told.get("id")]
    assert (title.text, told.text) == (made.title, made.alt)
    assert len(made.alt.split()) >= 20


@EVERY
def test_a_drawing_stands_by_itself_and_is_small(name):
    svg = draw(name).svg
    assert len(svg.encode()) <= LIMIT
    assert not re.search(r"href|url\(|@import|<script|<image|<foreignObject", svg)
    assert re.findall(r"https?://[^\"]*", svg) == ["http://www.w3.org/2000/svg"]


@EVERY
def test_labels_lie_inside_apart_and_no_line_runs_through_them(name, read):
    drawn = read[name]
    paper = drawn.boxes[0]
    assert min(drawn.sizes) >= 11
    for text in drawn.texts:
        assert paper.holds((text.left, text.top)), text
        assert paper.holds((text.right, text.bottom)), text
        around = drawn.under(text)
        assert around.left <= text.left <= text.right <= around.right, (text, around)
    for one, other in itertools.combinations(drawn.texts, 2):
        assert not one.overlaps(other), (one.text, other.text)
    for role, points in drawn.lines:
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            way = np.linspace((x0, y0), (x1, y1), 60)
            for text in drawn.texts:
                low, high = (text.left, text.top), (text.right, text.bottom)
                on = ((way >= low) & (way <= high)).all(axis=1)
                assert not on.any(), (role, text.text)


def dark_colors(svg):
    """Of each class the dark fill and stroke, from the style sheet."""
    return {
        role: dict(rule.split(":") for rule in rules.strip(";").split(";"))
        for role, rules in re.findall(r"\.course-drawing \.(\w+)\{([^}]*)\}", svg)
    }


@EVERY
def test_text_and_lines_stand_out_in_both_schemes(name, read):
    """The light colors are attributes, which every viewer reads; the dark ones a style."""
    drawn, svg = read[name], draw(name).svg
    dark = dark_colors(svg)
    light = {
        role: {"fill": fill, "stroke": stroke}
        for role, fill, stroke in re.findall(
            r'class="(\w+)" fill="([^"]*)"(?: stroke="([^"]*)")?', svg
        )
    }
    assert "prefers-color-scheme:dark" in svg
    assert set(light) == set(dark)
    for scheme in (light, dark):
        for text in drawn.texts:
            under = scheme[drawn.under(text).role]["fill"]
            assert contrast(scheme[text.role]["fill"], under) >= 4.5, (text.text, under)
        for role, _ in drawn.lines:
            assert contrast(scheme[role]["stroke"], scheme["paper"]["fill"]) >= 3, role
        for box in drawn.boxes[1:]:
            if box.role != "open":
                assert contrast(scheme[box.role]["stroke"], scheme["paper"]["fill"]) >= 3, box.role
    assert luminance(light["paper"]["fill"]) > 0.9 > 0.1 > luminance(dark["paper"]["fill"])
    assert light["paper"]["fill"] == palette.ROLES["paper"].fill


SLIDE = re.compile(r"^:{3,}\{slide\} (.+?)\n(.*?)^:{4,}$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"`{3}\{drawing\} (\w+)\n(.*?)`{3}", re.DOTALL)


def test_the_last_row_of_a_room_can_read_every_drawing_of_a_deck(read):
    """18 of the 1280 pixels of a slide at least, at the size that the decks' style sheet gives."""
    css = (ROOT / "lectures/_static/slides.css").read_text(encoding="utf-8")
    captioned, alone = (
        int(re.search(rf"{selector}[^{{]*\{{[^}}]*?max-height: (\d+)px", css)[1])
        for selector in (r"\.reveal figure img", r"figure:not\(:has\(figcaption\)\) img")
    )
    room = 1280 - 2 * int(re.search(r"padding: 34px (\d+)px", css)[1])
    small, slides = {}, 0
    for part in (ROOT / "lectures").glob("part*.md"):
        for title, text in SLIDE.findall(part.read_text(encoding="utf-8")):
            shown = SHOWN.findall(text)
            for name, caption in shown:
                high = alone if not caption.strip() and len(shown) == 1 else captioned
                root = read[name].root
                scale = min(room / int(root.get("width")), high / int(root.get("height")))
                slides += 1
                if (letters := min(read[name].sizes) * scale) < 18:
                    small[title, name] = round(letters, 1)
    assert slides >= 18
    assert small == {}


# What is drawn, and what the library computes.


def test_the_masks_are_drawn_as_they_are(read):
    found = draw("mask_grids").data
    real, lower = np.array([True, True, True, False, False]), np.tril(np.ones((5, 5), dtype=bool))
    expected = {"padding": real & np.ones_like(lower), "causal": lower, "both": real & lower}
    squares = read["mask_grids"].squares
    lefts = sorted({square.left for square in squares})
    for number, (name, grid) in enumerate(expected.items()):
        assert np.array_equal(found[name], grid)
        columns = lefts[5 * number : 5 * number + 5]
        own = sorted((s for s in squares if s.left in columns), key=lambda s: (s.top, s.left))
        assert np.array_equal(np.array([s.role == "open" for s in own]).reshape(5, 5), grid)


def test_heads_get_neighboring_features_of_every_token(read):
    found = draw("split_heads").data
    numbered = np.arange(24).reshape(3, 8)
    assert (found.whole_shape, found.heads_shape) == ((1, 3, 8), (1, 4, 3, 2))
    assert found.whole == found.merged == numbered.tolist()
    assert found.heads == [numbered[:, 2 * head : 2 * head + 2].tolist() for head in range(4)]
    drawn = read["split_heads"]
    numbers = [text for text in drawn.texts if text.text.isdigit()]
    assert sorted(int(text.text) for text in numbers) == sorted([*range(24), *range(24)])
    roles = {}
    for text in numbers:
        roles.setdefault(int(text.text), set()).add(drawn.under(text).role)
    assert all(len(role) == 1 for role in roles.values())  # a number keeps its color


def test_multi_head_attention_has_the_papers_sizes(read):
    found = draw("multi_head").data
    assert (found.n_heads, found.d_model, found.d_k) == (8, 512, 64)
    assert found.layers == ("w_q", "w_k", "w_v", "w_o")
    said = read["multi_head"].said()
    assert said.count("(n, 512)") == 4
    assert {"head 0", "head 7", *(f"linear {layer}" for layer in found.layers)} <= set(said)


def test_attention_is_the_worked_example_of_assignment_1(read):
    found = draw("scaled_dot_product").data
    assert found.products[0] == [0, 2, 0, 0, 2]
    handout = (ROOT / "solutions" / "a1.md").read_text(encoding="utf-8")
    row = " ".join(f"{weight:.3f}".removeprefix("0") for weight in found.weights[0])
    assert f"| {row} |" in handout
    assert f"= ({found.output[0][0]:.2f}, {found.output[0][1]:.2f})$$" in handout
    said = read["scaled_dot_product"].said()
    assert said.count(".34") == 2
    assert {".77", "1.91"} <= set(said)


def test_both_orders_of_the_residual_connection_are_those_of_the_module(read):
    found = draw("residual_orders").data
    assert found[0] == ("sublayer", "dropout", "add", "norm")
    assert found[1] == ("norm", "sublayer", "dropout", "add")
    drawn = read["residual_orders"]
    parts = [t for t in drawn.texts if t.text in ("sub-layer", "dropout", "LayerNorm")]
    rows = [[t.text for t in sorted(parts[n : n + 3], key=lambda t: t.left)] for n in (0, 3)]
    assert rows == [["sub-layer", "dropout", "LayerNorm"], ["LayerNorm", "sub-layer", "dropout"]]
    around = [points for role, points in drawn.lines if role == "way"]
    norms = [text for text in parts if text.text == "LayerNorm"]
    assert around[0][-1][0] < norms[0].left  # post-norm: the sum comes before the norm
    assert around[1][0][0] < norms[1].left < norms[1].right < around[1][-1][0]


ADD = "add & norm"
ENCODER = ["embedding", "self-attention", ADD, "feed-forward", ADD]
DECODER = ["embedding", "self-attention", ADD, "cross-attention", ADD, "feed-forward", ADD,
           "linear", "softmax"]  # fmt: skip


@pytest.mark.parametrize("name", ["encoder", "transformer"])
def test_the_architecture_has_the_sub_layers_of_the_modules_in_their_order(name, read):
    found = draw(name).data
    assert found.encoder == ("attention", "attention_residual", "feed_forward",
                             "feed_forward_residual")  # fmt: skip
    assert [part for part in found.decoder if not part.endswith("residual")] == [
        "self_attention", "cross_attention", "feed_forward",
    ]  # fmt: skip
    assert (found.n_layers, found.d_model) == (6, 512)
    drawn = read[name]
    stacks = {}
    for text in sorted(drawn.texts, key=lambda text: -text.top):
        if text.text in {*ENCODER, *DECODER}:
            stacks.setdefault(round(text.middle[0]), []).append(text.text)
    expected = [ENCODER] if name == "encoder" else [ENCODER, DECODER]
    assert [stacks[middle] for middle in sorted(stacks)] == expected
    assert sum("6" in said and "×" in said for said in drawn.said()) == len(expected)


def test_upright_the_decoder_stands_on_the_encoder(read):
    said = sorted(read["transformer upright"].texts, key=lambda text: -text.top)
    assert [text.text for text in said if text.text in {*ENCODER, *DECODER}] == [*ENCODER, *DECODER]
    wide, upright = draw("transformer"), draw("transformer upright")
    opens = [sorted((one.label, one.component) for one in made.places) for made in (wide, upright)]
    assert opens[0] == opens[1]
    assert upright.width <= 345  # what a narrow phone leaves for it


def test_the_machine_grows_to_the_sub_layers_of_the_modules(read):
    boxes = []
    for step in range(1, 9):
        drawn = read[f"machine_{step}"]
        boxes.append([box for box in drawn.boxes[1:] if drawn.under(box).role == box.role])
    assert all(len(before) < len(after) for before, after in itertools.pairwise(boxes))
    said = read["machine_8"].said()
    whole = draw("machine_8").data
    layers = len(whole.encoder) + len(whole.decoder)
    assert said.count("& norm") == layers / 2 == 5
    assert [said.count(part) for part in ("forward", "cross-", "masked")] == [2, 1, 1]
    assert not {"memory", "masked", "softmax"} & set(read["machine_3"].said())


def test_teacher_forcing_shifts_by_one_and_generation_grows_by_one(read):
    found = draw("teacher_forcing").data
    assert found.decoder_input == ("START", "un", "chien", "court")
    assert found.labels == found.generated == ("un", "chien", "court", "END")
    assert found.prefixes == tuple(found.decoder_input[:n] for n in range(1, 5))
    said = read["teacher_forcing"].said()
    assert said.count("START") == 1 + 4
    assert said.count("decoder") == 1 + 4


def test_the_cache_saves_what_the_model_did_not_compute(read):
    without, cached = draw("key_value_cache").data
    assert (without.queries, without.keys, without.source_keys, without.kept) == (4, 4, 3, 0)
    assert (cached.queries, cached.keys, cached.source_keys, cached.kept) == (1, 1, 0, 3)
    boxes = read["key_value_cache"].boxes
    counts = {role: sum(box.role == role for box in boxes) - 1 for role in ("orange", "blue")}
    assert counts == {"orange": (4 + 2 * 4 + 2 * 3) + (1 + 2 * 1), "blue": 2 * 3 + 2 * 3}


def by_hand():
    """The beam search of the example in plain Python: what it expands, and what it finds."""
    beam, expanded, finished = {"": 0.0}, [], {}
    while len(finished) < WIDTH:
        totals = {
            (prefix, word): total + math.log(p)
            for prefix, total in beam.items()
            for word, p in TABLE[prefix].items()
        }
        best = sorted(totals, key=totals.get, reverse=True)
        expanded.append([(prefix, word, round(totals[prefix, word], 4)) for prefix, word in best])
        for prefix, word in best[:WIDTH]:
            if word == "END":
                n = len(prefix.split())
                finished[prefix] = totals[prefix, word] / ((5 + n) / 6) ** LENGTH_PENALTY
        others = [(prefix, word) for prefix, word in best if word != "END"][:WIDTH]
        beam = {f"{prefix} {word}".strip(): totals[prefix, word] for prefix, word in others}
    return expanded, finished


def test_the_beam_is_what_the_search_does_and_what_a_pencil_finds(read):
    found = draw("beam_tree").data
    expanded, finished = by_hand()
    assert [[(c.prefix, c.word) for c in step] for step in found.steps] == [
        [(prefix, word) for prefix, word, _ in step] for step in expanded
    ]
    for step, hand in zip(found.steps, expanded, strict=True):
        assert [c.total for c in step] == pytest.approx([total for *_, total in hand], abs=1e-3)
    scores = {" ".join(WORDS[t] for t in h.tokens): h.score for h in found.found}
    assert scores == pytest.approx(finished, abs=1e-5)
    drawn = read["beam_tree"]
    for fate, role in (("continued", "blue"), ("finished", "green"), ("left out", "plain")):
        told = {(c.word, signed(c.total)) for step in found.steps for c in step if c.fate == fate}
        shown = [b for b in drawn.boxes if b.role == role and b.right - b.left > 100]
        inside = {tuple(t.text for t in drawn.texts if box.holds(t.middle)) for box in shown}
        assert inside == told


def test_what_the_handout_says_of_the_three_steps_is_so():
    first, second, third = draw("beam_tree").data.steps
    named = [[f"{c.prefix} {c.word}".strip() for c in step] for step in (first, second, third)]
    assert named[0][:2] == ["birds", "a"]
    assert "birds END" in named[1][:2]
    others = [c for c in second if c.word != "END"][:2]
    assert [(f"{c.prefix} {c.word}", c.row) for c in others] == [("a dog", 1), ("birds fly", 0)]
    assert named[2][:2] == ["a dog END", "birds fly south"]
    rows = draw("beam_tree").table.splitlines()
    assert sum(row.startswith(("| 1 |", "| 2 |", "| 3 |")) for row in rows) == 3 + 5 + 4
    assert re.fullmatch(r"\| a dog \|.*\| −1\.30 \|", rows[-2])


# In the notebooks.


def drawing_cells(course):
    for assignment in course.assignments:
        for cell in text_notebook.read(assignment):
            if cell.directive == "drawing":
                yield assignment, cell


def images(path):
    """The PNG images of a notebook's text cells, by alt text, with the width they are shown at."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells)
    tag = r'<img src="data:image/png;base64,([^"]*)" width="(\d+)" alt="([^"]*)"'
    return {
        unescape(alt): (base64.b64decode(data), int(width))
        for data, width, alt in re.findall(tag, text)
    }


def test_every_drawing_stands_in_one_handout_with_its_alt_text_or_in_a_lecture(course):
    """As PNG: Colab shows no SVG in a text cell, and no attachment; all viewers show this."""
    placed = []
    for assignment, cell in drawing_cells(course):
        made = draw(cell.argument)
        placed.append(made.name)
        folder = ROOT / "assignments" / assignment.id
        file = folder / "drawings" / f"{made.name}.svg"
        assert file.read_text(encoding="utf-8") == made.svg
        picture = file.with_suffix(".png").read_bytes()
        assert raster.is_of(picture, made.svg)
        for path in (folder, ROOT / "solutions"):
            shown = images(path / f"{assignment.id}.ipynb")
            assert shown[f"{made.title}. {made.alt}"] == (picture, made.width)
    lectures = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "lectures").glob("*.md"))
    assert len(set(placed)) == len(placed)
    assert {*placed, *re.findall(r"\{drawing\} (\w+)", lectures)} == set(DRAWINGS)


def test_gates_groups_and_adapters_are_drawn_as_they_are_computed():
    derivative, forget = draw("gated_cell").data
    assert math.isclose(derivative, forget, rel_tol=1e-5)
    assert draw("grouped_queries").data[2] == [0, 0, 0, 1, 1, 1]
    assert draw("low_rank").data == (64, 32, 2)


def test_the_two_paths_of_the_lattice_are_those_of_plain_arithmetic(read):
    greedy, sentences = draw("lattice").data
    best = {"she sleeps END": 0.45 * 0.90 * 0.52, "he sleeps END": 0.55 * 0.40 * 0.60}
    assert [next(iter(sentences)), greedy] == list(best)
    assert [sentences[text] for text in best] == pytest.approx(list(best.values()))
    assert sum(sentences.values()) == pytest.approx(1)
    ends = sorted(f"{chance:.3f}" for chance in sentences.values())
    assert ends == sorted(said for said in read["lattice"].said() if re.fullmatch(r"0\.\d+", said))


def test_each_token_has_a_line_to_the_experts_of_its_two_best_scores(read):
    routed, tokens = draw("experts").data
    for weights, scores in zip(routed, SCORES.values(), strict=True):
        assert sum(weights) == pytest.approx(1)
        assert np.flatnonzero(weights).tolist() == sorted(np.argsort(scores)[-2:].tolist())
    assert routed[0][0] == pytest.approx(1 / (1 + math.exp(-1)))
    ends = [points[-1][1] for role, points in read["experts"].lines if role == "way"]
    assert [ends.count(y) for y in sorted(set(ends))] == tokens


def test_drawings_of_later_models_have_the_numbers_of_a_pencil(read):
    kept, error = draw("tiles").data
    assert kept == 8 * (1 + 1 + 2)
    assert error < 1e-5
    pixels, tokens = map(np.array, draw("patches").data)
    assert np.array_equal(tokens[5].reshape(3, 3), pixels[3:6, 3:6])
    assert 0 < pixels.mean() < 1
    scores, cached = draw("prefill").data
    assert (sum(scores), cached) == (7 * 8 / 2, [4, 5, 6, 7])
    back, up = draw("induction").data
    assert (back[1:], up[-1]) == ([0, 1, 2, 3, 4], 2)  # 2 is "red", after the first "the"
    wastes = [waste for _, waste in draw("padding").data]
    assert wastes == pytest.approx([1 - 80 / (3 * (11 + 9 + 12 + 8)), 1 - 80 / (3 * 30)])
    assert [square.role for square in read["padding"].squares].count("blue") == 2 * 80
    assert np.array(draw("two_encoders").data).argmax(axis=1).tolist() == [0, 1, 2]
    assert draw("sound").data == (3000, 3000, 1500)
    rows = dict(draw("accumulation").data)
    assert rows["sum by tokens"] == pytest.approx(rows["the whole batch"], abs=1e-6)
    assert rows["mean of the parts"] != pytest.approx(rows["the whole batch"], abs=0.1)
    shares, tried = zip(*draw("sixteen_bits").data, strict=True)
    assert shares == ((8, 23), (5, 10), (8, 7))
    assert (tried[1], tried[2][2]) == ([0, math.inf, 1], 1)
    weights, loss = draw("answer_mask").data
    assert (weights, loss) == (
        pytest.approx([0] * 7 + [1 / 3] * 3),
        pytest.approx(2 * math.log(2) / 3),
    )
    table = " ".join((ROOT / "lectures/part8_applications.md").read_text(encoding="utf-8").split())
    for name, size in {"RoBERTa": "355 M", "GPT-2": "1.5 B", "GPT-3": "175 B"}.items():
        number, unit = size.split()
        assert f"| {name} {size} |" in table
        assert draw("growth").data[name][1] == float(number) * {"M": 1, "B": 1000}[unit]
    cited = (ROOT / "lectures/part1_motivation.md").read_text(encoding="utf-8")
    assert [name for name in draw("growth").data if f"[{name}](https://" not in cited] == []


def test_guesses_are_kept_up_to_the_first_wrong_one(read):
    calls = draw("guesses").data
    text = "the dog plays in a park today END".split()
    assert [word for _, _, brought in calls for word in brought] == text
    assert calls[0][1] == "the dog runs on".split()
    drawn = sorted(read["guesses"].boxes, key=lambda box: (box.top, box.left))
    roles = [box.role for box in drawn if 50 < box.right - box.left < 100]
    assert [roles.count(role) for role in ("green", "orange", "plain", "blue")] == [10, 2, 2, 3]


@pytest.mark.parametrize("name", ["mask_grids", "key_value_cache"])
def test_the_picture_has_the_drawings_colors_where_they_are(name, read):
    made, drawn = draw(name), read[name]
    image = Image.open(io.BytesIO(raster.png(made.svg))).convert("RGB")
    assert image.size == (2 * made.width, 2 * int(drawn.root.get("height")))
    for box in drawn.boxes + drawn.squares:
        x, y = 2 * (box.left + 5), 2 * (box.top + 5)
        inside = [b for b in drawn.boxes + drawn.squares if b.holds((x / 2, y / 2))]
        top = max(inside, key=lambda b: b.order)
        if not any(text.holds((x / 2, y / 2)) for text in drawn.texts):
            wanted = palette.ROLES[top.role].fill
            found = image.getpixel((round(x), round(y)))
            assert found == pytest.approx([int(wanted[i : i + 2], 16) for i in (1, 3, 5)], abs=6)
    for text in drawn.texts:
        part = image.crop([round(2 * n) for n in (text.left, text.top, text.right, text.bottom)])
        assert len(set(part.getdata())) > 1, text.text


def test_a_picture_is_made_again_only_when_its_drawing_has_changed(course, tmp_path):
    assignment, made = elsewhere(course.assignment("a2"), tmp_path), draw("mask_grids")
    assert not pictures.is_current(assignment, made)
    first = pictures.of(assignment, made)
    path = place(
        pictures.path_of(assignment, made), first + b"kept"
    )  # bytes of another version of zlib, say
    assert pictures.of(assignment, made) == first + b"kept"
    changed = dataclasses.replace(made, svg=made.svg.replace("#0b62a4", "#0b62a5"))
    assert not pictures.is_current(assignment, changed)
    assert pictures.of(assignment, changed) != first
    path.write_bytes(b"no picture")
    assert pictures.of(assignment, made) == first


def test_a_name_that_no_drawing_has_is_one_sentence(course):
    maker = notebooks._Maker(course, course.assignment("a1"), "starter", {})
    with pytest.raises(BuildError, match=r"solutions/a1.md: no drawing is named 'haeds'; there"):
        maker.add(text_notebook.SourceCell("markdown", "", "drawing", "haeds"))
    with pytest.raises(BuildError, match="must have <!-- table --> exactly if"):
        maker.add(text_notebook.SourceCell("markdown", "Look.", "drawing", "beam_tree"))
