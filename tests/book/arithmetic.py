"""Finds calculations in a text's formulas, `$10 \\cdot 0.75 = 7.5$`, and computes both sides."""

import ast
import math
import re
from collections.abc import Iterator

MATH = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+(?:\n[^$\n]+)*)\$", re.DOTALL)
CODE = re.compile(
    r"^(`{3,})\{?(?:code-cell|python|text|bash|toml).*?^\1$", re.DOTALL | re.MULTILINE
)
RELATION = re.compile(r"\\approx|=")
PIECES = re.compile(r"\\\\|\\qquad|\\quad|&|\\Rightarrow|;|(?<![\\{])(?:(?<!\d),|,(?!\d))")
MANTISSA = re.compile(r"(-?\d+)(?:\.(\d+))?(?: ?\\cdot 10\^\{?(-?\d+)\}?)?")
FUNCTIONS = {"ln": math.log, "sqrt": math.sqrt, "exp": math.exp, "sin": math.sin, "cos": math.cos}
RULES = (
    (r"\{,\}|(?<=\d)\\,(?=\d{3})", ""),  # between thousands
    (r"\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
    (r"\\[td]?frac(\d)(\d)", r"(\1/\2)"),
    (r"\\sqrt\{([^{}]*)\}|\\sqrt ?(\d+(?:\.\d+)?)", r"sqrt(\1\2)"),
    (r"\\(ln|sin|cos)\\?,? ?(\d+(?:\.\d+)?)", r"\1(\2)"),
    (r"\be\^\{([^{}]*)\}|\be\^(\d)", r"exp(\1\2)"),
    (r"\^\{([^{}]*)\}", r"**(\1)"),
    (r"\^(\d)", r"**\1"),
    (r"\\cdot|\\times", "*"),
    (r"\\left|\\right|\\[,;! ]", " "),
)


def python(formula: str) -> str | None:
    """A formula of numbers as a Python expression; None: it has letters or is nothing."""
    text = formula.strip().rstrip(".,:")
    for _ in range(2):  # a root within a fraction, a fraction within a root
        for pattern, made in RULES:
            text = re.sub(pattern, made, text)
    if not re.search(r"\d", text) or re.search(r"[\\{}_|\[\]]", text):
        return None
    if set(re.findall(r"[A-Za-z]+", text)) - FUNCTIONS.keys():
        return None
    return text


def value(formula: str) -> float | None:
    """What a formula of numbers comes to; None: it is none."""
    text = python(formula)
    if text is None:
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval")
        found = eval(compile(tree, "formula", "eval"), {**FUNCTIONS, "__builtins__": {}})
    except (SyntaxError, TypeError, ValueError, ZeroDivisionError):
        return None
    return float(found) if isinstance(found, int | float) else None


def step(formula: str) -> float:
    """Half a unit of the last digit of a number that is written out; else a thousandth."""
    written = MANTISSA.fullmatch(formula.strip().rstrip(".,:").replace("{,}", ""))
    if written is None:
        return 1e-3 * max(abs(value(formula) or 0), 1)
    _, decimals, power = written.groups()
    return 0.5 * 10 ** (int(power or 0) - len(decimals or "")) * (1 + 1e-9)


def calculations(text: str) -> Iterator[tuple[str, float, float, float]]:
    """Of every calculation: how it is written, what its left side gives, its right side, the room.

    An integer after `=` leaves no room; other numbers are right up to their last digit.
    """
    for found in MATH.finditer(CODE.sub("", text)):
        formula = found[1] or found[2]
        for piece in PIECES.split(formula):
            sides, signs = RELATION.split(piece), RELATION.findall(piece)
            for sign, left, right in zip(signs, sides, sides[1:], strict=False):
                one, other = value(left), value(right)
                if one is None or other is None:
                    continue
                whole = re.fullmatch(r"-?\d+", right.strip().rstrip(".,:"))
                room = 1e-9 if whole and sign == "=" else step(right)
                yield f"{left.strip()} {sign} {right.strip()}", one, other, room
