"""`course prove` reports what does not hold, and can prove a part only."""

import dataclasses
import json

import in_process

from grader.authoring import results_file
from grader.authoring.proof import cases, prove, run, summary
from grader.authoring.proof.prove import local_worker
from grader.cli import main
from grader.course.course import Course


def proven(case):
    found = [*prove.prove(case, "local", local_worker)]
    return found + [*prove.under_seeds(case, "local", local_worker, [7])]


def test_a_bug_that_is_not_caught_is_told():
    case = next(c for c in cases.of(Course.here().assignment("a1")) if c.bug)
    assert not any(outcome.wrong for outcome in proven(case))
    harmless = dataclasses.replace(case.bug, replace=case.bug.find)
    told = {o.claim: o.wrong for o in proven(dataclasses.replace(case, bug=harmless))}
    assert "passes" in told[prove.CLAIMS["bug"]]
    assert "passes" in told[prove.EVERY_SEED]
    other = dataclasses.replace(case.bug, name="no_such_mistake", sentence="what no test says")
    told = {o.claim: o.wrong for o in proven(dataclasses.replace(case, bug=other))}
    assert "it is not named" in told[prove.CLAIMS["bug"]]
    assert "does not name it" in told[prove.EVERY_SEED]


def test_a_wrong_answer_called_correct_is_told():
    case = next(c for c in cases.of(Course.here().assignment("a1")) if c.bug)
    called = dataclasses.replace(case, kind="variant")
    assert "expected" in prove.claims.everything(prove.graded(called, local_worker))


def test_the_command_proves_one_exercise():
    arguments = ["prove", "--exercise", "1.2", "--backend", "local", "--seeds", "3", "--json"]
    done = in_process.run(main, *arguments)
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    wanted = {
        c.name
        for c in cases.of(Course.here().assignment("a1"))
        if c.bug and c.bug.exercise == "1.2"
    }
    assert {o["case"] for o in outcomes} == wanted
    assert {o["seed"] for o in outcomes if o["claim"] == prove.EVERY_SEED} == {3}
    assert len(outcomes) == 3 * len(wanted)


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
