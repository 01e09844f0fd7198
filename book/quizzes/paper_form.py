"""A quiz on paper: Markdown with boxes and blanks, and the answers as a document of their own."""

from collections.abc import Iterator

from .quiz import (
    ChoiceQuestion,
    NumericQuestion,
    Question,
    Quiz,
    ShapeQuestion,
    shown_number,
    shown_shape,
)

BLANK = 22 * "_"  # to write on, on paper
LETTERS = "ABCDEFGH"
TASKS = {
    "single": "Tick one box.",
    "multiple": "Tick all boxes that are right.",
    "bug": "Tick one box.",
    "numeric": f"Answer: {BLANK}",
    "shape": f"Shape: ( {BLANK} )",
}


def questions(quiz: Quiz) -> str:
    """The sheet that is handed out."""
    return "\n".join(
        [f"# Quiz {quiz.part}: {quiz.title}\n", "Name: ____________________\n", *_all(quiz)]
    )


def answers(quiz: Quiz) -> str:
    """The answers, with the reasons."""
    lines = [f"# Quiz {quiz.part}: {quiz.title} – answers\n"]
    for question in quiz.questions:
        lines.append(f"**{question.id}** {answer(question)}. {question.why.strip()}\n")
    return "\n".join(lines)


def folded(quiz: Quiz) -> str:
    """A page for a host that folds: under each question its answer, and what a wrong one means."""
    lines = [
        f"# Quiz {quiz.part}: {quiz.title}\n",
        "Answer first, then open the answer. [Study plan](../README.md)\n",
    ]
    for question in quiz.questions:
        asked = (line for line in _asked(question) if BLANK not in line)
        lines += [*asked, "<details><summary>Answer</summary>\n"]
        lines += [f"**{answer(question)}**. {question.why.strip()}\n", *_told(question)]
        lines += ["\n</details>\n"]
    return "\n".join(lines)


def _told(question: Question) -> Iterator[str]:
    """The feedback for each choice, or for each wrong answer that was foreseen."""
    if isinstance(question, ChoiceQuestion):
        for letter, choice in zip(LETTERS, question.shuffled, strict=False):
            yield f"- {letter}: {choice.feedback.strip()}"
        return
    for wrong in question.wrong:
        value = wrong.value
        shown = shown_shape(value) if isinstance(value, tuple) else shown_number(value)
        yield f"- {shown}: {wrong.feedback.strip()}"


def answer(question: Question) -> str:
    """The right answer in a few characters: `B`, `A C`, `64` or `(2, 5)`."""
    if isinstance(question, NumericQuestion):
        within = f" (± {shown_number(question.tolerance)})" if question.tolerance else ""
        return shown_number(question.answer) + within
    if isinstance(question, ShapeQuestion):
        return shown_shape(question.answer)
    return " ".join(LETTERS[n] for n, choice in enumerate(question.shuffled) if choice.right)


def _all(quiz: Quiz) -> Iterator[str]:
    for question in quiz.questions:
        yield from _asked(question)


def _asked(question: Question) -> Iterator[str]:
    yield f"**{question.id}** {question.text.strip()}\n"
    if question.code:
        yield f"```python\n{question.code.strip()}\n```\n"
    yield f"{TASKS[question.kind]}\n"
    if isinstance(question, ChoiceQuestion):
        for letter, choice in zip(LETTERS, question.shuffled, strict=False):
            yield f"- ☐ {letter}: {choice.text.strip()}"
        yield ""
