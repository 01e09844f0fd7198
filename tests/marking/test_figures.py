"""Pictures and outputs beside an answer: what is shown, and what they do to the answer's hash."""

import hashlib
import re

import pytest
from marked_class import (
    ITEM,
    PLACE,
    SVG,
    Page,
    code,
    coded,
    drew,
    handed_in,
    part,
    pasted,
    png,
    printed,
)
from world import A1, COURSE, marks

from grader.gradebook import answers
from grader.gradebook.result import Result
from grader.marking.figures import MAX_OUTPUTS, MAX_PICTURE, MAX_TEXT, notebook_of
from grader.notebook import notebook_file
from grader.report import page, table

PNG = png()


@pytest.fixture
def made(tmp_path):
    """A result of the starter with an answer; see `handed_in`."""
    return lambda text, **cells: handed_in(tmp_path / "a1.ipynb", text, **cells)


def figure(result, name):
    return notebook_of(result, A1).figure(ITEM, name)


def outputs(result):
    return [one for cell in notebook_of(result, A1).code(ITEM) for one in cell.outputs]


def sha(result):
    return answers.sha256_of(result, ITEM)


def test_a_picture_is_that_of_the_notebook_that_was_graded(made, tmp_path):
    result = made("![f](attachment:f.png)", attached={"f.png": {"image/png": coded(PNG)}})
    assert figure(result, "attachment:f.png") == ("image/png", PNG)
    assert figure(result, "attachment:other.png") is None
    assert figure(result, "f.png") is None
    result = made("Another.")
    (tmp_path / "a1.ipynb").write_text("{}")
    assert notebook_of(result, A1) is None


def test_a_picture_that_colab_puts_into_the_text_is_named_there_and_cuts_no_word(made):
    large = png(300, 300) + bytes(notebook_file.MAX_SOURCE)  # more than the text of a notebook
    result = made(f"Look:\n\n{pasted(large)}\n\nIt rises.")
    text = part(result).answer
    assert text.endswith("It rises.")
    assert len(text) < 150
    (name,) = re.findall(r"\((data:image/png;sha256,[0-9a-f]{64})\)", text)
    assert figure(result, name) == ("image/png", large)
    assert figure(result, name[:-1] + "x") is None


def test_what_code_around_an_answer_drew_and_printed_is_shown(made):
    above = code("plot()", drew(PNG), printed("50 %\r100 %\n"), printed("careful", "stderr"))
    below = code("1 / 0", {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "no"})
    far = [code("far()", printed("far"))]
    head = {"cell_type": "markdown", "source": "## Mine", "metadata": {}}
    result = made("See the plot.", above=[*far, head, above], below=[below, code("x = 1")])
    one, other = notebook_of(result, A1).code(ITEM)
    assert [one.source, other.source] == ["plot()", "1 / 0"]
    assert figure(result, one.outputs[0].picture) == ("image/png", PNG)
    assert [found.text for found in one.outputs[1:]] == ["100 %"]
    assert [found.text for found in other.outputs] == ["ZeroDivisionError: no"]


@pytest.mark.parametrize(
    "output",
    [
        drew(b"<script>"),
        drew("%%%"),
        drew(b"<html><script>alert(1)</script></html>", "image/svg+xml"),
        drew("<!DOCTYPE svg [<!ENTITY a 'aaaa'>]><svg>&a;</svg>", "image/svg+xml"),
        drew(png(9_000, 9_000)),
        drew(PNG + bytes(MAX_PICTURE), "image/png"),
        {"output_type": "display_data", "data": {"image/png": 7}},
    ],
)
def test_what_is_no_picture_or_too_large_is_said(output, made):
    result = made("See.", above=[code("plot()", output)])
    (said,) = outputs(result)
    assert said.picture == ""
    assert "cannot be shown" in said.text


def test_texts_and_their_number_are_bounded(made):
    many = [printed(f"\x1b[31m{n}\u202e {'x' * 20_000}") for n in range(MAX_OUTPUTS + 1)]
    found = outputs(made("See.", above=[code("f()", *many)]))
    assert len(found) == MAX_OUTPUTS
    assert all(len(one.text) < MAX_TEXT + 60 for one in found)
    assert found[0].text.startswith("0⟨U+202E⟩ xx")
    assert found[0].text.endswith("(the first of 20,008 characters)")


@pytest.mark.parametrize("attachments", [[], {"f.png": ["image/png"]}, {"f.png": {"image/png": 7}}])
def test_an_attachment_that_is_no_picture_is_none(attachments, made):
    assert figure(made("![f](attachment:f.png)", attached=attachments), "attachment:f.png") is None


def test_a_hash_covers_what_was_written_and_no_output(made):
    def hashed(source="plot()", shade=90, text="See the plot.", **more):
        return sha(made(text, above=[code(source, drew(png(shade=shade)))], **more))

    drawn = hashed()
    assert hashed(shade=91) == drawn  # the same notebook, run again
    assert hashed(source="plot(log=True)") != drawn
    assert hashed(text="See it.") != drawn
    attached = {"f.png": {"image/png": coded(PNG)}}
    assert hashed(attached=attached) != drawn
    assert hashed(attached={"f.png": {"image/png": coded(png(shade=1))}}) != hashed(
        attached=attached
    )
    assert sha(made(pasted(PNG))) != sha(made(pasted(png(shade=1))))


def test_without_a_picture_the_hash_is_what_it_always_was(made):
    first = "44b2fbbcdf5eb1e941427d755439e77421997782bfb19d27f7e961cb52e7f245"
    assert sha(made("It rises.")) == first
    assert sha(made("It rises.", above=[code("print(1)", printed("1"))])) == first
    older = made("It rises.", above=[code("plot()", drew(PNG))]).model_dump()
    for exercise in older["exercises"]:
        for one in exercise["parts"]:
            del one["pictures"], one["printed"]
    assert sha(Result.model_validate(older)) == first


def test_paragraphs_stay_and_a_store_that_lost_them_has_the_same_hash(made):
    result = made("One.\n\n$$x^2$$\n\nTwo.")
    assert part(result).answer == "One.\n\n$$x^2$$\n\nTwo."
    assert sha(result) == hashlib.sha256(b"One.\n$$x^2$$\nTwo.").hexdigest()


def test_a_mark_is_held_when_a_picture_changes_and_stays_when_code_is_run_again(made, store):
    store.add(made("See the plot.", above=[code("plot()", drew(PNG))]))
    store.keep(marks(("ada", ITEM, 3.0)), "ben")
    again = made("See the plot.", above=[code("plot()", drew(png(shade=1)))])
    store.add(again.model_copy(update={"graded_at": "2027-02-10T08:00:00+00:00"}))
    assert "changed <b>0</b>" in Page(store).open(f"{PLACE}?show=all").text
    other = made("See the plot.", above=[code("plot(log=True)", drew(png(shade=1)))])
    store.add(other.model_copy(update={"graded_at": "2027-02-11T08:00:00+00:00"}))
    page = Page(store).open(f"{PLACE}?show=changed")
    assert "Its text is the same: a picture in it has changed" in page.text


def test_answers_with_other_pictures_or_outputs_are_not_marked_together(store, tmp_path):
    beside = {
        "ada": [code("plot()", drew(PNG))],
        "ben": [code("plot()", drew(png(shade=1)))],  # the same code
        "cem": [code("plot(2)", drew(PNG))],
        "dora": [code("table()", printed("1"))],
        "eva": [],
    }
    for student, cells in beside.items():
        path = tmp_path / f"{student}.ipynb"
        store.add(handed_in(path, "As above.", above=cells, student=student))
    page = Page(store).open()
    assert "2 answers alike" in page.text
    page.give("1")
    assert "answers alike" not in page.text


def test_the_page_shows_pictures_and_serves_them_as_nothing_else(store, made):
    hostile = SVG.format("<script>alert(1)</script>")
    above = code("plot()", drew(hostile, "image/svg+xml"), printed("<b>loss</b> 0.1"))
    attached = {"my plot.png": {"image/png": coded(PNG)}}
    text = f"![a](attachment:my%20plot.png) {pasted(PNG)} ![no](attachment:other.png)"
    store.add(made(text, above=[above], attached=attached))
    page = Page(store).open()
    addresses = re.findall(r'<img src="\.\./\.\./([^"]+)"', page.text)
    kinds = {}
    for address in addresses:
        served = page.client.get(f"/token/{address}")
        assert served.status_code == 200
        assert "default-src 'none'" in served.headers["content-security-policy"]
        assert served.headers["content-security-policy"].startswith("sandbox, ")
        assert served.headers["x-content-type-options"] == "nosniff"
        kinds[served.headers["content-type"]] = served.content
    assert kinds == {"image/png": PNG, "image/svg+xml": hostile.encode()}
    assert len(addresses) == 3
    assert "figure “no” (attachment:other.png) is not shown here" in page.text
    assert "&lt;b&gt;loss&lt;/b&gt; 0.1" in page.text
    assert page.client.get(f"/token/{addresses[0]}x").status_code == 404


def test_a_notebook_that_is_gone_leaves_the_text(store, made, tmp_path):
    store.add(made(f"It rises. {pasted(PNG)}", above=[code("plot()", drew(PNG))]))
    (tmp_path / "a1.ipynb").unlink()
    page = Page(store).open()
    assert "It rises." in page.text
    assert "<img" not in page.text


def test_every_page_says_where_an_unusual_answer_is(store, made):
    below = {"cell_type": "raw", "metadata": {}, "source": "Then it falls."}
    result = made("It rises.", below=[below])
    assert part(result).answer == "It rises.\n\nThen it falls."
    where = part(result).notice
    assert re.fullmatch(r"in 2 cells: \d+ and \d+ \(raw\)", where)
    store.add(result)
    assert f"5 of 120 words</span>, {where}" in Page(store).open().text
    assert f"5 of at most 120 words; {where})" in table.show_test(result, "1.11")
    assert f"5 words of at most 120; found {where}</p>" in page.render_student(result, COURSE)
    assert "notice" not in part(made("It rises.")).as_json()
