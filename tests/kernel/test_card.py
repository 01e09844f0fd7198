"""What a check shows in a notebook: failures first, a paragraph a cause, titles folded, escaped."""

import re
from html import unescape

import pytest
from IPython.core.interactiveshell import InteractiveShell
from world_tables import cases

from grader.checking import notebook
from grader.checking.card import NO_FORMULAS, STYLE, Card
from grader.checking.messages import NOT_WRITTEN, WAITING, Message, counts_once
from grader.checking.session import FAILED, PASSED

EVIL = "<script>alert('a')</script> & \"b\""


class Ran:
    """A test that ran."""

    def __init__(self, title, message=None, outcome=None):
        self.title, self.message = title, message
        self.outcome = outcome or (FAILED if message else PASSED)


CAUSE = Message("[1. 2.]", "[2. 4.]", "it is doubled", "§1", seen=True)
ADVICE = Message("[3.]", "[4.]", "sum along `axis`")
RIGHT, WRONG, OTHER = Ran("Right."), Ran("Wrong.", CAUSE), Ran("Other.", ADVICE)
STUB = Ran("Stub.", Message("", NOT_WRITTEN), "NOT_WRITTEN")
RAISED = Message("", "your code raised TypeError in line 2", "turn it", raised=True)
BELOW = Ran("Uses 2.3.", Message("an answer", "A2.3: X is not written yet", raised=True))
WAITS = Ran("Refuses.", counts_once(["It works."]), WAITING)
TESTS = {"right": RIGHT, "wrong": WRONG, "again": Ran("Again.", CAUSE), "other": OTHER}
TESTS |= {"stub": STUB, "below": BELOW, "raised": Ran("Any.", RAISED), "waits": WAITS}


def words(card):
    """The text of a card as a viewer shows it that removes styles."""
    found = card._repr_html_().removeprefix(STYLE)
    blocks = re.sub(r"</(p|pre|summary)>", "\n", found)
    return unescape(re.sub(r"<[^>]+>", "", blocks)).splitlines()


@cases("cards")
def test_a_card_shows_failures_first_and_each_cause_once(title, ran, state, lines, facts):
    card = Card(title, [TESTS[name] for name in ran], **dict(facts))
    assert words(card) == lines
    if "not written yet" in lines[0]:
        assert repr(card) == lines[0]
    assert f'<div class="check-card{state} {NO_FORMULAS}">' in card._repr_html_()


@pytest.mark.parametrize(
    "card",
    [
        Card(EVIL, [RIGHT, WRONG]),
        Card("1.1", [Ran(EVIL), Ran(EVIL, Message(EVIL, EVIL, EVIL, EVIL))]),
        Card("1.1", [Ran(EVIL, counts_once([EVIL]), WAITING)]),
        Card("1.1", outdated=[EVIL], first=EVIL, notices=[EVIL]),
        Card("1.1", [WRONG, Ran(EVIL, CAUSE), Ran(EVIL, CAUSE)]),
    ],
)
def test_a_card_escapes_all_text_and_loads_nothing(card):
    shown = card._repr_html_()
    assert EVIL not in shown
    assert EVIL in "\n".join(words(card))
    assert not re.search(r"<script|https?:|url\(|@import| on\w+=|\bsrc=", unescape(STYLE) + STYLE)
    assert set(re.findall(r"<(\w+)", shown)) <= set(
        "style div p b i pre code section details summary ul li".split()
    )


def test_a_notebook_keeps_the_card_and_its_plain_text(monkeypatch):
    published = []
    shell = InteractiveShell()
    monkeypatch.setattr(notebook.stale, "shell", lambda: shell)
    monkeypatch.setattr(shell.display_pub, "publish", lambda data, **_: published.append(data))
    monkeypatch.setattr(InteractiveShell, "_instance", shell)
    monkeypatch.setattr(InteractiveShell, "initialized", classmethod(lambda cls: True))
    card = Card("1.1 Softmax", [RIGHT, WRONG])
    notebook._show(card)
    (data,) = published
    assert data["text/html"] == card._repr_html_()
    assert data["text/plain"] == repr(card)
    assert repr(card).splitlines()[0] == "1.1 Softmax: 1 of 2 visible checks pass"
