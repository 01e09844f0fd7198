"""The texts that users read, as paragraphs: pages, handouts, messages, hints, help, docstrings."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# CHANGELOG.md is history, and keeps the words of its time.
TOP = ("README.md", "CONTRIBUTING.md")
PAGES = (*TOP, "*/*.md", "lectures/teach/*.md", "assignments/**/README.md")
NOTEBOOKS = ("solutions/*.md",)
TABLES = ("course.toml", "exam.toml", "autograder/**/*.toml", "lectures/**/*.toml", "data/*.toml")
TEMPLATES = ("grader/**/templates/*.html", "grader/**/templates/*.md", "grader/**/texts/*.md")
CODE = ("grader", "course_lib", "course_study", "autograder", "book", "bench", "tools")

CODE_BLOCK = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
QUOTED = re.compile(r"`[^`]*`|\$[^$]*\$|“[^”]*”|\]\([^)]*\)|^>.*$", re.MULTILINE)
DIFF = re.compile(r"^(?:[-+@] ?|  ).*$", re.MULTILINE)  # the code of a named mistake

Text = tuple[str, int, str]  # path, line, paragraph


def texts() -> Iterator[Text]:
    """Every paragraph that users read; code, formulas and quotations in it become `…`."""
    for path, line, text in _raw():
        yield path.relative_to(ROOT).as_posix(), line, " ".join(QUOTED.sub("…", text).split())


def python_files() -> list[Path]:
    return _files(*(f"{folder}/**/*.py" for folder in CODE))


def notebook_code(path: Path) -> str:
    """The code of a text notebook, each line where it is in the file."""
    lines, is_code = [], False
    for line in _read(path).splitlines():
        is_code = line.startswith("```{code-cell}") or (is_code and line != "```")
        lines.append(line if is_code and not line.startswith(("```", ":")) else "")
    return "\n".join(lines)


def _raw() -> Iterator[tuple[Path, int, str]]:
    for path in _files(*PAGES, *TEMPLATES):
        prose = CODE_BLOCK.sub(lambda code: "\n" * code[0].count("\n"), _read(path))
        yield from _paragraphs(path, prose)
    for path in _files(*NOTEBOOKS):
        code = notebook_code(path)
        yield from _paragraphs(path, re.sub(r"(?m)^(?!#).*$|^# ?", "", code))
        yield from _literals(path, code)
    for path in _files(*TABLES):
        for text in _strings(tomllib.loads(_read(path))):
            yield from _paragraphs(path, DIFF.sub("", text))
    for path in python_files():
        yield from _literals(path, _read(path))


def _files(*patterns: str) -> list[Path]:
    return sorted({path for pattern in patterns for path in ROOT.glob(pattern)})


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _paragraphs(path: Path, text: str) -> Iterator[tuple[Path, int, str]]:
    for found in re.finditer(r"(?:.+\n?)+", text):
        yield path, text.count("\n", 0, found.start()) + 1, found[0]


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _literals(path: Path, code: str) -> Iterator[tuple[Path, int, str]]:
    """Docstrings and messages of the code; what an f-string fills in is `…`."""
    inside: set[ast.AST] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.JoinedStr):
            inside.update(ast.walk(node))
            parts = (p.value if isinstance(p, ast.Constant) else "…" for p in node.values)
            yield path, node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield path, node.lineno, node.value
