"""Questions that every exercise is asked automatically: facts beside its first hidden question.

Its arguments stay as they were, lists, dicts and configurations included; asked again, it gives the
same answer; and each call of the question holds for its tensors on another device (as a GPU needs
it), in another precision, for the first of a batch alone, and with one more leading axis. A fact
counts only if it is so of the right form, and unless the exercise declines it: what a right form
allows by chance, its handout does not promise.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from ..seam import Student
from .answer import Answer
from .messages import Failure
from .numeric import describe

MOST_CALLS = 6  # of a question, that are repeated in other forms
CHANGED = "arguments that are changed"
AGAIN = "it gives the same answer when it is asked again"
FORMS: Mapping[str, str] = {  # by the variation's name: see `seam.variations`
    "device": "it also works on another device, such as a GPU, and stays there",
    "precision": "tensors of float64 give float64, and the same numbers",
    "one": "the first of several gives alone what it gives among the others",
    "axis": "one more leading axis is kept",
}
CAUSES: Mapping[str, str] = {  # of a fact that is not so
    CHANGED: "your code writes into an argument (`x -= 1`, `x[0] = 1`): work on a copy",
    AGAIN: "your code keeps something from call to call (a global, an attribute, a default list), "
    "or draws random numbers",
    FORMS["device"]: "your code makes a tensor on the CPU: make it where the arguments are "
    "(`device=x.device`), or keep it in the module with `register_buffer`",
    FORMS["precision"]: "your code makes a tensor of float32, or converts one: keep the dtype of "
    "the arguments (`dtype=x.dtype`)",
    FORMS["one"]: "your code mixes the examples of a batch, or `squeeze()` drops an axis of "
    "length 1",
    FORMS["axis"]: "your code counts axes from the front: count them from the end (-1, -2)",
}


def with_facts(
    answer: Answer,
    student: Student,
    right: Answer | None,
    declined: Collection[str],
    again: Callable[[], Answer],
) -> Answer:
    """The answer to the question that was just asked, with its facts; `again` asks once more.

    Of the right form's own answer (`right` is None) all are asked, else only those that are so.
    """
    changed = {f"{_place(name)} of {one.name}" for one in student.calls for name in one.changed}
    forms = dict[str, bool]()
    for number, call in enumerate(student.calls[:MOST_CALLS], 1):
        named = {form: _name(fact, number) for form, fact in FORMS.items() if form not in declined}
        asked = [form for form, name in named.items() if right is None or name in right.values]
        forms |= {named[form]: so for form, so in student.varied(call, asked).items()}
    facts = {CHANGED: sorted(changed), **forms, AGAIN: again().like(answer)}
    return replace(answer, values={**answer.values, **facts})


def only_so(right: Answer) -> Answer:
    """A right form's answer without the facts that are not so of it."""
    kept = {n: value for n, value in right.values.items() if n not in SO or value == SO[n]}
    return replace(right, values=kept)


def without_facts(right: Answer) -> Answer:
    """A right form's answer without any fact."""
    return replace(right, values={n: value for n, value in right.values.items() if n not in SO})


def tell_apart(answer: Answer, right: Answer) -> None:
    """Raises Failure for the first fact that is so of a right form, and not of the answer."""
    for name, so in right.values.items():
        if name in SO and (value := answer.values.get(name)) != so:
            wanted, found = (f"{name} = []", describe(value)) if so == [] else (name, "not so")
            cause = CAUSES[name.partition(" (call ")[0]]
            raise Failure(wanted, found, cause, value=value, seen=True)


def _place(argument: str) -> str:
    """Which argument it is, given by name or by position from 0."""
    return f"argument {int(argument) + 1 if argument.isdecimal() else argument}"


def _name(fact: str, number: int) -> str:
    return fact if number == 1 else f"{fact} (call {number})"


_CALLS = range(1, MOST_CALLS + 1)
SO: Mapping[str, Any] = {  # each fact, where it is so
    CHANGED: [],
    AGAIN: True,
    **{_name(fact, number): True for fact in FORMS.values() for number in _CALLS},
}
