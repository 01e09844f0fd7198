"""What a mistake changes is found in the source whatever its indentation, once, or told."""

import re

import pytest

from grader.course.record import change

SOURCE = """def double(x):
    if x:
        y = x + x
        return y

    y = x * 2
    return y
"""


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        ("- y = x * 2\n+ y = x * 3", "    y = x * 2\n", "    y = x * 3\n"),
        ("-     y = x * 2\n+     y = x * 3", "x * 2", "x * 3"),  # indented as it is there
        ("- y = x + x", "        y = x + x\n", ""),
        ("  y = x + x\n+ y = -y", "x + x\n", "x + x\n        y = -y\n"),
        (
            "  y = x + x\n- return y\n+ if y:\n+\n+     return y",
            "        return y\n\n",
            "        if y:\n\n            return y\n\n",
        ),
        (
            "- if x:\n-     y = x + x\n-     return y\n-",
            "    if x:\n        y = x + x\n        return y\n\n",
            "",
        ),
        (
            "-     y = x + x\n-     return y\n-\n- y = x * 2\n+ y = 1",
            "        y = x + x\n        return y\n\n    y = x * 2\n",
            "    y = 1\n",
        ),
    ],
)
def test_one_place(lines, old, new):
    assert SOURCE.count(old) == 1
    assert change.apply(change.parse(lines.splitlines()), SOURCE) == SOURCE.replace(old, new)


def test_two_places():
    lines = ["- y = x * 2", "+ y = 2", "@@", "- y = x + x", "+ y = 1"]
    changed = SOURCE.replace("x * 2", "2").replace("x + x", "1")
    assert change.apply(change.parse(lines), SOURCE) == changed


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("- return y\n+ return x", "'return y' with the lines that follow occurs 2 times"),
        ("- return z\n+ return x", "'return z' with the lines that follow occurs 0 times"),
        ("- if x:\n- y = x + x", "'if x:' with the lines that follow occurs 0 times"),
        ("+ return x", "'a line to say where' with the lines that follow occurs 0 times"),
        ("-return y", "'-return y' begins with no '- ', '+ ' or two spaces: correct it"),
        ("return y", "'return y' begins with no"),
    ],
)
def test_what_does_not_fit_is_told(lines, told):
    with pytest.raises(ValueError, match=re.escape(told)):
        change.apply(change.parse(lines.splitlines()), SOURCE)
