"""Draws the README's picture of the course from `course.toml`: its weeks and how it is built."""

from html import escape

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.course_facts import Week

WIDTH, MARGIN, GAP = 920, 20, 10
HEIGHT, WEEKS_END, TITLES = 530, 256, 190  # the picture, the weeks, and their assignments'
INK, SOFT, PAPER = "#1f2933", "#52606d", "#ffffff"
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#00785a", "#9aa5b1"  # color-blind safe

VIEWS = (
    ("starter notebook", "signature and docstring", BLUE),
    ("solution notebook", "the source, executed", BLUE),
    ("grader's copy", "graded parts removed", GREEN),
    ("named wrong answers", "the source, one mistake", ORANGE),
)


def draw(course: Course) -> str:
    """An SVG file's text."""
    parts = [_weeks(course), _making(WEEKS_END + 54)]
    title = escape(course.facts.title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-labelledby="t d" font-family="Helvetica, Arial, sans-serif" font-size="14">\n'
        f'<title id="t">{title}</title>\n'
        '<desc id="d">Above, the weeks with their lecture parts and assignments. Below, one '
        "library from which starters, solutions, the worker's copy and wrong answers are made, "
        "and the grader that they prove.</desc>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _weeks(course: Course) -> str:
    count = len(course.weeks)
    width = (WIDTH - 2 * MARGIN - (count - 1) * GAP) / count
    drawn = [_text(MARGIN, 30, "Week by week", 17, INK, bold=True)]
    left = [MARGIN + index * (width + GAP) for index in range(count)]
    for week, x in zip(course.weeks, left, strict=True):
        drawn += _week(course, week, x, width)
    for assignment in course.assignments:
        own = [
            x
            for week, x in zip(course.weeks, left, strict=True)
            if week.number in course.weeks_of(assignment)
        ]
        drawn += _assignment(assignment, own[0], own[-1] + width - own[0])
    return "\n".join(drawn)


def _week(course: Course, week: Week, x: float, width: float) -> list[str]:
    height = WEEKS_END - 46
    drawn = [_box(x, 46, width, height, GREY), _text(x + 10, 68, f"Week {week.number}", 14, SOFT)]
    y = 92.0
    for part in (p for p in course.parts if p.number in week.whole):
        for number, line in enumerate(_wrapped(f"{part.number} · {part.title}", width)):
            drawn.append(_text(x + 10 + 10 * (number > 0), y, line, 12, INK))
            y += 15
        y += 4
    return drawn


def _assignment(assignment: Assignment, x: float, width: float) -> list[str]:
    """A bar below the weeks in which it is worked on."""
    height = WEEKS_END - TITLES
    bar = f'<rect x="{x:g}" y="{TITLES}" width="{width:g}" height="{height}" rx="6" fill="{BLUE}"/>'
    lines = [f"Assignment {assignment.id[1:]}", *_wrapped(assignment.title, width)]
    texts = [_text(x + 10, TITLES + 16 + 15 * row, t, 12, PAPER) for row, t in enumerate(lines)]
    return [bar, *texts]


def _making(y: float) -> str:
    drawn = [_text(MARGIN, y, "One implementation, many views, one proven grader", 17, INK, True)]
    top = y + 18
    drawn += _named(MARGIN, top + 52, 190, 74, "course_lib", "the only implementation", INK)
    for index, (name, note, color) in enumerate(VIEWS):
        row = top + index * 45
        drawn.append(_arrow(MARGIN + 190, top + 89, 290, row + 19))
        drawn += _named(296, row, 220, 38, name, note, color)
    drawn += _named(600, top, 140, 83, "sandbox", "student's code", GREEN)
    drawn += _named(600, top + 100, 140, 73, "judge", "hidden suites", ORANGE)
    drawn.append(_arrow(655, top + 83, 655, top + 97))
    drawn.append(_arrow(685, top + 100, 685, top + 86))
    drawn.append(_text(700, top + 96, "arrays only", 11, SOFT))
    drawn.append(_arrow(516, top + 109, 596, top + 60))
    drawn.append(_arrow(516, top + 154, 596, top + 70))
    drawn.append(_arrow(740, top + 136, 782, top + 136))
    drawn += _named(786, top + 100, 114, 73, "report", "why, and hints", INK)
    return "\n".join(drawn)


def _named(
    x: float, y: float, width: float, height: float, name: str, note: str, color: str
) -> list[str]:
    middle = y + height / 2
    return [
        _box(x, y, width, height, color),
        _text(x + 12, middle - 3, name, 14, color, bold=True),
        _text(x + 12, middle + 13, note, 12, SOFT),
    ]


def _box(x: float, y: float, width: float, height: float, color: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" '
        f'fill="none" stroke="{color}" stroke-width="1.5"/>'
    )


def _text(x: float, y: float, text: str, size: int, color: str, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{color}"{weight}>{escape(text)}</text>'
    )


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line with a small arrowhead at its end."""
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    ux, uy = (x2 - x1) / length * 7, (y2 - y1) / length * 7
    head = f"{x2:g},{y2:g} {x2 - ux - uy / 2:.1f},{y2 - uy + ux / 2:.1f} "
    head += f"{x2 - ux + uy / 2:.1f},{y2 - uy - ux / 2:.1f}"
    line = f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{SOFT}"/>'
    return f'{line}<polygon points="{head}" fill="{SOFT}"/>'


def _wrapped(text: str, width: float) -> list[str]:
    """Lines that fit into a box of this width, with its margins, at 12 points."""
    most = (width - 20) / 5.3  # letters
    lines = [""]
    for word in text.split():
        if len(f"{lines[-1]} {word}".strip()) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
