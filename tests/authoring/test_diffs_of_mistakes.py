"""What a mistake changes is found in the source whatever its indentation, once, or told."""

import re

import pytest
from world_tables import cases

from grader.course.record import mistake

SOURCE = """def double(x):
    if x:
        y = x + x
        return y

    y = x * 2
    return y
"""


@cases("one_place", "diffs_of_mistakes.toml")
def test_one_place(lines, old, new):
    assert SOURCE.count(old) == 1
    assert mistake.apply(mistake.parse(lines.splitlines()), SOURCE) == SOURCE.replace(old, new)


def test_two_places():
    lines = ["- y = x * 2", "+ y = 2", "@@", "- y = x + x", "+ y = 1"]
    changed = SOURCE.replace("x * 2", "2").replace("x + x", "1")
    assert mistake.apply(mistake.parse(lines), SOURCE) == changed


@cases("refused", "diffs_of_mistakes.toml")
def test_what_does_not_fit_is_told(lines, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        mistake.apply(mistake.parse(lines.splitlines()), SOURCE)
