"""One cause is one paragraph; advice yields to a likely cause, unless it explains an exception."""

from dataclasses import dataclass

import proofs
import pytest

from grader.checking import card
from grader.checking.messages import WAITING, Message, by_cause, counts_once, summary


@dataclass
class Ran:
    """A test that ran."""

    title: str
    message: Message | None = None
    outcome: str = "FAILED"


ADVICE, OTHER = Message("1", "2", "look"), Message("3", "4", "look")
CAUSE = Message("5", "6", "it is doubled", "§1", seen=True)
RAISED = Message("a value", "TypeError", "a transpose is missing", raised=True)


@pytest.mark.parametrize(
    ("messages", "groups"),
    [
        ([ADVICE, OTHER], [("look", 2)]),
        ([ADVICE, CAUSE, CAUSE], [("", 1), ("it is doubled", 2)]),
        ([CAUSE, RAISED, RAISED], [("it is doubled", 1), ("a transpose is missing", 2)]),
        ([RAISED, ADVICE, RAISED], [("a transpose is missing", 2), ("look", 1)]),
        ([Message("1", "2"), Message("1", "2"), Message("1", "3")], [("", 2), ("", 1)]),
        ([None, Message()], [("", 2)]),
        ([Message("1", "2", "same", seen=True), Message("1", "2", "same")], [("same", 1), ("", 1)]),
    ],
)
def test_failures_are_grouped_by_their_cause(messages, groups):
    found = by_cause(Ran(f"t{n}", message) for n, message in enumerate(messages))
    assert [(one.shared.cause, len(one.tests)) for one in found] == groups


def test_each_test_alone_has_its_whole_message_and_the_cause_once():
    (found,) = by_cause([Ran("First.", ADVICE), Ran("Second.", OTHER)])
    assert found.label == "advice (2 checks)"
    assert [m for _, m in found.each()] == [ADVICE, Message("3", "4", "as in “First”")]


def test_the_terminal_tells_a_cause_once():
    waiting = Ran("Refuses.", counts_once(["It works.", "It works, too."]), WAITING)
    ran = [Ran("Right.", None, "PASSED"), waiting, Ran("Two.", CAUSE), Ran("Plain.", ADVICE)]
    ran += [Ran("Three.", Message("7", "6", "it is doubled", "§2", seen=True))]
    ran += [Ran("Four.", RAISED), Ran("Five.", RAISED)]
    assert "\n".join(summary("1.1 Softmax", ran)) == (
        """1.1 Softmax: 1 of 7 visible checks pass
  likely cause (2 checks): it is doubled
      got           6
    ✗ Two.
        expected 5, read §1
    ✗ Three.
        expected 7, read §2
  ✗ Plain.
      expected      1
      got           2
  advice (2 checks): a transpose is missing
      expected      a value
      got           TypeError
    ✗ Four.
    ✗ Five.
  ○ Refuses.
      counts once “It works” or “It works, too” passes
  ✓ Right."""
    )


def test_what_to_repair_first_comes_before_the_messages_and_silences_advice():
    lines = summary("1.4", [Ran("x", ADVICE), Ran("y", RAISED)], first="1.3 fails: repair it first")
    assert lines[1] == "  ! 1.3 fails: repair it first"
    assert "look" not in str(lines)
    assert "transpose" in str(lines)


@pytest.mark.parametrize(
    ("titles", "told"),
    [
        (["A."], "counts once “A” passes"),
        (["A.", "B."], "counts once “A” or “B” passes"),
        (["A.", "B.", "C."], "counts once “A” or one of 2 others passes"),
    ],
)
def test_a_test_that_waits_names_what_it_waits_for(titles, told):
    assert counts_once(titles).got == told


STUB = Ran("t", Message("", "not written yet"), "NOT_WRITTEN")
WRONG, RIGHT = Ran("t", ADVICE), Ran("t", None, "PASSED")


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ({}, ""),
        ({"1.3": [RIGHT]}, ""),
        ({"1.3": [RIGHT, WRONG]}, "1.3 fails: repair it first"),
        ({"1.1": [WRONG], "1.3": [WRONG]}, "1.1 and 1.3 fail: repair them first"),
        ({"1.3": [STUB]}, "1.3 is not written yet: write it first"),
        ({"1.1": [STUB], "1.3": [WRONG]}, "1.3 fails: repair it first; 1.1 is not written yet"),
        ({"1.1": [STUB], "1.3": [STUB]}, "1.1 and 1.3 are not written yet: write them first"),
        ({"1.3": [STUB, WRONG]}, "1.3 fails: repair it first"),
        ({"1.6": [WRONG], "1.5": [WRONG]}, ""),  # 1.4 does not build on these
    ],
)
def test_the_first_failing_exercise_below_is_named(results, told):
    a1 = proofs.COURSE.assignment("a1")
    found = card.to_repair(a1, a1.exercise("1.4"), lambda one: results.get(one.id, []))
    assert found.startswith(told)
    assert bool(found) == bool(told)


def test_only_where_it_begins_is_to_be_repaired():
    a1 = proofs.COURSE.assignment("a1")
    found = card.to_repair(a1, a1.exercise("1.5"), lambda _: [WRONG])
    assert "1.4" not in found  # it builds on 1.1, which is named
