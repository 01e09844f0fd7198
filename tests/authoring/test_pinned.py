"""Every sentence of a starter that pins a behaviour is held by tests and proven by a named bug."""

import json
import re

import proofs
import pytest

from grader.checking.suite import read_tests
from grader.course import mistakes
from grader.judge.suite_run import suite_files

IDS = ("a1", "a2", "a3", "a4", "a5")
PINNED = [
    (id, bug) for id in IDS for bug in mistakes.load(proofs.COURSE.assignment(id)) if bug.pins
]


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
    pinned = [sentence for i, bug in PINNED if i == id for sentence in bug.pins]
    assert not [sentence for sentence in pinned if folded(sentence) not in text]


@pytest.mark.parametrize(("id", "bug"), PINNED, ids=[f"{i}-{bug.name}" for i, bug in PINNED])
def test_a_pinned_sentence_is_held(id, bug, tests):
    assert tests[id][bug.test] == (bug.exercise, False)
    if bug.visible:
        assert tests[id][bug.visible] == (bug.exercise, True)
    else:
        assert bug.why, "no visible test, and no word why"


@pytest.mark.parametrize("id", IDS)
def test_every_exercise_pins_something(id):
    code = {e.id for e in proofs.COURSE.assignment(id).exercises if e.components}
    assert code == {p.exercise for i, p in PINNED if i == id}
