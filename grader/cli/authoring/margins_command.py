"""`course margins`: how much of each test's tolerance a correct answer uses."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from grader.course.course import Course

from ...course.course_file import shown
from .. import EXIT_FOUND, EXIT_OK, lookup
from .authoring_options import Margins

NAME = "margins"


def run(options: Margins) -> int:
    """Print which margins are too wide; exit 1 if any is, or if a right answer loses points."""
    from ...authoring.proof import margins

    course, assignment, quick = Course.here(), options.assignment, options.quick
    assignments = [lookup.assignment(course, assignment)] if assignment else course.graded
    ids = tuple(a.id for a in assignments)
    settings = (margins.AS_IT_IS,) if quick else margins.SETTINGS
    started = time.monotonic()
    found: dict[str, margins.Margins] = {}
    wrong: list[str] = []
    gradings = 0
    for setting in settings:
        mine: margins.Margins = {}
        for part in margins.run(ids, setting, options.jobs, quick):
            margins.merge(mine, part.margins)
            wrong += [f"{setting.name}: {line}" for line in part.wrong]
            gradings += part.gradings
        wrong += [f"{setting.name}: {line}" for line in margins.too_wide(mine)]
        found[setting.name] = mine
        worst = max((margin.ratio for margin in mine.values()), default=0.0)
        took = time.monotonic() - started
        print(f"{setting.name}: worst {worst:.3f}, {took:.0f} s", file=sys.stderr)
    content = _measures(found, gradings)
    if options.json:
        print(json.dumps({"measures": content, "failures": wrong}))
    else:
        print("\n".join(wrong or [f"no margin is too wide, in {gradings} gradings"]))
    if not quick and assignment is None:
        print(f"written to {_write(content, wrong)}", file=sys.stderr)
    return EXIT_FOUND if wrong else EXIT_OK


def _measures(found: dict[str, Any], gradings: int) -> dict[str, Any]:
    """The worst ratio of each test under each setting; "worst" is that of all tests."""
    from grader.authoring.results_file import measure

    measures: dict[str, Any] = {}
    everything = [max((m.ratio for m in mine.values()), default=0.0) for mine in found.values()]
    names = list(found)
    unit = "of the tolerance, one value per setting"
    measures["worst"] = measure(unit, everything) | {"settings": names}
    for key in sorted({key for mine in found.values() for key in mine}):
        present = [name for name in names if key in found[name]]
        ratios = [found[name][key].ratio for name in present]
        also = {} if present == names else {"settings": present}
        measures[" ".join(key)] = measure(unit, ratios) | also
    measures["gradings"] = measure("submissions graded", [float(gradings)])
    return measures


def _write(measures: dict[str, Any], wrong: list[str]) -> Path:
    from grader.authoring import results_file

    from ...authoring.proof.summary import digest

    course = Course.here()
    sources = [course.root / assignment.source for assignment in course.graded]
    kinds = ("variants/*.py", "reference.py")
    variants = (p for a in course.graded for kind in kinds for p in sorted(a.hidden.glob(kind)))
    data = {
        "name": "references and correct variants of all assignments",
        "source": "solutions and variants of all assignments",
        "sha256": digest([*sources, *variants]),
    }
    path = results_file.write(NAME, "course margins", measures, data, also={"failures": wrong})
    return Path(shown(path))
