"""Numbers and configurations as words of a sentence."""

from collections.abc import Sequence

from ..space import DEFAULT, Configuration
from ..trial import Row


def number(value: float | None, digits: int = 2) -> str:
    """12.30, −0.40; "not known" for None and for the ends of an infinite interval."""
    if value is None or value in (float("inf"), float("-inf")):
        return "not known"
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def signed(value: float, digits: int = 2) -> str:
    """+0.40, −0.40, 0.00"""
    text = number(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.,") else text


def interval(low: float, high: float) -> str:
    """[80.10, 82.30]"""
    if abs(low) == float("inf"):
        return "not known (one seed)"
    return f"[{number(low)}, {number(high)}]"


def amount(value: float) -> str:
    """Three digits of a time or size: 0.412, 41.2, 4,120."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return number(value, digits)


def amounts(row: Row, measures: Sequence[str]) -> list[str]:
    return [amount(row[name]) for name in measures]


def percent(share: float) -> str:
    """34 %, below 1 %, above 99 %"""
    if 0 < share < 0.01:
        return "below 1 %"
    return "above 99 %" if 0.99 < share < 1 else f"{100 * share:.0f} %"


def probability(p: float) -> str:
    """0.034, < 0.001; with more digits where rounding would hide a side of 5 %."""
    if p < 0.001:
        return "< 0.001"
    return f"{p:.4f}" if round(p, 3) == 0.05 else f"{p:.3f}"


def p_value(p: float) -> str:
    """p = 0.034, p < 0.001"""
    shown = probability(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def counted(count: int, name: str, plural: str = "") -> str:
    """1 trial, 2 trials"""
    return f"{count:,} {name if count == 1 else plural or name + 's'}"


def listed(items: Sequence[str]) -> str:
    """a, b and c"""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def level(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def changes(configuration: Configuration) -> str:
    """A configuration's changes to the default: "n_layers 4, dropout 0.3", or "the default"."""
    changed = [f"{f} {level(configuration[f])}" for f in DEFAULT if configuration[f] != DEFAULT[f]]
    return ", ".join(changed) or "the default"


def effect(row: Row) -> str:
    """A row of `sensitivity`: "`dropout` 0.3 (+0.40)"."""
    return f"`{row['factor']}` {level(row['level'])} ({signed(row['difference'])})"
