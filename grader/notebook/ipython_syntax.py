"""Turns a cell in IPython's syntax into Python with the same line numbers, without running it.

IPython's own transformer says what is a magic, a shell line or a question for help. Such a line
becomes `pass`, since the grader runs no IPython.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from IPython.core.inputtransformer2 import (
    TransformerManager,
    cell_magic,
    leading_empty_lines,
    make_tokens_by_line,
)

SAME_NAMESPACE = ("capture", "prun", "time")  # cell magics that run their cell as if not there
WITHOUT_PERCENT = "cat cd conda ls mamba pip pwd time uv".split()  # where they are the whole cell
MOST = 8  # lines of a cell that Python's tokens do not end with, as in `!echo it's`

LONGEST = 2_000  # characters: IPython's pattern for `name?` takes a time with their square


@dataclass
class Translation:
    """The Python of a cell, and the special lines in it that are not run.

    `magic`: the cell magic that makes the cell something other than Python ("%%bash"), or "".
    """

    source: str = ""
    not_run: list[str] = field(default_factory=list)
    magic: str = ""


def translate(source: str) -> Translation:
    """Translate a cell. Raises SyntaxError."""
    found = Translation()
    try:
        found.source = _Translator(found).translated(source)
    except SyntaxError:
        raise
    except Exception as error:  # what IPython would show in place of running the cell
        raise SyntaxError(str(error) or type(error).__name__) from None
    return found


class _Translator(TransformerManager):
    """IPython's transformer, which keeps the number of lines and calls no IPython."""

    def __init__(self, found: Translation):
        super().__init__()
        self.found = found
        self.line_transforms = [self._without_cell_magic]

    def translated(self, source: str) -> str:
        lines = source.splitlines(keepends=True)
        blank = "\n" * (len(lines) - len(leading_empty_lines(lines)))
        python = self.transform_cell(source)
        if len(python.splitlines()) == 1 and python.partition(" ")[0].strip() in WITHOUT_PERCENT:
            python = self.transform_cell(f"%{python}")
        return blank + python

    def _without_cell_magic(self, lines: list[str]) -> list[str]:
        if cell_magic(lines) == lines:
            return lines
        magic = lines[0].split()[0]
        if magic.removeprefix("%%") in SAME_NAMESPACE:
            return ["\n", *self.translated("".join(lines[1:])).splitlines(keepends=True)]
        self.found.magic = magic
        return ["pass\n"]

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        """Transform all special lines in one pass over the cell, where IPython needs one for each.

        After a special line that hides where the next one begins, the rest is read again.
        """
        for _ in range(MOST):
            done: list[str] = []
            for logical_line in _logical_lines(lines):
                after, is_whole = self._transformed(logical_line)
                done += after
                if not is_whole:
                    break
            else:
                return done
            lines = done + lines[len(done) :]
        raise SyntaxError(f"more than {MOST} lines for IPython that cannot be told apart")

    def _transformed(self, lines: list[str]) -> tuple[list[str], bool]:
        """A logical line in Python, and whether no other line was taken for a part of it."""
        text = "".join(lines).rstrip()
        if len(text) > LONGEST and text.endswith("?"):
            raise SyntaxError("a question for help is too long")
        for _ in range(2):  # `%time files = !ls` has two
            changed, after = self.do_one_token_transform(lines)
            if not changed:
                break
            at = next(i for i, line in enumerate(after) if line != lines[i])
            after[at] = self._python(lines[at], after[at])
            after[at + 1 : at + 1] = ["\n"] * (len(lines) - len(after))
            if "".join(after[at + 1 :]).strip() or _closes_too_much(text):
                return after, False
            lines = after
        return lines, True

    def _python(self, special: str, line: str) -> str:
        """The Python that the grader runs for a special line, given IPython's `line`."""
        call = line.lstrip()
        indent = line[: len(line) - len(call)]
        if "get_ipython()" not in call:
            return line  # `/f x` is `f(x)`
        if call.startswith("get_ipython().run_line_magic('time', "):
            timed = ast.literal_eval(call.partition(", ")[2].strip()[:-1])
            return f"{indent}{timed or 'pass'}\n"
        self.found.not_run.append(special.strip(" \\\n"))
        return indent + "pass\n" if call.startswith("get_ipython()") else line


def _logical_lines(lines: list[str]) -> Iterator[list[str]]:
    """Groups of lines that Python's tokens read as one, in order."""
    begin = 0
    for tokens in make_tokens_by_line(lines):
        end = min(tokens[-1].start[0], len(lines))
        yield lines[begin:end]
        begin = max(begin, end)
    yield lines[begin:]


def _closes_too_much(text: str) -> bool:
    """Whether a later bracket would not count as open."""
    return sum(map(text.count, ")]}")) > sum(map(text.count, "([{"))
