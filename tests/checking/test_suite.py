"""How the tests of a suite are found, called and reported."""

import os

import in_process
import pytest

from grader.checking import faults, session
from grader.checking.explanation import explain
from grader.checking.messages import Message
from grader.checking.suite import proofread, read_tests
from grader.seam import StudentError
from grader.seam.errors import POLICY, TIMEOUT

HEAD = """\
from grader.checking import expect
from grader.checking.exercise import exercise, fixture

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
    student = in_process.student(namespace or {})
    return session.run(course.assignment("a1"), student, files=[path], right=None, **options)


def test_results_come_in_the_order_of_the_file(course, suite):
    path = suite(marked("test_z", "expect.equal(student.f(), 1)"), marked("test_a", "student.g()"))
    results = ran(course, path, {"f": lambda: 2})
    assert [(r.id.partition("::")[2], r.outcome) for r in results] == [
        ("test_z", "FAILED"),
        ("test_a", "MISSING"),
    ]
    assert results[0].message.got == "2"
    assert results[0].mark.title == "Says test_z."


COUNTS_ONCE = Message(got="counts once “Says test_value” passes")
REFUSING = marked("test_refuses", "student.f").replace(
    '"1.1"', '"1.1", needs_one_of=["test_value"]'
)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("expect.equal(student.g(), 1)", "PASSED"),
        ("expect.equal(student.g(), 2)", "WAITING"),
        ("student.late()", "WAITING"),
        ("student.used()", "WAITING"),
        ("{}['key']", "WAITING"),
        ("rgn", "PASSED"),  # a broken test: nobody knows
    ],
)
def test_what_counts_beside_another_test_counts_if_that_passes(course, suite, value, outcome):
    def late():
        raise StudentError(TIMEOUT, "no answer in time")

    def used():
        raise StudentError(POLICY, "numpy.dot")

    names = {"f": min, "g": lambda: 1, "late": late, "used": used}
    path = suite(REFUSING, marked("test_value", value))
    result, other = ran(course, path, names, strict=False)
    assert result.outcome == outcome
    waits = outcome == "WAITING"
    assert (result.message == COUNTS_ONCE) == waits
    assert result.waits_for == ((other.id,) if waits else ())
    assert other.message != COUNTS_ONCE


REFUSES = REFUSING.replace("student.f", "expect.raises(lambda: student.f(0))")


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("return x + 1", "PASSED"),
        ("return x + 2", "PASSED"),  # a known mistake: the rest of the work is done
        ("return x + 3", "WAITING"),  # what any function may return
        ("raise ValueError", "WAITING"),
        ("return y", "WAITING"),
    ],
)
def test_a_refusal_counts_beside_a_wrong_value_too(course, suite, source, outcome):
    scope = {}
    exec(f"def f(x):\n    if not x: raise ValueError\n    {source}", scope)
    value = "expect.equal(student.f(1), 2, because='two are added' * (student.f(1) == 3))"
    path = suite(REFUSES, marked("test_value", value))
    refusal, _ = ran(course, path, {"f": scope["f"]})
    assert refusal.outcome == outcome
    assert (refusal.message == COUNTS_ONCE) == (outcome == "WAITING")


def test_a_refusal_does_not_count_beside_no_value_at_all(course, suite):
    """Its cause, that a `return` is missing, is known; but nothing was computed."""

    def f(x):
        if not x:
            raise ValueError

    path = suite(REFUSES, marked("test_value", "expect.close(student.f(1), 2.0)"))
    refusal, value = ran(course, path, {"f": f})
    assert "no `return`" in value.message.cause
    assert (refusal.outcome, refusal.message) == ("WAITING", COUNTS_ONCE)


PART = "this part of the answer is None"
# what a function returns, how a test looks at it, and what the message says of that
NONE = [
    (None, "expect.close(student.f(), 1.0, what='the output')", "no `return`"),
    (None, "expect.close(student.f()['weights'], 1.0)", "no `return`"),
    (None, "expect.close(student.vjp(student.f).value, 1.0, what='loss')", "no `return`"),
    ({"a": None}, "student.f()['a'].shape", "is the `return` missing, or was a part"),
    ({"weights": None}, "expect.close(student.f()['weights'], 1.0, what='weights')", PART),
    ([None, None], "expect.close(student.f(), [1.0, 2.0], otherwise='ask')", f"{PART}: is it"),
    ({"a": None}, "expect.close(student.f()['a'], 1.0, what='a', otherwise='ask')", "A gradient"),
]


@pytest.mark.parametrize(("value", "test", "said"), NONE)
def test_a_part_that_is_none_is_not_taken_for_a_missing_return(course, suite, value, test, said):
    (result,) = ran(course, suite(marked("test_value", test)), {"f": lambda: value})
    assert said in result.message.cause
    assert result.message.seen == (said == "no `return`")
    assert "None" in result.message.got


def test_what_must_not_change_counts_beside_no_wrong_value(course, suite):
    """Whoever returns what was given has computed nothing."""
    stays = REFUSING.replace("student.f", "expect.unchanged(student.call(student.f, 1).changed)")
    path = suite(stays, marked("test_value", "expect.equal(student.f(1), 2)"))
    result, _ = ran(course, path, {"f": lambda x: x})
    assert (result.outcome, result.message) == ("WAITING", COUNTS_ONCE)


def test_what_counts_beside_another_test_means_that_of_its_own_file(course, suite):
    """Files may have tests of one name, which are about different functions."""
    passing = marked("test_value", "expect.equal(student.g(), 1)")
    failing = marked("test_value", "expect.equal(student.g(), 2)")  # of the same length
    for own, others, outcome in ((passing, failing, "PASSED"), (failing, passing, "WAITING")):
        first = suite(REFUSING, own)
        second = first.with_name("test_1_1_other.py")
        second.write_text(HEAD + others, encoding="utf-8")
        student = in_process.student({"f": min, "g": lambda: 1})
        for files in ([first, second], [second, first]):
            results = session.run(course.assignment("a1"), student, files=files, right=None)
            [result] = [one for one in results if one.name == "test_refuses"]
            assert result.outcome == outcome


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
    ("text", "line", "told"),
    [
        ("import nothing_of_this_name", 4, "ModuleNotFoundError: No module named 'nothing_of_"),
        ("x = (", 4, "SyntaxError: '(' was never closed"),
        ("x = 1 / 0", 4, "ZeroDivisionError: division by zero"),
        ("def test_a(student): ...", 4, "test_a has no @exercise mark"),
        (marked("test_a", "pass", "torch"), 4, "test_a takes torch; a test may take student, rng"),
    ],
    ids=["does_not_import", "is_no_python", "raises", "no_mark", "unknown_fixture"],
)
def test_a_suite_that_cannot_be_read_is_no_result(course, suite, text, line, told):
    path = suite(text)
    with pytest.raises(faults.SuiteError) as caught:
        ran(course, path)
    assert str(caught.value).startswith(f"{path}, line {line}: {told}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "expect.equal(student.f(), rgn)",
        "from nothing_of_this_name import x",
        "student.f(last); last = 1",
        "[(lambda: rgn)() for _ in range(2)]",
    ],
)
def test_a_mistake_of_the_test_itself_is_not_charged_to_the_student(course, suite, body):
    path = suite(marked("test_a", body))
    with pytest.raises(faults.SuiteError, match="line 7: the test itself fails") as caught:
        ran(course, path, {"f": lambda *_: 1})
    assert str(caught.value).startswith(str(path))


def test_a_student_reads_that_a_wrong_test_is_no_mistake_of_theirs():
    error = faults.SuiteError("assignments/a1/public_tests/exercise_1_1.py, line 7: wrong")
    assert explain(error, ["softmax"]).got.endswith("line 7: wrong; this is not your mistake")


@pytest.mark.parametrize(
    ("body", "f"),
    [
        ("student.f()", lambda: undefined_here),  # noqa: F821
        ("student.f()", lambda: __import__("nothing_of_this_name")),
        ("for last in student.f(): pass\n    expect.equal(last, 1)", list),
        ("if student.f(): x = 1\n    (lambda: x)()", lambda: False),
        ("with expect.raises('ValueError'): x = student.f()\n    x", lambda: int("a")),
        ("eval(student.f())", lambda: "undefined_here"),
        ("student.f() + 1", lambda: "1"),
    ],
)
def test_no_answer_makes_a_failure_the_graders(course, suite, body, f):
    [result] = ran(course, suite(marked("test_a", body)), {"f": f})
    assert result.outcome == "FAILED"


def test_a_name_that_a_suite_binds_nowhere_is_found_without_running_it(suite):
    elsewhere = marked("test_b", "torch.zeros(1)  # noqa: F821")
    proofread(suite(elsewhere))
    path = suite(marked("test_a", "if student.f(): rgn.normal()", "student, rng"), elsewhere)
    with pytest.raises(faults.SuiteError) as caught:
        proofread(path)
    assert str(caught.value) == f"{path}, line 7: the name 'rgn' is not defined: correct this line"


DRAWN = "@fixture\ndef drawn(student, rng):\n    return {'inputs': [student.f(rng.random())]}\n"
FIRST = marked("test_a", "assert drawn['inputs'].pop() == student.f(1) - 1", "student, drawn")
SECOND = marked("test_b", "assert len(drawn['inputs']) == 1", "drawn")


def test_what_several_tests_look_at_is_asked_for_once(course, suite):
    """With inputs of its own, whichever test comes first, and not changed by one for another."""
    asked = []
    for tests in ((FIRST, SECOND), (SECOND, FIRST)):
        results = ran(course, suite(DRAWN, *tests), {"f": lambda x: asked.append(x) or 0})
        assert sorted((r.id, r.outcome, r.answered) for r in results) == [
            ("test_1_1_softmax.py::test_a", "FAILED", True),
            ("test_1_1_softmax.py::test_b", "PASSED", True),
        ]
    drawn = [x for x in asked if x != 1]
    assert len(drawn) == 2
    assert drawn[0] == drawn[1]


def test_what_the_shared_part_raises_is_the_result_of_each_test(course, suite):
    asked = []

    def f(x):
        asked.append(x)
        raise ValueError("no")

    results = ran(course, suite(DRAWN, FIRST, SECOND), {"f": f}, strict=False)
    assert [(r.outcome, r.answered, r.raised) for r in results] == [("FAILED", False, None)] * 2
    assert len(asked) == 1
    unread = suite(DRAWN.replace("rng):", "rgn):"), SECOND)
    with pytest.raises(faults.SuiteError, match="drawn takes rgn"):
        ran(course, unread)
    broken = ran(course, suite(DRAWN.replace("student.f", "stud.f"), SECOND), strict=False)
    assert [r.outcome for r in broken] == ["BROKEN"]
