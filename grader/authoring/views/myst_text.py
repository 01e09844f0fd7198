"""Reads MyST Markdown: its code cells, its directives, and the text between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_OPENS = re.compile(r"(?P<fence>[:`]{3,})\{(?P<name>[\w:-]+)\} ?(?P<argument>.*)")
_OPTION = re.compile(r":(?P<name>[\w-]+): ?(?P<value>.*)")
_LIST = re.compile(r"tags: \[(?P<tags>[^\]]*)\]")
CODE = "code-cell"


@dataclass(frozen=True)
class Block:
    """A directive: its name, its argument, its options and content; or text ("")."""

    name: str
    content: str
    argument: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str) -> str:
        return dict(self.options).get(name, "")


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a source in order; what a directive holds is left in it.

    Raises ValueError for a directive that does not end.
    """
    lines = iter(text.splitlines())
    plain: list[str] = []
    for line in lines:
        opened = _OPENS.fullmatch(line.rstrip())
        if opened is None:
            plain.append(line)
            continue
        if any(map(str.strip, plain)):
            yield Block("", "\n".join(plain).strip("\n"))
        plain = []
        yield _directive(opened, list(_until(opened["fence"], lines)))
    if any(map(str.strip, plain)):
        yield Block("", "\n".join(plain).strip("\n"))


def without_front_matter(text: str) -> str:
    """The source below the lines that say which kernel runs it."""
    return re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)


def _until(fence: str, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.rstrip() == fence:
            return
        yield line
    raise ValueError(f"a directive that begins with {fence} does not end")


def _directive(opened: re.Match[str], lines: list[str]) -> Block:
    options: list[tuple[str, str]] = []
    if lines and lines[0] == "---":
        end = lines.index("---", 1)
        if found := _LIST.search(" ".join(lines[1:end])):
            options.append(("tags", found["tags"]))
        lines = lines[end + 1 :]
    while lines and (option := _OPTION.fullmatch(lines[0])):
        options.append((option["name"], option["value"].strip('"')))
        lines = lines[1:]
    content = "\n".join(lines).strip("\n")
    return Block(opened["name"], content, opened["argument"].strip(), tuple(options))
