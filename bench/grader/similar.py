"""How often `course similar` finds a disguised copy, and how often it accuses independent work."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from autograder.demo import disguises
from grader.authoring import results_file
from grader.authoring.proof import cases
from grader.authoring.views import notebooks
from grader.course import mistakes
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.library.components import Component
from grader.similarity import compare
from grader.similarity.own_work import Handout, Work

NAME = "bench_similar"


@dataclass
class _Found:
    """One count: 100 for found and 0 for not, or a share in percent."""

    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, value: float) -> None:
        self.values.setdefault(name, []).append(100 * value)


def run(course: Course, assignments: Sequence[str], log: Callable[[str], None]) -> dict[str, Any]:
    """Measure and write `results/bench_similar.json`; returns the measures; some minutes.

    Independent work: the correct variants of each assignment, as one class, with three untouched
    starters. `highest_*` are the closest of these pairs with nothing left out as common, an
    assignment each. Copies: each variant copied by a student of this class, in each disguise.
    Mistakes: every fourth named bug in the course's own solution, compared with that solution.
    """
    found, digest = _Found(), hashlib.sha256()
    for assignment in (course.assignment(id) for id in assignments):
        log(f"{assignment.id}: {assignment.title}")
        handout = Handout.of(course, assignment)
        maker = _Maker(course, assignment, handout)
        authors = {v.name: v.replace for v in cases.variants(assignment)}
        digest.update(repr(sorted(authors.items())).encode())
        own = [maker.work(name, sources) for name, sources in authors.items()]
        solution = maker.solution
        _independent(found, maker, own, solution)
        for disguise in disguises.ALL:
            for name, sources in authors.items():
                copy = maker.work("copy", disguise(sources))
                named = _named(compare.suspicious([*own, copy], solution))
                found.add(f"found_{disguise.__name__}", {"copy", name} in named)
        for bug in mistakes.load(assignment)[::4]:
            wrong = maker.work(bug.name, {**maker.reference, bug.component: _source(bug)})
            found.add("found_solution_with_a_mistake", compare.compared(wrong, solution).suspicious)
    measures = {
        name: results_file.measure("percent", values) for name, values in found.values.items()
    }
    command = "course bench similar"
    if len(assignments) < len(course.assignments):
        command += f" --assignments {','.join(assignments)}"
    data = {
        "name": f"correct variants and named bugs of {', '.join(assignments)}",
        "source": "variants and named mistakes of all assignments",
        "sha256": digest.hexdigest(),
    }
    results_file.write(NAME, command, measures, data)
    return measures


def _independent(found: _Found, maker: "_Maker", own: list[Work], solution: Work) -> None:
    """Pairs of independent work, pairs with untouched starters, and each one with the solution."""
    starters = [maker.work(f"starter {number}", {}) for number in range(3)]
    named = _named(compare.suspicious([*own, *starters], solution))
    for first, second in combinations([*own, *starters], 2):
        kind = "starters" if second in starters else "independent"
        found.add(f"accused_{kind}", {first.student, second.student} in named)
    for work in own:
        found.add("accused_beside_solution", {work.student, compare.SOLUTION} in named)
    pairs = [compare.compared(a, b, solution.fingerprints) for a, b in combinations(own, 2)]
    beside = [compare.compared(work, solution) for work in own]
    for kind, of in (("independent", pairs), ("beside_solution", beside)):
        enough = compare.LEAST
        exercises = [overlap for pair in of for overlap in pair.exercises.values()]
        found.add(f"highest_{kind}", max(pair.whole.share for pair in of))
        shares = [overlap.share for overlap in exercises if overlap.shared >= enough]
        found.add(f"highest_exercise_{kind}", max(shares, default=0.0))


def _named(pairs: list[compare.Pair]) -> list[set[str]]:
    return [{pair.first.student, pair.second.student} for pair in pairs]


def _source(bug: mistakes.Bug) -> str:
    return bug.apply(Component.parse(bug.component).source)


@dataclass(frozen=True)
class _Maker:
    """Makes submissions of one assignment from sources."""

    course: Course
    assignment: Assignment
    handout: Handout

    @property
    def reference(self) -> dict[str, str]:
        components = [c for e in self.assignment.exercises for c in e.components]
        return {component: Component.parse(component).source for component in components}

    @property
    def solution(self) -> Work:
        return self.work(compare.SOLUTION, self.reference)

    def work(self, student: str, sources: dict[str, str]) -> Work:
        """A starter in which these components are written."""
        built = notebooks.build(self.course, self.assignment, "starter", sources)
        return self.handout.work(student, notebooks.dump(built).encode())
