"""Questions of earlier assignments, asked again in the exam."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from grader.checking.answer import Answer
from grader.checking.exercise import Question, mark_of
from grader.checking.question import question

Ask = Callable[..., Any]


def asked_again(
    exercise: str,
    *tests: Ask,
    weight: float = 1.0,
    title: str = "",
    needs_one_of: Sequence[str] = (),
) -> Ask:
    """A question that asks these tests one after another; its answers have their titles."""
    marks = [mark for test in tests if (mark := mark_of(test))]
    titles = [f"{mark.title} " if len(marks) > 1 else "" for mark in marks]

    def ask(its: Any, rng: Any) -> dict[str, Any]:
        found = dict[str, Any]()
        for test, prefix in zip(tests, titles, strict=True):
            answer = test(its, rng) if "rng" in inspect.signature(test).parameters else test(its)
            found |= {f"{prefix}{name}": one for name, one in Answer.of(answer).values.items()}
        return found

    ask.__doc__ = title or marks[0].title
    asked = marks[0].question or Question()
    corner = all(mark.corner for mark in marks)
    return question(exercise, weight, needs_one_of=needs_one_of, corner=corner, **asdict(asked))(
        ask
    )
