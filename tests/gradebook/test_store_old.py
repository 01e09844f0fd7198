"""A results store that an earlier version wrote opens, and every grade in it stays."""

from __future__ import annotations

import json
import shutil

import pytest
from checkout import ROOT

from grader.cli.records import results
from grader.course.course import Course
from grader.gradebook.store import Store, key_of

DATA = ROOT / "tests/gradebook/old_store"
OLD = json.loads((DATA / "old_store_totals.json").read_text(encoding="utf-8"))
BY_DATES = {"late_days", "late_penalty", "total"}  # of the due dates that course.toml has now


@pytest.fixture
def store(tmp_path):
    shutil.copy(DATA / "old_store.sqlite", tmp_path / "results.db")
    with Store(tmp_path / "results.db") as opened:
        yield opened


def by_name(found):
    return {f"{result.student} {result.assignment}": result for result in found}


def points(result):
    return {exercise.id: exercise.points for exercise in result.exercises}


def test_every_stored_grade_is_what_it_was(store):
    found = by_name(store.latest())
    assert found.keys() == OLD["stored"].keys()
    for name, old in OLD["stored"].items():
        new = found[name]
        assert points(new) == old["exercises"], name
        assert (new.outcome, new.graded_at) == (old["outcome"], old["graded_at"])
        assert new.submission.sha256 == old["submission_sha256"]
        assert new.suite_sha256 == old["suite_sha256"]
        assert new.totals.model_dump() == old["totals"], name


def test_marks_overrides_and_terms_count_as_they_did(store):
    found = by_name(results.counted_results(store, Course.here()))
    assert found.keys() == OLD["counted"].keys()
    for name, old in OLD["counted"].items():
        new = found[name]
        assert points(new) == old["exercises"], name
        assert {part.id: part.points for part in new.parts} == old["parts"]
        assert [override.as_json() for override in new.overrides] == old["overrides"]
        totals = new.totals.as_json()
        for key in old["totals"].keys() - BY_DATES:
            assert totals[key] == old["totals"][key], (name, key)
        before = old["totals"]["total"] + old["totals"]["late_penalty"]
        assert totals["total"] + totals["late_penalty"] == pytest.approx(before)


def test_a_grading_with_the_same_key_finds_it(store):
    for result in store.latest():
        found = store.find(key_of(result))
        assert found == result
        assert not store.add(result), "nothing is appended for a grade that is there"
