"""Material barred from a release: answers that are not out, hidden tests, bugs, rubrics."""

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course

from ...course.course_file import shown
from ...library.components import Component, module_text, stubbed
from ...library.student_tree import ENGINE, GRADER, sources, unreleased
from ..views import setup_cell, text_notebook


@dataclass(frozen=True)
class Code:
    """Hidden code; `given` is the part of it that students have.

    An answer is found under other names too; a hidden test is not worth renaming.
    """

    what: str
    source: str
    given: str = ""
    is_answer: bool = True


@dataclass(frozen=True)
class Secrets:
    """Everything hidden, each with the words that name it."""

    code: list[Code]
    sentences: dict[str, str]  # text → what it is
    names: dict[str, str]  # identifier → what it is


def of(course: Course, answers: Collection[str], modules: Collection[str]) -> Secrets:
    """The hidden material while the answers of `answers` are out.

    `modules` are the files of `course_lib` that students get: the others are hidden as a whole.
    """
    closed = [a for a in course.assignments if a.id not in answers]
    hidden = unreleased(course, answers)
    code = [*_components(hidden), *_absent(course, modules), *_hidden_code(course)]
    sentences: dict[str, str] = {}
    for assignment in closed:
        code += _code_answers(assignment)
        sentences |= _written(assignment)
    for assignment in course.graded:
        for bug in mistakes.load(assignment):
            words = max(re.split(r"\{[^}]*\}", bug.sentence), key=len)
            sentences[words] = f"the sentence of the named mistake {bug.name}"
    return Secrets(code, sentences, _names(course))


def _components(hidden: dict[str, str]) -> Iterator[Code]:
    for reference in hidden:
        component = Component.parse(reference)
        what = f"the answer {reference}, which is not out"
        yield Code(what, component.source, component.stub(""))


def _absent(course: Course, modules: Collection[str]) -> Iterator[Code]:
    """The definitions of modules that are left out, as they show how an answer is used."""
    for dotted in sources(course):
        if f"{dotted.replace('.', '/')}.py" not in modules:
            for definition, source in module_text(dotted).definitions.items():
                yield Code(f"{dotted}:{definition}, which is not out", source)


def _hidden_code(course: Course) -> Iterator[Code]:
    for path in _hidden_files(course):
        text = path.read_text(encoding="utf-8")
        lines, where = text.splitlines(), shown(path)
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                source = "\n".join(lines[node.lineno - 1 : node.end_lineno])
                yield Code(f"{node.name} of {where}", source, is_answer="variants" in path.parts)


def _hidden_files(course: Course) -> list[Path]:
    return [path for a in course.graded for path in sorted(a.hidden.rglob("*.py"))]


def _code_answers(assignment: Assignment) -> Iterator[Code]:
    for cell in text_notebook.read(assignment):
        if cell.directive == "student":
            question, _, answer = cell.text.partition(text_notebook.CODE_ANSWER)
            what = f"the answer in code to {cell.argument}, which is not out"
            yield Code(what, answer, question)


def _written(assignment: Assignment) -> dict[str, str]:
    """The sentences of rubrics and model answers."""
    found: dict[str, str] = {}
    for cell in text_notebook.read(assignment):
        if cell.directive == "rubric":
            found |= dict.fromkeys(_sentences(cell.text), f"the rubric of {cell.argument}")
        elif cell.directive in ("written", "prediction"):
            answer = cell.text.partition(text_notebook.TEXT_ANSWER)[2]
            found |= dict.fromkeys(_sentences(answer), f"the model answer to {cell.argument}")
    return found


def _sentences(text: str) -> list[str]:
    """The sentences of a text, by which a part of it is found as well."""
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*\d]", text) if s.strip()]


def _names(course: Course) -> dict[str, str]:
    """Names of hidden tests, their files, and named mistakes."""
    found: dict[str, str] = {}
    for path in _hidden_files(course):
        if path.stem.startswith("test_"):
            found[path.stem] = "a file of hidden tests"
            for name in re.findall(r"(?m)^def (test_\w+)", path.read_text(encoding="utf-8")):
                found[name] = f"a hidden test of {path.parent.name}"
    for assignment in course.graded:
        for bug in mistakes.load(assignment):
            found[bug.name] = "a named mistake"
    return found


def public(
    course: Course, answers: Collection[str], modules: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    """Material that students may have, by path: no leak. `modules` are the library's in it.

    It is read from this checkout's sources and not from a finished tree, so that a leak there
    cannot excuse itself.
    """
    hidden = unreleased(course, answers)
    closed = {Component.parse(reference).module for reference in hidden}
    for path in (p for package in course.libraries for p in sorted(package.rglob("*.py"))):
        name = path.relative_to(course.root).as_posix()
        dotted = name.removesuffix(".py").replace("/", ".")
        if dotted in closed:
            yield name, stubbed(dotted, hidden).encode()
        elif name in modules:
            yield name, path.read_bytes()
    for path in sorted((course.hidden / "stand_ins").rglob("*.py")):
        yield path.name, path.read_bytes()
    for package in GRADER:
        for path in sorted((ENGINE / package).rglob("*.py")):
            yield path.name, path.read_bytes()
    for assignment in [*course.assignments, *course.labs]:
        for path in assignment.public_tests:
            yield path.name, path.read_bytes()
            yield path.with_suffix(".json").name, path.with_suffix(".json").read_bytes()
        for number, text in enumerate(_handout(course, assignment)):
            yield f"{assignment.id}-{number}.py", text.encode()
        solution = assignment.solution
        if assignment.id in answers and solution.is_file():
            yield solution.name, solution.read_bytes()


def _handout(course: Course, assignment: Assignment) -> Iterator[str]:
    """The cells of the text notebook without answers, rubrics and components."""
    yield setup_cell.setup(course, assignment)
    for cell in text_notebook.read(assignment):
        if cell.directive != "rubric":
            question = cell.text.partition(text_notebook.TEXT_ANSWER)[0]
            if cell.directive == "student":
                question = question.partition(text_notebook.CODE_ANSWER)[0]
            yield question
