"""What a check says about the hundred commonest slips of students: the reason, or a way to it."""

from functools import cache

import proofs
import pytest

from bench.grader import slips
from grader.checking.card import Card
from grader.checking.messages import WAITING, Message, counts_once
from grader.checking.session import FAILED, PASSED

ALL = slips.slips(proofs.COURSE)


@cache
def shown(assignment):
    return {one.slip: one for one in slips.shown_of(assignment)}


@pytest.mark.parametrize(
    "slip",
    [
        pytest.param(slip, id=slip.id, marks=() if slip.exercise[:2] == "1." else pytest.mark.long)
        for slip in ALL
    ],
)
def test_the_check_says_why_or_what_to_do_and_nothing_that_is_not_so(slip):
    found = shown(proofs.COURSE.assignment_of(slip.exercise).id)[slip.id]
    assert found.kind in ("true", "useful"), found.card


def test_there_are_a_hundred_over_all_assignments():
    assert len(ALL) == 100 == len({slip.id for slip in ALL})
    assert {slip.exercise.partition(".")[0] for slip in ALL} == set("12345")


class Ran:
    """A test that ran."""

    def __init__(self, message=None, outcome=FAILED):
        self.title, self.message = "It works.", message
        self.outcome = outcome if message else PASSED


CAUSE, OTHER = Message("1", "2", "the axis", seen=True), Message("1", "3", "the sign", seen=True)
ADVICE, RAISED = Message("1", "2", "look at the axis"), Message("1", "e", "a type", raised=True)


@pytest.mark.parametrize(
    ("card", "kind"),
    [
        (Card("", [Ran(CAUSE)]), "true"),
        (Card("", [Ran(CAUSE), Ran(OTHER)]), "false"),
        (Card("", [Ran(CAUSE), Ran(RAISED)]), "false"),
        (Card("", [Ran(ADVICE), Ran(Message("1", "2", "something general"))]), "useful"),
        (Card("", [Ran(Message("1", "2", "something general"))]), "none"),
        (Card("", [Ran(Message("1", "2"))]), "none"),
        (Card("", [Ran(), Ran(counts_once(["It works."]), WAITING)]), "none"),
        (Card("", [Ran()]), "unseen"),
        (Card("", outdated=["run the cell of the axis"]), "true"),
        (Card("", [Ran(ADVICE)], first="1.1 fails: repair it first"), "false"),
        (Card("", [Ran(ADVICE)], notices=["something else"]), "false"),
    ],
)
def test_what_a_card_says_is_of_one_kind(card, kind):
    assert slips.kind(card, "axis") == kind
