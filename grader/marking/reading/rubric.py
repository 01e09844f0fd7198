"""A rubric's items, which a marker ticks, between the text above and below them.

An item is a line of a numbered list, worth one point unless it begins with "(2 points)", or a row
of a table whose first column has the points.
"""

import re
from typing import NamedTuple

from ...gradebook.exercise_result import Criterion

NUMBERED = re.compile(r"\d+[.)]\s+(?:\((?P<points>\d+(?:\.\d+)?) points?\)\s*)?(?P<text>\S.*)")
ROW = re.compile(r"\|\s*(?P<points>\d+(?:\.\d+)?)\s*\|(?P<text>.+)\|\s*")


class Rubric(NamedTuple):
    """Markdown around the items; a rubric without items to tick is all `above`."""

    above: str
    items: tuple[Criterion, ...] = ()
    below: str = ""


def parsed(text: str, most: float) -> Rubric:
    """The rubric of a question with `most` points; it has items only if they add up to these."""
    lines = text.splitlines()
    found: list[Criterion] = []
    first = last = 0
    for number, line in enumerate(lines):
        if item := NUMBERED.fullmatch(line) or ROW.fullmatch(line):
            first = first if found else number
            found.append(Criterion(text=item["text"].strip(), points=float(item["points"] or 1)))
        elif found and line.startswith(" "):
            longer = {"text": f"{found[-1].text} {line.strip()}"}
            found[-1] = found[-1].model_copy(update=longer)
        elif found and line.strip():
            break
        last = number + 1
    if sum(item.points for item in found) != most:
        return Rubric(text)
    above = [line for line in lines[:first] if not line.startswith("|")]
    return Rubric("\n".join(above).strip(), tuple(found), "\n".join(lines[last:]).strip())
