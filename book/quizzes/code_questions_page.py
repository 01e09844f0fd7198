"""`{code-questions}`: the exam questions on code, part by part; with `:answers:` their answers."""

from collections.abc import Iterator
from itertools import groupby

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book import CHECKOUT
from grader.course.course import Course

from . import code_question
from .code_question import CodeQuestion

RETURNS = "What does the last line give? Numbers to {} decimals."
WRONG = (
    "One line of this code is wrong. Which one, and what should it be? What does the last line "
    "below give as the code is, and what once it is right?"
)


class CodeQuestionsDirective(SphinxDirective):
    """All questions, or all answers, in a section for each part."""

    option_spec = {"answers": directives.flag}

    def run(self) -> list[nodes.Node]:
        try:
            asked = code_question.load()
        except code_question.CodeQuestionError as error:
            raise self.error(str(error)) from None
        for file in (code_question.FILE, *Course.here().syllabus, *map(_file, asked)):
            self.env.note_dependency(str(file))
        titles = {part.number: part.title for part in Course.here().parts}
        shown = self._answer if "answers" in self.options else self._question
        sections: list[nodes.Node] = []
        for part, questions in groupby(asked, key=lambda one: one.part):
            section = nodes.section(ids=[f"part-{part}"])
            section += nodes.title("", f"Part {part}: {titles[part]}")
            for number, question in enumerate(questions, 1):
                section += list(shown(f"{part}.{number}", question))
            sections.append(section)
        return sections

    def _question(self, number: str, question: CodeQuestion) -> Iterator[nodes.Node]:
        asks = WRONG if question.bug else RETURNS.format(code_question.DECIMALS)
        file = f"{question.of.module.replace('.', '/')}.py"
        text = f"**{number}** ({question.points} points) From `{file}`. {asks} {question.about}"
        yield from self.parse_text_to_nodes(text.strip())
        yield _code(question.code, linenos=True)
        yield _code(f"{question.given}\n{question.call}".strip())

    def _answer(self, number: str, question: CodeQuestion) -> Iterator[nodes.Node]:
        text = f"**{number}** `{question.returned()}`"
        for line, said, meant in question.wrong_lines if question.bug else ():
            assert question.bug
            text = (
                f"**{number}** Line {line}, `{said}`: {question.bug.sentence}. "
                f"It must be `{meant}`. As it is, the last line gives `{question.returned()}`; "
                f"once it is right, `{question.returned(wrong=False)}`."
            )
        yield from self.parse_text_to_nodes(text)


def _file(question: CodeQuestion) -> str:
    return str(CHECKOUT / f"{question.of.module.replace('.', '/')}.py")


def _code(text: str, linenos: bool = False) -> nodes.literal_block:
    return nodes.literal_block(text, text, language="python", linenos=linenos)


def setup(app: Sphinx) -> None:
    """Register the directive."""
    app.add_directive("code-questions", CodeQuestionsDirective)
