"""Writes a quiz in its forms outside the site."""

from pathlib import Path

from grader.authoring.views import notebooks

from . import nbgrader_form, paper_form
from .quiz import Quiz


def write(quiz: Quiz, folder: Path) -> list[Path]:
    """Write the three files of a quiz, and return them.

    FOLDER/part2.md                 to print
    FOLDER/answers/part2.md         its answers
    FOLDER/source/quiz2/quiz2.ipynb for nbgrader, with hidden tests
    """
    form = f"quiz{quiz.part}"
    texts = {
        folder / f"{quiz.name}.md": paper_form.questions(quiz),
        folder / "answers" / f"{quiz.name}.md": paper_form.answers(quiz),
        folder / "source" / form / f"{form}.ipynb": notebooks.dump(nbgrader_form.notebook(quiz)),
    }
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)
