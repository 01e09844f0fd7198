"""The colors of drawings: roles, each with its colors on a light and on a dark page.

An element has the light colors as attributes and its role as a class. The style sheet sets the
dark ones, so a viewer that ignores style sheets shows the light drawing, on its own light paper.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Role:
    """The fill and the stroke of one kind of element; "none" where it has no such paint."""

    fill: str
    stroke: str
    dark_fill: str
    dark_stroke: str


ROLES = {
    "paper": Role("#ffffff", "#d5d9df", "#171b21", "#3a424e"),
    "plain": Role("#ffffff", "#6b7280", "#171b21", "#98a1ae"),
    "grey": Role("#eceff3", "#6b7280", "#2a313b", "#98a1ae"),
    "blue": Role("#d9eafa", "#0b62a4", "#14344f", "#6fb1ea"),
    "orange": Role("#fde3cd", "#b34700", "#4a2c14", "#f5a05c"),
    "green": Role("#d5f0e2", "#00694a", "#113a2c", "#5cc79a"),
    "purple": Role("#eee0f6", "#74398f", "#3a2449", "#cf9be0"),
    "open": Role("#0b62a4", "#ffffff", "#6fb1ea", "#171b21"),
    "line": Role("none", "#3f4854", "none", "#b9c0ca"),
    "head": Role("#3f4854", "none", "#b9c0ca", "none"),
    "way": Role("none", "#b34700", "none", "#f5a05c"),
    "tip": Role("#b34700", "none", "#f5a05c", "none"),
    "ink": Role("#1b2330", "none", "#eceae4", "none"),
    "quiet": Role("#565f6e", "none", "#aab2bd", "none"),
}


DARK = "@media(prefers-color-scheme:dark)"  # where the style sheet's colors count


def attributes(role: str) -> str:
    """The class of a role, and its light colors as attributes."""
    paint = ROLES[role]
    stroke = "" if paint.stroke == "none" else f' stroke="{paint.stroke}"'
    return f'class="{role}" fill="{paint.fill}"{stroke}'


def style(used: set[str]) -> str:
    """The style sheet: the dark colors of the used roles, only inside drawings of this course."""
    rules = []
    for role, paint in ROLES.items():
        if role in used:
            fill = "" if paint.dark_fill == "none" else f"fill:{paint.dark_fill};"
            stroke = "" if paint.dark_stroke == "none" else f"stroke:{paint.dark_stroke}"
            rules.append(f".course-drawing .{role}{{{fill}{stroke}}}")
    return f"<style>{DARK}{{{''.join(rules)}}}</style>"
