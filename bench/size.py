"""How much there is to hold: lines and files of Python in each building.

What `results/bench_size.json` says is a budget: no building may grow by more than 2 % without this
being run again, and committed with a reason.
"""

from pathlib import Path

from bench.record import Log, Measures
from grader.authoring import results_file
from grader.course.course import Course

NAME = "bench_size"
BUILDINGS = "course_lib course_study grader autograder assignments bench book tests".split()


def run(log: Log) -> Measures:
    """Count them, and write `results/bench_size.json`."""
    found = sizes(Course.here().root)
    measures = {
        f"{building}_{unit}": results_file.measure(unit, [count])
        for building, counts in found.items()
        for unit, count in counts.items()
    }
    about = {"name": "none", "source": "this checkout", "sha256": ""}
    results_file.write(NAME, "course bench size", measures, about)
    return measures


def sizes(root: Path) -> dict[str, dict[str, int]]:
    """Building → lines and files of Python in it."""
    found = {}
    for building in BUILDINGS:
        files = sorted((root / building).rglob("*.py"))
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
        found[building] = {"lines": lines, "files": len(files)}
    return found
