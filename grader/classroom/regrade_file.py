"""A student's regrade request as a file: made by the feedback page, or by hand, and untrusted.

    Regrade request
    Student: ada
    Assignment: a1
    Item: 1.11.a
    Answer: 3f2a9c1b77aa

    My second sentence names the variance.

Whose it is, its folder says; the line `Student` is for people. `Answer` is the beginning of the
hash of what was marked.
"""

import codecs
import re
from typing import NamedTuple

TITLE = "Regrade request"
NAME, ENDING = "regrade", ".txt"  # what the name of its file contains, and its ending
MAX_BYTES = 20_000
MAX_REASON = 4_000  # characters


class RegradeFile(NamedTuple):
    """The contents of a regrade request."""

    student: str
    assignment: str
    item: str
    answer: str
    reason: str


def is_named(file: str) -> bool:
    """Whether a file is meant as a request by its name: "regrade-a1-1.4 (1).txt"."""
    return file.lower().endswith(ENDING) and NAME in file.lower()


def head(student: str, assignment: str, item: str, answer: str) -> str:
    """All of the text but the reason."""
    lines = {"Student": student, "Assignment": assignment, "Item": item, "Answer": answer}
    said = (f"{name}: {' '.join(value.split())}" for name, value in lines.items())
    return "\n".join([TITLE, *said, "", ""])


def read(data: bytes) -> RegradeFile:
    """Parse a request. Raises ValueError, with a sentence for whoever collects it."""
    if len(data) > MAX_BYTES:
        raise ValueError(f"has {len(data):,} bytes, and a request at most {MAX_BYTES:,}")
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("is not a text in UTF-8: save it again as plain text") from None
    top, _, reason = text.replace("\r\n", "\n").replace("\0", "").strip().partition("\n\n")
    title, *lines = top.split("\n")
    if title.strip().casefold() != TITLE.casefold():
        raise ValueError(f"does not begin with {TITLE!r}: use the form on the feedback page")
    facts = {name.strip().casefold(): value.strip() for name, _, value in map(_named, lines)}
    student, *named = (facts.get(name, "") for name in ("student", "assignment", "item", "answer"))
    assignment, item, answer = named
    if not all(named):
        raise ValueError("lacks Assignment, Item or Answer: use the form on the feedback page")
    if not re.fullmatch(r"[0-9a-f]{8,64}", answer):
        raise ValueError("its line `Answer` is not as the feedback page has it")
    if not reason.strip():
        raise ValueError("gives no reason: ask the student for one")
    if len(reason) > MAX_REASON:
        raise ValueError(f"has a reason of more than {MAX_REASON:,} characters: ask for less")
    return RegradeFile(student, assignment, item, answer, reason.strip())


_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def _named(line: str) -> tuple[str, str, str]:
    return line.partition(":")
