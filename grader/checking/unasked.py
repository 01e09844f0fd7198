"""What an exercise is asked without anyone writing it: facts beside its first hidden question.

Its arguments stay as they were, lists, dicts and configurations included; asked again, it gives the
same answer; and it keeps to the device of its tensors, as a GPU needs it. A fact
counts only if it is so of the right form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..seam import Student
from .answer import Answer

MOST_CALLS = 6  # of a question, that are repeated elsewhere
CHANGED = "arguments that are changed"
AGAIN = "it gives the same answer when it is asked again"
STAYS = "it stays on the device of its arguments, such as a GPU"
SO: Mapping[str, Any] = {CHANGED: [], AGAIN: True, STAYS: True}


def with_facts(answer: Answer, student: Student, again: Callable[[], Answer]) -> Answer:
    """The answer to the question that was just asked, with its facts; `again` asks once more."""
    calls = student.calls[:MOST_CALLS]
    changed = {f"{one.name}: argument {name}" for one in student.calls for name in one.changed}
    stays = all(map(student.keeps, calls))
    facts = {CHANGED: sorted(changed), AGAIN: again().like(answer), STAYS: stays}
    return replace(answer, values={**answer.values, **facts})


def only_so(right: Answer) -> Answer:
    """A right form's answer without the facts that are not so of it."""
    kept = {n: value for n, value in right.values.items() if n not in SO or value == SO[n]}
    return replace(right, values=kept)
