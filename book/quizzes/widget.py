"""A quiz for `jupyterquiz`, which shows it in a notebook: a list of questions as JSON.

Its kinds are `multiple_choice`, `many_choice` and `numeric`. A shape is asked as a choice between
the right one and those of known mistakes. It renders formulas but no Markdown, so code and emphasis
become HTML here.
"""

from __future__ import annotations

import hashlib
import math
import re
from html import escape
from typing import Any

from .quiz import (
    Choice,
    ChoiceQuestion,
    NumericQuestion,
    Question,
    Quiz,
    ShapeQuestion,
    shown_shape,
)


def questions(quiz: Quiz) -> list[dict[str, Any]]:
    """What `jupyterquiz.display_quiz` takes."""
    return [_question(question) for question in quiz.questions]


def _question(question: Question) -> dict[str, Any]:
    if isinstance(question, NumericQuestion):
        return {
            "question": _html(question.text),
            "type": "numeric",
            "answers": [
                _number(question, question.answer, True, question.why),
                *(_number(question, w.value, False, w.feedback) for w in question.wrong),
                {"type": "default", "feedback": _html(question.hint)},
            ],
        }
    kind = "many_choice" if question.kind == "multiple" else "multiple_choice"
    asked: dict[str, Any] = {"question": _html(question.text), "type": kind}
    if question.code:
        asked["code"] = question.code.strip("\n")
    return {**asked, "answers": _choices(question)}


def _said(choice: Choice, question: ChoiceQuestion) -> str:
    return f"{choice.feedback} {question.why}" if choice.right else choice.feedback


def _html(text: str) -> str:
    """Code in backticks and emphasis in asterisks, as HTML."""
    parts = text.strip().split("`")
    for place, part in enumerate(parts):
        if place % 2:
            parts[place] = f"<code>{escape(part, quote=False)}</code>"
        else:
            parts[place] = re.sub(r"\*(\w[^*\n]*)\*", r"<em>\1</em>", part)
    return "".join(parts)


def _number(question: NumericQuestion, value: float, correct: bool, said: str) -> dict[str, Any]:
    within = question.tolerance  # the upper end of a range does not count to it
    where: dict[str, Any] = (
        {"range": [value - within, math.nextafter(value + within, math.inf)]}
        if within
        else {"value": value}
    )
    return {
        "type": "range" if within else "value",
        **where,
        "correct": correct,
        "feedback": _html(said),
    }


def _choices(question: ChoiceQuestion | ShapeQuestion) -> list[dict[str, Any]]:
    if isinstance(question, ChoiceQuestion):
        return [
            {
                "answer": _html(choice.text),
                "correct": choice.right,
                "feedback": _html(_said(choice, question)),
            }
            for choice in question.shuffled
        ]
    shapes = [
        {"answer": shown_shape(question.answer), "correct": True, "feedback": _html(question.why)},
        *(
            {
                "answer": shown_shape(wrong.value),
                "correct": False,
                "feedback": _html(wrong.feedback),
            }
            for wrong in question.wrong
        ),
    ]
    return sorted(shapes, key=lambda s: hashlib.sha256(f"{s['answer']}".encode()).hexdigest())
