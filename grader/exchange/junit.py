"""JUnit XML: a test suite per submission, a test case per test, for CI servers and editors."""

import datetime
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from grader.checking.messages import WAITING, Message

from ..gradebook.exercise_result import ExerciseResult, GradedTest
from ..gradebook.lateness import moment
from ..gradebook.result import Result
from ..gradebook.totals import WITHOUT_POINTS
from ..report.plain_text import cleaned, number
from ..report.sentences import TEST_OUTCOMES

FAILURES = ("FAILED", "NOT_WRITTEN", "MISSING", "POLICY")  # the answer; anything else is an error
# XML 1.0 has no way to write these, not even escaped
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_xml(results: Sequence[Result]) -> bytes:
    """The XML file, UTF-8. What nobody has marked yet is a skipped test case."""
    root = ElementTree.Element("testsuites", name="course grade")
    for result in map(cleaned, results):
        root.append(_suite(result))
    for name in ("tests", "failures", "errors"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in root)))
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _suite(result: Result) -> ElementTree.Element:
    utc = moment(result.graded_at).astimezone(datetime.timezone.utc) if result.graded_at else None
    suite = ElementTree.Element("testsuite", name=_legal(f"{result.student} {result.assignment}"))
    properties = ElementTree.SubElement(suite, "properties")
    facts = {"points": result.totals.total, "max_points": result.totals.max}
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=name, value=number(value))
    if result.outcome in WITHOUT_POINTS:
        case = _case(suite, result.assignment, "submission")
        _problem(case, "error", result.outcome, result.reason or result.outcome)
    else:
        for exercise in result.exercises:
            _exercise(suite, exercise, result.assignment)
    cases = suite.findall("testcase")
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.set("tests", str(len(cases)))
    for name, tag in counts.items():
        suite.set(name, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{float(result.seconds):.3f}")
    if utc is not None:
        suite.set("timestamp", f"{utc:%Y-%m-%dT%H:%M:%S}")
    return suite


def _exercise(suite: ElementTree.Element, exercise: ExerciseResult, assignment: str) -> None:
    group = f"{assignment}.{exercise.id} {exercise.title}"
    said = {test.id: message for found in exercise.failures for test, message in found.each()}
    for test in exercise.tests:
        case = _case(suite, group, test.title)
        if test.failed:
            kind = "failure" if test.outcome in FAILURES else "error"
            _problem(case, kind, test.outcome, _text(test, said[test.id]))
        elif test.outcome == WAITING and test.message and not test.carried_through:
            ElementTree.SubElement(case, "skipped", message=_legal(test.message.got))
    for part in exercise.parts:
        case = _case(suite, group, f"{part.id} {part.title}")
        if part.points is None:
            ElementTree.SubElement(case, "skipped", message="not marked yet")
    if exercise.kind == "model":
        case = _case(suite, group, exercise.title)
        if exercise.points is None:
            ElementTree.SubElement(case, "skipped", message="not scored yet")
        elif exercise.points < exercise.max_points:
            problem = exercise.model.problem if exercise.model else ""
            points = f"{number(exercise.points)} of {number(exercise.max_points)} points"
            _problem(case, "failure", "MODEL", f"{points}. {problem}".strip())


def _case(suite: ElementTree.Element, group: str, name: str) -> ElementTree.Element:
    case = ElementTree.SubElement(suite, "testcase")
    case.set("classname", _legal(group))
    case.set("name", _legal(name))
    return case


def _problem(case: ElementTree.Element, tag: str, kind: str, text: str) -> None:
    lines = _legal(text).splitlines() or [kind]
    problem = ElementTree.SubElement(case, tag, message=lines[0], type=kind)
    problem.text = "\n".join(lines)


def _text(test: GradedTest, message: Message) -> str:
    """The test's message in plain text, its point first."""
    said = TEST_OUTCOMES.get(test.outcome, "failed")
    lines = [f"{said}: {test.bug_title}" if test.bug_title else said]
    lines += [f"{name}: {text}" for name, text in message.lines()]
    return "\n".join(lines)


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
