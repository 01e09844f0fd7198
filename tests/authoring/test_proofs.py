"""The grader is proven by known submissions, through both backends of the seam.

In every run: those of assignment 1 whole, and one named bug of every third exercise. Before
anything lands (`make long`): those of all assignments, and every named bug in its exercise. `course
prove` makes the whole cross product.
"""

import dataclasses
import json

import in_process
import proofs
import pytest
from no_shape_checks import no_shape_checks

from grader.authoring import results_file
from grader.authoring.proof import cases, claims, margins, prove, run, summary
from grader.checking.session import PASSED
from grader.cli import main
from grader.course import mistakes
from grader.course.course import Course
from grader.judge import mistaken
from grader.judge.workers.local import local_worker
from grader.library.components import Component

IDS = ("a1", "a2", "a3", "a4", "a5")
CASES = [case for id in IDS for case in cases.of(proofs.COURSE.assignment(id))]
BUGS = [case for case in CASES if case.kind == "bug"]
VARIANTS = [case for case in CASES if case.kind == "variant"]
WHOLE = [case for case in CASES if case.kind in ("reference", "starter")]
FIRST = list({case.assignment: case for case in reversed(BUGS)}.values())  # of an assignment
FIRST_VARIANTS = list({case.assignment: case for case in reversed(VARIANTS)}.values())
WATCHED = "quads_and_nan classes_and_hooks complex_waves double_precision numpy_tables".split()
OF_OWN_PRECISION = [case for case in VARIANTS if case.name in WATCHED]  # of each assignment one
RIGHT_FORMS = [case for case in VARIANTS if case.name == "right_form"]  # all answers come from them
OF_EXERCISE = {
    e: [c for c in BUGS if c.bug.exercise == e] for e in {c.bug.exercise: 0 for c in BUGS}
}
NAMED = [pytest.param(found[:1], id=exercise) for exercise, found in OF_EXERCISE.items()][1::3]
NAMED += [
    pytest.param(found, id=f"{exercise} whole", marks=pytest.mark.long)
    for exercise, found in OF_EXERCISE.items()
]


def through(backend, given):
    """Parameters of a test; what needs the same warm process stays on one test process."""
    return [
        pytest.param(
            case,
            backend,
            id=f"{case.assignment}-{case.name}-{backend}",
            marks=[pytest.mark.xdist_group(case.assignment)] * (backend == "sandbox")
            + [pytest.mark.long] * (case.assignment != "a1"),
        )
        for case in given
    ]


def through_both(given):
    return through("local", given) + through("sandbox", given)


# a test of its own through each backend, on assignment 1
ON_A1 = ["local", pytest.param("sandbox", marks=pytest.mark.xdist_group("a1"))]


@pytest.fixture(scope="module", autouse=True)
def quick():
    with no_shape_checks():
        yield


@pytest.fixture
def opened(sandbox):
    """What opens workers of a backend for an assignment."""
    return lambda backend, id: proofs.local_worker if backend == "local" else sandbox(id)


@pytest.fixture
def proven(record_property):
    """Counts a proof in the table that ends a test run; pytest-xdist carries it across."""

    def count(case, backend, claim, wrong):
        record_property("proven", [case.assignment, f"{claim} ({backend})", not wrong])
        assert not wrong, wrong

    return count


@pytest.mark.parametrize(("case", "backend"), through_both(WHOLE))
def test_a_reference_has_everything_and_a_starter_nothing(case, backend, opened, proven):
    result = prove.grade_case(case, opened(backend, case.assignment))
    claim = claims.nothing if case.kind == "starter" else claims.everything
    proven(case, backend, prove.CLAIMS[case.kind], claim(result))


@pytest.mark.parametrize(
    ("case", "backend"), through("sandbox", FIRST_VARIANTS) + through("local", RIGHT_FORMS)
)
def test_a_correct_variant_has_every_point_of_what_it_touches(case, backend, opened, proven):
    touched = case.affected(proofs.COURSE.assignment(case.assignment))
    result = prove.grade_case(case, opened(backend, case.assignment), touched)
    proven(case, backend, prove.CLAIMS["variant"], claims.everything(result))


@pytest.mark.parametrize(("case", "backend"), through("local", OF_OWN_PRECISION))
def test_a_correct_variant_is_far_from_every_tolerance(case, backend, proven):
    """The short form of `course margins`: every point, with a tenth of each tolerance at most."""
    seed = proofs.COURSE.assignment(case.assignment).seed
    found = margins.measured(margins.Task((case,), backend, (seed,)))
    proven(case, backend, prove.CLAIMS["variant"], "; ".join(found.wrong))
    assert found.margins, "no comparison was watched"
    assert not margins.too_wide(found.margins)


@pytest.mark.parametrize("given", NAMED)
def test_a_named_bug_of_an_exercise_fails_a_test_that_names_it(given, proven):
    for case in given:
        assignment = proofs.COURSE.assignment(case.assignment)
        how = {"exercises": [case.bug.exercise], "causes": mistaken.causes_of(assignment)}
        results = mistaken.run(assignment, case.bug, proofs.local_worker, **how)
        proven(case, "local", prove.CLAIMS["bug"], claims.caught(results, case.bug))
        proven(case, "local", prove.PRICED, claims.price(results, case.bug).unfair)
        proven(case, "local", prove.CONTAINED, prove.strays(case))
        if case.bug.pins:  # a fixed input that students know is not enough
            assert any(one.outcome != PASSED and not one.public for one in results), case.name


@pytest.mark.parametrize(("case", "backend"), through("sandbox", FIRST))
def test_a_named_bug_is_named_in_the_grade_of_its_exercise(case, backend, opened, proven):
    results = prove.asked(case, case.bug, opened(backend, case.assignment))
    proven(case, backend, prove.CLAIMS["bug"], claims.caught(results, case.bug))


@pytest.mark.parametrize("id", IDS)
def test_there_are_enough_bugs_and_variants(id):
    assert len([case for case in BUGS if case.assignment == id]) >= 30
    assert len([case for case in VARIANTS if case.assignment == id]) >= 4


@pytest.mark.parametrize("id", [*IDS, "exam"])
def test_the_right_forms_are_a_variant_of_every_component(id):
    """Also those that come from the reference of another assignment."""
    assignment = proofs.COURSE.assignment(id)
    last = cases.variants(assignment)[-1]
    assert last.name == "right_form"
    assert set(last.replace) == {c for e in assignment.exercises for c in e.components}
    assert not any("autograder" in source for source in last.replace.values())
    assert cases.variants(assignment)[-1] == last  # what is read is kept as it is


@pytest.mark.parametrize("id", IDS)
def test_every_exercise_has_bugs_and_they_belong_to_it(id):
    assignment = proofs.COURSE.assignment(id)
    owners = {c: e.id for e in assignment.exercises for c in e.components}
    assert {bug.exercise for bug in mistakes.load(Course.here().assignment(id))} == set(
        owners.values()
    )
    for bug in mistakes.load(Course.here().assignment(id)):
        assert owners[bug.component] == bug.exercise, bug.name


def changed(name, source):
    """The solution of assignment 1 with another `name`."""
    return proofs.notebook("a1", "solution", {f"course_lib.numpy_forms.attention:{name}": source})


@pytest.mark.parametrize("backend", ON_A1)
def test_a_mistake_upstream_is_counted_once(backend, opened):
    """Softmax without its axis spoils attention; attention's own points are carried through."""
    wrong = "def softmax(x, axis=-1):\n    e = np.exp(x - np.max(x))\n    return e / np.sum(e)\n"
    result = proofs.graded(changed("softmax", wrong), "a1", opened(backend, "a1"))
    entries = {entry.id: entry for entry in result.exercises}
    assert entries["1.1"].points < entries["1.1"].max_points
    assert entries["1.4"].points == entries["1.4"].max_points
    assert entries["1.4"].carried_through
    assert entries["1.4"].caused_by == ["1.1"]


@pytest.mark.parametrize("backend", ON_A1)
def test_an_unwritten_upstream_exercise_costs_only_itself(backend, opened):
    stub = Component.parse("course_lib.numpy_forms.attention:softmax").stub("A1.1: not written")
    result = proofs.graded(changed("softmax", stub), "a1", opened(backend, "a1"))
    lost = {e.id for e in result.exercises if e.status not in ("full", "pending")}
    assert lost == {"1.1"}


# `course prove` reports what does not hold, and can prove a part only.


def outcomes(case):
    return [*prove.prove(case, "local", local_worker, [7])]


def test_a_bug_that_is_not_caught_is_told():
    case = next(c for c in cases.of(Course.here().assignment("a1")) if c.bug)
    assert not any(outcome.wrong for outcome in outcomes(case))
    harmless = case.bug.model_copy(update={"change": ()})
    told = {o.claim: o.wrong for o in outcomes(dataclasses.replace(case, bug=harmless))}
    assert "passes" in told[prove.CLAIMS["bug"]]
    assert "passes" in told[prove.EVERY_SEED]
    other = case.bug.model_copy(update={"sentence": "what no test says"})
    other._name = "no_such_mistake"
    told = {o.claim: o.wrong for o in outcomes(dataclasses.replace(case, bug=other))}
    assert "it is not named" in told[prove.CLAIMS["bug"]]


def test_a_wrong_answer_called_correct_is_told():
    case = next(c for c in cases.of(Course.here().assignment("a1")) if c.bug)
    called = dataclasses.replace(case, kind="variant")
    assert "expected" in prove.claims.everything(prove.grade_case(called, local_worker))


def test_the_command_proves_one_exercise():
    arguments = ["prove", "--exercise", "1.2", "--backend", "local", "--seeds", "3", "--json"]
    done = in_process.run(main, *arguments)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    wanted = {
        c.name
        for c in cases.of(Course.here().assignment("a1"))
        if c.bug and c.bug.exercise == "1.2"
    }
    assert {o["case"] for o in told} == wanted
    assert {o["seed"] for o in told if o["claim"] == prove.EVERY_SEED} == {3}
    assert len(told) == 4 * len(wanted)


def test_only_the_whole_proof_is_a_result(tmp_path, monkeypatch):
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)
    course = Course.here()
    every = tuple(assignment.id for assignment in course.graded)
    assert run.Plan(every).is_whole(course)
    for part in ({"only_bugs": True}, {"backends": ("local",)}, {"seeds": (0,)}):
        assert not run.Plan(every, **part).is_whole(course)
    assert not run.Plan(every[:1]).is_whole(course)
    held = prove.Outcome("a1", "one", prove.EVERY_SEED, "local", 0, "", 0.5)
    failed = dataclasses.replace(held, seed=1, wrong="it passes")
    path = summary.write([held, failed], "course prove", 3.0)
    content = json.loads(path.read_text(encoding="utf-8"))
    measure = content["measures"][f"a1 {prove.EVERY_SEED} (local)"]
    assert (measure["values"], measure["seeds"], measure["unit"]) == ([1.0, 0.0], [0, 1], "of 1")
    assert content["failures"] == [str(failed)]
    assert content["measures"]["cpu_seconds"]["values"] == [1.0]
