"""`{quiz} part2`: a quiz in a page, as a form that `_static/quiz.js` checks.

Without JavaScript a reader sees the questions and, folded below each, the answer with all feedback.
The script hides these and shows the right piece of feedback when an answer is checked.
"""

import json
from collections.abc import Iterator, Sequence
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import steps
from .quizzes import quiz
from .quizzes.quiz import (
    ChoiceQuestion,
    NumericQuestion,
    Question,
    Quiz,
    ShapeQuestion,
    WrongNumber,
    WrongShape,
)

KINDS = {
    "single": "Choose one answer.",
    "multiple": "Choose all answers that are right.",
    "bug": "Find the bug: choose one answer.",
    "numeric": "Enter a number.",
    "shape": "Enter a shape, such as 2, 8, 5.",
}


class QuizDirective(SphinxDirective):
    """`{quiz} NAME`: the questions of `lectures/quizzes/NAME.toml`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        try:
            asked = quiz.load(self.arguments[0])
        except quiz.QuizError as error:
            raise self.error(str(error)) from None
        self.env.note_dependency(str(quiz.FOLDER / f"{asked.name}.toml"))
        made = nodes.container(classes=["quiz"])
        self.set_source_info(made)
        made += list(self._form(asked))
        return [made]

    def _form(self, asked: Quiz) -> Iterator[nodes.Node]:
        yield _html(f'<div class="quiz-form" data-quiz="{asked.name}">')
        yield _html(
            '<p class="quiz-progress" role="status" hidden></p>'
            '<button type="button" class="quiz-restart" hidden>Start over</button>'
        )
        for number, question in enumerate(asked.questions, 1):
            yield from self._question(asked, number, question)
        place = steps.mark(steps.quiz(asked.name), f"Quiz {asked.part} is done")
        yield _html(f'<p class="step-at-end">{place}</p></div>')

    def _question(self, asked: Quiz, number: int, question: Question) -> Iterator[nodes.Node]:
        id = f"{asked.name}-{number}"
        key = escape(json.dumps(_key(question)), quote=True)
        yield _html(
            f'<form class="quiz-question" id="{id}" data-kind="{question.kind}" '
            f'data-key="{key}" novalidate><fieldset><legend>'
            f'<span class="quiz-number">Question {number} of {len(asked.questions)}.</span> '
        )
        yield from self._markdown(question.text)
        yield _html("</legend>")
        if question.code:
            yield nodes.literal_block(question.code, question.code.rstrip(), language="python")
        yield _html(f'<p class="quiz-task" id="{id}-task">{KINDS[question.kind]}</p>')
        if isinstance(question, ChoiceQuestion):
            type = "checkbox" if question.kind == "multiple" else "radio"
            for place, choice in enumerate(question.shuffled):
                yield _html(
                    f'<div class="quiz-choice"><input type="{type}" name="{id}" '
                    f'id="{id}-{place}" value="{place}"><label for="{id}-{place}">'
                )
                yield from self._markdown(choice.text)
                yield _html("</label></div>")
        else:
            number_only = 'inputmode="decimal" ' if question.kind == "numeric" else ""
            yield _html(
                f'<div class="quiz-entry"><label for="{id}-entry">Your answer</label>'
                f'<input type="text" id="{id}-entry" name="{id}" {number_only}'
                f'autocomplete="off" spellcheck="false" aria-describedby="{id}-task"></div>'
            )
        yield _html(
            '<button type="submit" class="quiz-check" hidden>Check</button></fieldset>'
            '<div class="quiz-said" aria-live="polite"></div>'
            '<details class="quiz-answer"><summary>Answer</summary>'
        )
        yield from self._answer(question)
        yield _html("</details></form>")

    def _answer(self, question: Question) -> Iterator[nodes.Node]:
        """The answer and all feedback; `data-for` names the answer it belongs to."""
        if isinstance(question, ChoiceQuestion):
            for place, choice in enumerate(question.shuffled):
                yield _html(f'<div data-for="{place}"><strong>')
                yield _html("Right: " if choice.right else "Wrong: ")
                yield from self._markdown(choice.text)
                yield _html("</strong><br>")
                yield from self._markdown(choice.feedback)
                yield _html("</div>")
        else:
            yield _html(f'<div data-for="answer"><strong>{_answer(question)}</strong></div>')
            foreseen: Sequence[WrongNumber | WrongShape] = question.wrong
            for place, wrong in enumerate(foreseen):
                yield _html(f'<div data-for="{place}"><strong>Not {_shown(wrong.value)}:</strong> ')
                yield from self._markdown(wrong.feedback)
                yield _html("</div>")
            yield _html('<div data-for="hint"><strong>Hint:</strong> ')
            yield from self._markdown(question.hint)
            yield _html("</div>")
        yield _html('<div data-for="why">')
        yield from self._markdown(question.why)
        yield _html("</div>")

    def _markdown(self, text: str) -> list[nodes.Node]:
        """The text without the paragraph around it, so that it fits in a label."""
        parsed = self.parse_text_to_nodes(text.strip())
        found: list[nodes.Node] = []
        for place, node in enumerate(parsed):
            if place:
                found.append(_html("<br>"))
            found += node.children if isinstance(node, nodes.paragraph) else [node]
        return found


def _html(text: str) -> nodes.raw:
    return nodes.raw("", text, format="html")


def _shown(value: float | quiz.Shape) -> str:
    return quiz.shown_shape(value) if isinstance(value, tuple) else quiz.shown_number(value)


def _answer(question: NumericQuestion | ShapeQuestion) -> str:
    return _shown(question.answer)


def _key(question: Question) -> dict[str, object]:
    """The data that the script needs to check an answer."""
    if isinstance(question, ChoiceQuestion):
        return {"right": [n for n, choice in enumerate(question.shuffled) if choice.right]}
    key: dict[str, object] = {
        "answer": question.answer,
        "wrong": [wrong.value for wrong in question.wrong],
    }
    if isinstance(question, NumericQuestion):
        key["tolerance"] = question.tolerance
    return key


def setup(app: Sphinx) -> None:
    """Register the directive, and the script in pages that have a quiz."""
    app.add_directive("quiz", QuizDirective)
    app.add_css_file("quiz.css")
    app.add_js_file("quiz.js", loading_method="defer")
