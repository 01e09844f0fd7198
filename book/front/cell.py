"""A page that shows a cell with a mistake, and below it what the check says in a notebook."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

from grader.authoring import course_build
from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.course import Course
from grader.library.components import Component

MISTAKE = "a1/scores_divided_by_d_k"
_DOCSTRING = re.compile(r'^ +""".*?"""\n', re.M | re.S)
CHECK = 'check("A1.3")'
PAGE = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>A check</title><style>
:root {{ color-scheme: light dark; }}
body {{ margin: 0; padding: 18px; font: 15px/1.45 system-ui, sans-serif;
  color: light-dark(#1b2330, #eceae4); background: light-dark(#fff, #171b21); }}
pre {{ margin: 0; font: 13.5px/1.45 "DejaVu Sans Mono", monospace; white-space: pre-wrap; }}
.in {{ margin: 0 0 12px; padding: 10px 12px; border: 1px solid light-dark(#d5d9df, #3a424e);
  border-radius: 4px; background: light-dark(#f6f7f9, #1f252d); }}
.out {{ margin: 0 0 14px 12px; }}
{light}
@media (prefers-color-scheme: dark) {{ {dark} }}
.in .highlight {{ background: none; }}
</style><body>{cells}</body></html>
"""


def page(course: Course, path: Path) -> Path:
    """Run the check in a kernel and write the page; returns its path."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    bug = mistakes.named(course, MISTAKE)
    source = bug.apply(Component.parse(bug.component).source)
    assignment = course.assignment(MISTAKE.partition("/")[0])
    notebook = notebooks.build(course, assignment, "solution", {bug.component: source})
    texts = ["".join(cell["source"]) for cell in notebook["cells"]]
    del notebook["cells"][texts.index(CHECK) + 1 :]
    executed = course_build.run(notebook, assignment.folder)
    checked = executed["cells"][-1]

    def shown(code: str) -> str:
        return f'<div class="in">{highlight(code, PythonLexer(), HtmlFormatter())}</div>'

    outputs = "".join(map(_output, checked["outputs"]))
    text = PAGE.format(
        light=HtmlFormatter(style="default").get_style_defs(".highlight"),
        dark=HtmlFormatter(style="github-dark").get_style_defs(".highlight"),
        cells=f'{shown(_DOCSTRING.sub("", source))}{shown(CHECK)}<div class="out">{outputs}</div>',
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _output(output: dict[str, Any]) -> str:
    """The part of an output that a notebook shows: its HTML, or its text."""
    data = output.get("data", {})
    if html := data.get("text/html"):
        return "".join(html)
    return f"<pre>{escape(''.join(output.get('text', data.get('text/plain', ''))))}</pre>"
