"""A test as a question: asked of the student, of the right form, and of each named mistake.

    @question("2.3", weight=2, read="§3.2.3", advice="apply the mask in every head")
    def test_masks(its, rng):
        \"\"\"Causal and padding masks are applied in every head.\"\"\"
        module, inputs = build(its, rng, 8, 2), [normal(rng, 2, 4, 8) for _ in range(3)]
        return {name: module(*inputs, mask) for name, mask in MASKS.items()}

`its` is a namespace behind the seam, whoever's it is: a question knows nothing of right and wrong.
Its answer is a value, several of them, or a dict that names them for messages; a name that is
answered by True or False reads as a sentence. What is raised is an answer, too. The right form of a
hidden question is the assignment's `reference.py`; a visible one's answers are in a file next to
it, written by `course build`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..seam import StudentError
from .exercise import ATOL, RTOL, Question, Test, exercise


def question(
    id: str,
    weight: float = 1.0,
    *,
    advice: str = "",
    read: str = "",
    atol: float = ATOL,
    rtol: float = RTOL,
    step: str = "",
    builds_on: Sequence[str] = (),
    needs_one_of: Sequence[str] = (),
    corner: bool = False,
) -> Callable[[Test], Test]:
    """Mark a question of exercise `id` ("1.4"); weight and step to corner as of `exercise`."""
    mark = exercise(id, weight, step, builds_on, needs_one_of, corner)

    def marked(ask: Test) -> Test:
        mark(ask)
        asked = Question(advice, read, atol, rtol)
        ask.course = replace(ask.course, question=asked)  # type: ignore[attr-defined]
        return ask

    return marked


def refusal(call: Callable[[], Any], mentions: Iterable[object] = ()) -> str:
    """The exception of a call, as an answer: "a ValueError that names (5, 11)", or "no error".

    `mentions`: of these, the error's message is asked for those that it names.
    """
    try:
        call()
    except StudentError as error:
        if error.kind.isupper():
            raise
        named = [str(text) for text in mentions if str(text) in error.message]
        return f"a {error.kind}" + (f" that names {' and '.join(named)}" if named else "")
    return "no error"
