"""What hidden tests show a student: enough to find a mistake, and no input of theirs whole."""

import json
import re

import proofs
import pytest
from sample_results import COURSE, IN_TIME, sample
from test_report import WRONG

from grader.course.course import Course
from grader.exchange import gradescope_run, moodle
from grader.gradebook.result import PRINTED
from grader.report import render_pages, render_student
from grader.report.for_students import LONGEST, TOGETHER, WITHHELD, for_student

NUMBER = re.compile(r"-?\d+\.\d+")
HOSTILE = """
def {name}(*arguments, **named):
    import numpy as np
    with np.printoptions(threshold=10**6, precision=17, floatmode="maxprec"):
        given = [*arguments, *named.values()]
        with open({log!r}, "a") as log:
            for one in given:
                if isinstance(one, np.ndarray) and one.dtype.kind == "f":
                    log.write(repr([float(f"{{number:.4f}}") for number in one.ravel()]) + "\\n")
        {end}
"""
WAYS = {
    "raises its arguments": "raise ValueError(repr(given).replace('\\n', ''))",
    "raises them as bytes": "raise KeyError(b''.join(a.tobytes() for a in given).hex())",
    "has no memory for its arguments": "raise MemoryError(repr(given).replace('\\n', ''))",
    "speaks of their shapes": "raise ValueError('could not be broadcast together with shapes ('"
    " + repr(given).replace('(', '').replace(')', '') + ') (1)')",
    "answers with its arguments": "return given[0]",
    "answers with text": "return repr(given)",
    "answers with a dict": "return {str(n): one for n, one in enumerate(given)}",
}
QUICK = ("raises its arguments", "answers with its arguments", "answers with text")


def views(result):
    """All that a student gets to read of a result."""
    own = Course.here()
    yield re.sub(r"<(style|script).*?</\1>|<[^>]*>", " ", render_student(result, own), flags=re.S)
    yield json.dumps(gradescope_run.results_json(result), ensure_ascii=False)
    yield moodle.feedback(result)


def decimals(text):
    return {round(float(number), 4) for number in NUMBER.findall(text)}


@pytest.mark.parametrize(
    "way", [way if way in QUICK else pytest.param(way, marks=pytest.mark.long) for way in WAYS]
)
def test_no_hidden_input_stands_whole_in_what_a_hostile_submission_gets(tmp_path, way):
    log = str(tmp_path / "inputs")
    functions = [
        component
        for exercise in COURSE.assignment("a1").exercises
        for component in exercise.components
        if component.rpartition(":")[2].islower()
    ]
    replaced = {
        component: HOSTILE.format(name=component.rpartition(":")[2], log=log, end=WAYS[way])
        for component in functions
    }
    result = proofs.graded(proofs.notebook("a1", "solution", replaced), "a1")
    result = result.model_copy(update={"student": "ada", "graded_at": IN_TIME})
    inputs = [json.loads(line) for line in (tmp_path / "inputs").read_text().splitlines()]
    large = [set(one) for one in inputs if len(set(one)) > 9]
    own = for_student(result)
    told = [t.message.got for t in result.tests if t.message and not t.public]
    shown = [t.message.got for t in own.tests if t.message and not t.public]
    assert large
    rest = [t.message.expected + t.message.cause for t in own.tests if t.message and not t.public]
    for said in [*rest, own.reason, *own.notices]:
        assert not any(one <= decimals(said) for one in large)
        assert len(said) <= 2 * LONGEST + 4
    assert len(told) == len(shown) > 10
    for got in shown:
        assert not any(one <= decimals(got) for one in large)
        assert len(got) <= LONGEST + 2
    assert sum(map(len, {*shown} - {WITHHELD})) <= TOGETHER
    told_numbers = {*NUMBER.findall(" ".join(rest))}
    assert sum(map(len, {*shown} - {WITHHELD} | told_numbers)) <= TOGETHER
    visible = {t.message.got for t in result.tests if t.message and t.public}
    pages = "".join(views(result))
    assert not [got for got in {*told} - {*shown} if got in pages and got not in visible]


def long(count):
    return ", ".join(f"0.{number:04}" for number in range(count))


def told(got, public=False):
    message = {**WRONG, "got": got}
    result = sample(failed={"1.4": [{"message": message, "public": public}]})
    (test,) = [t for t in for_student(result).tests if t.message]
    return test.message


def test_ten_decimals_are_nine_and_the_rest_of_the_message_stays():
    assert told(long(9)).got == long(9)
    assert told(long(10)).got == f"{long(9)}, …"
    assert told(long(10)).cause == WRONG["cause"]
    assert told(long(10)).expected == WRONG["expected"]


def test_no_other_text_that_may_quote_an_answer_says_more():
    message = {**WRONG, "expected": long(50), "cause": long(50)}
    notices = [f"{PRINTED}: `{long(50)}`", "an assignment's own notice"]
    failed = {"1.4": [{"message": message, "public": False}]}
    result = sample(failed=failed, notices=notices, reason=long(50))
    own = for_student(result)
    (test,) = [t for t in own.tests if t.message]
    assert {test.message.expected, test.message.cause, own.reason} == {f"{long(9)}, …"}
    assert own.notices == [f"{PRINTED}: `{long(9)}, …", notices[1]]
    assert all(long(10) not in view for view in views(result))


def test_whole_numbers_and_characters_are_limited_too():
    assert told("7 " * 17).got == "7 " * 15 + "7 …"
    assert told("x" * 1000).got == "x" * LONGEST + " …"


def test_what_comparisons_show_is_not_cut():
    first = "[0.3239 0.1653 0.1029 0.2745 …] of shape (2, 3, 5, 5)"
    got = f"{first} (largest difference 0.676 at [0, 0, 0, 0])"
    assert told(got).got == got


def test_a_visible_check_stays_whole_and_instructors_read_everything():
    assert told(long(500), public=True).got == long(500)
    result = sample(failed={"1.4": [{"message": {**WRONG, "got": long(50)}, "public": False}]})
    assert long(50) in next(render_pages([result], COURSE))[1]
    assert all(long(50) not in view for view in views(result))


def test_all_hidden_tests_together_show_so_much_and_repetition_costs_nothing():
    exercises = [f"1.{number}" for number in range(1, 8)]

    def shown(got):
        failed = {
            id: [{"message": {**WRONG, "got": got(id, n)}, "public": False} for n in range(6)]
            for id in exercises
        }
        return [t.message.got for t in for_student(sample(failed=failed)).tests if t.message]

    different = shown(lambda id, n: f"{id} {n}" + "x" * 190)
    assert sum(map(len, {*different} - {WITHHELD})) <= TOGETHER
    assert different.count(WITHHELD) > 10
    assert WITHHELD not in shown(lambda id, n: "y" * 190)


def test_numbers_of_the_other_parts_count_too_and_words_stay():
    """The course's words tell nothing of an input; its numbers may."""

    def shown(text):
        tests = [{"message": {**WRONG, **text(n)}, "public": False} for n in range(42)]
        failed = {f"1.{number}": tests[6 * number - 6 : 6 * number] for number in range(1, 8)}
        return [t.message for t in for_student(sample(failed=failed)).tests if t.message]

    def rows(n):
        return " ".join(f"0.{number:05}" for number in range(20 * n, 20 * n + 9))

    words = shown(lambda n: {"expected": "what " * 30 + "n" * n, "cause": "why " * 30 + "n" * n})
    assert WITHHELD not in {message.got for message in words}
    numbers = shown(lambda n: {"expected": f"weights = {rows(n)}", "cause": f"not {rows(n + 99)}"})
    withheld = [message for message in numbers if message.got == WITHHELD]
    assert 5 < len(withheld) < 20
    assert {(m.expected, m.cause) for m in withheld} == {("weights = …", "not …")}
    told = "".join(m.expected[10:] + m.cause[4:] for m in numbers if m not in withheld)
    assert TOGETHER - 200 < len(told) <= TOGETHER
    # advice for an exception may quote what the code chose
    quoted = shown(lambda n: {"cause": f"no `{'x' * 150}{n}`", "seen": False, "raised": True})
    assert sum(map(len, {message.cause for message in quoted})) <= TOGETHER
    assert [message.cause for message in quoted].count("") > 5
