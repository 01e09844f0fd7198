"""Questions of earlier assignments, asked again in the exam."""

import inspect
from dataclasses import asdict

from grader.checking.answer import Answer
from grader.checking.exercise import Question, mark_of
from grader.checking.question import question


def asked_again(exercise, *tests, weight=1.0, title="", beside=()):
    """A question that asks these tests one after another; its answers have their titles."""
    titles = [f"{mark_of(test).title} " if len(tests) > 1 else "" for test in tests]

    def ask(its, rng):
        offered, found = {"its": its, "student": its, "rng": rng}, {}
        for test, prefix in zip(tests, titles, strict=True):
            answer = test(*(offered[name] for name in inspect.signature(test).parameters))
            found |= {f"{prefix}{name}": one for name, one in Answer.of(answer).values.items()}
        return found

    ask.__doc__ = title or mark_of(tests[0]).title
    asked = mark_of(tests[0]).question or Question()
    return question(exercise, weight, beside=beside, **asdict(asked))(ask)
