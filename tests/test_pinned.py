"""Every sentence of a starter that pins a behaviour is held by tests and proven by a named bug."""

import json
import re

import proofs
import pytest

from autograder.suites import pinned
from grader.checking.suite import read_tests
from grader.course import mistakes
from grader.course.course import Course
from grader.judge.suite_files import suite_files

IDS = ("a1", "a2", "a3", "a4", "a5")
PINNED = [(id, entry) for id in IDS for entry in pinned.load(id)]


def starter(id):
    """All text of the starter, white space folded: a sentence may run over lines."""
    notebook = json.loads(proofs.notebook(id, "starter"))
    return folded("\n".join("".join(cell["source"]) for cell in notebook["cells"]))


def folded(text):
    return re.sub(r"[\s#]+", " ", text)


@pytest.fixture(scope="module")
def tests():
    """Exercise and place of every test, by assignment and id."""
    return {
        id: {
            test.id: (test.mark.exercise, "assignments" in path.parts)
            for path in suite_files(proofs.COURSE.assignment(id))
            for test in read_tests(path)
        }
        for id in IDS
    }


@pytest.mark.parametrize("id", IDS)
def test_pinned_sentences_stand_in_the_starter(id):
    text = starter(id)
    missing = [p.sentence for i, p in PINNED if i == id and folded(p.sentence) not in text]
    assert not missing


@pytest.mark.parametrize(("id", "entry"), PINNED, ids=[f"{i}-{p.bug}" for i, p in PINNED])
def test_a_pinned_sentence_is_held(id, entry, tests):
    assert tests[id][entry.test] == (entry.exercise, False)
    if entry.visible:
        assert tests[id][entry.visible] == (entry.exercise, True)
    else:
        assert entry.why, "no visible test, and no word why"
    # a bug that names the visible test is caught there already, before the hidden one
    known = {bug.name: bug for bug in mistakes.load(Course.here().assignment(id))}
    assert known[entry.bug].test in (entry.test, entry.visible)


@pytest.mark.parametrize("id", IDS)
def test_every_exercise_pins_something(id):
    code = {e.id for e in proofs.COURSE.assignment(id).exercises if e.components}
    assert code == {p.exercise for i, p in PINNED if i == id}
