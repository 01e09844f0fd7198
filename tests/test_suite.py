"""How the tests of a suite are found, called and reported."""

import os

import pytest

from autograder.judge import session
from course_lib.checking.suite import read_tests
from course_lib.seam import StudentError
from course_lib.seam.errors import POLICY, TIMEOUT
from course_lib.seam.local import local_student

HEAD = """\
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

"""


@pytest.fixture
def suite(tmp_path):
    def write(*tests: str):
        path = tmp_path / "test_1_1_softmax.py"
        path.write_text(HEAD + "\n".join(tests), encoding="utf-8")
        return path

    return write


def marked(name: str, body: str, parameters: str = "student", exercise: str = "1.1") -> str:
    return (
        f'@exercise("{exercise}")\ndef {name}({parameters}):\n    """Says {name}."""\n    {body}\n'
    )


def ran(course, path, namespace=None, **options):
    student = local_student(namespace or {})
    return session.run(course.assignment("a1"), student, files=[path], **options)


def test_results_come_in_the_order_of_the_file(course, suite):
    path = suite(marked("test_z", "expect.equal(student.f(), 1)"), marked("test_a", "student.g()"))
    results = ran(course, path, {"f": lambda: 2})
    assert [(r.id.partition("::")[2], r.outcome) for r in results] == [
        ("test_z", "FAILED"),
        ("test_a", "MISSING"),
    ]
    assert results[0].message.got == "2"
    assert results[0].mark.title == "Says test_z."


def test_inputs_depend_on_the_release_and_the_test_alone(course, suite):
    """Each of two tests draws numbers of its own, in every run the same ones."""
    body = "student.keep(float(rng.normal()))"
    path = suite(*(marked(f"test_{n}", body, "student, rng") for n in "ab"))

    def drawn(**options):
        seen = []
        ran(course, path, {"keep": seen.append}, **options)
        return seen

    first = drawn()
    assert first[0] != first[1]
    assert drawn() == first
    assert drawn(only=[f"{path.name}::test_b"]) == first[1:]
    assert drawn(seed=1) != first


def test_only_the_exercises_asked_for_run(course, suite):
    path = suite(marked("test_a", "pass"), marked("test_b", "pass", exercise="1.2"))
    assert [r.mark.exercise for r in ran(course, path, exercises={"1.2"})] == ["1.2"]


def test_what_is_decided_beforehand_does_not_run(course, suite):
    path = suite(marked("test_a", "student.never()"))
    verdicts = {"1.1": StudentError(POLICY, "np.dot")}
    assert [r.outcome for r in ran(course, path, verdicts=verdicts)] == [POLICY]


def test_after_two_time_outs_the_rest_is_not_waited_for(course, suite):
    names = ["test_a", "test_b", "test_c"]
    path = suite(*(marked(name, "student.slow()") for name in names))
    calls = []

    def slow():
        calls.append(1)
        raise StudentError(TIMEOUT, "no answer within 2 s")

    results = ran(course, path, {"slow": slow})
    assert [r.outcome for r in results] == [TIMEOUT] * 3
    assert len(calls) == session.MAX_TIMEOUTS


def test_a_file_that_has_changed_is_read_again(suite):
    path = suite(marked("test_a", "pass"))
    known = read_tests(path)
    assert read_tests(path) is known
    suite(marked("test_b", "pass"))
    os.utime(path, ns=(1, 1))  # a clock may be coarser than two writes
    assert [test.id for test in read_tests(path)] == [f"{path.name}::test_b"]


@pytest.mark.parametrize(
    "text",
    ["import nothing_of_this_name", "def test_a(student): ...", marked("test_a", "pass", "torch")],
    ids=["does_not_import", "no_mark", "unknown_fixture"],
)
def test_a_suite_that_cannot_be_read_is_no_result(course, suite, text):
    with pytest.raises(RuntimeError, match="test_1_1_softmax.py"):
        ran(course, suite(text))
