"""What lateness costs: grace, late days, slip days, extensions, waivers, and the sentence told."""

import datetime
import re
from dataclasses import replace

import pytest
from checkout import syllabus
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_results import sample
from world import A1, COURSE, handed_in
from world_tables import cases

from grader import report
from grader.authoring.views import texts
from grader.classroom.receipt import Receipt, settled
from grader.classroom.roster import Roster
from grader.classroom.terms import Allowance, Terms
from grader.course.course import Course
from grader.course.course_facts import LatePolicy
from grader.course.course_file import CourseError
from grader.exchange import results_files
from grader.exchange.matching import unfinished
from grader.gradebook.course_grades import EXCUSED, course_grades
from grader.gradebook.lateness import lateness
from grader.gradebook.rules import late_policy
from grader.report import account
from grader.report.table import show_test, table

DAY, MINUTE = (datetime.timedelta(**{unit: 1}) for unit in ("days", "minutes"))
UNITS = {"d": "days", "m": "minutes", "s": "seconds"}
DELAYS = st.timedeltas(-3 * DAY, 9 * DAY)
TERMS = st.builds(
    Terms,
    due=st.none() | st.just(A1.due + 2 * DAY) | st.just(A1.due - DAY),
    more_days=st.integers(0, 4),
    waived=st.booleans(),
    excused=st.booleans(),
)
POLICIES = st.builds(LatePolicy, grace_minutes=st.integers(0, 90), slip_days=st.integers(0, 6))


def came(delay, assignment=A1):
    return (assignment.due + delay).isoformat()


def late(delay, terms="", slip_days=0, grace=0, clock="", **assignment):
    """Of a hand-in to assignment 1, changed so; `terms` is the cell of a roster."""
    spans = {UNITS[unit]: float(n) for n, unit in re.findall(r"(-?\d+)([dms])", delay)}
    own = Terms.read(terms, datetime.timezone.utc)
    policy = LatePolicy(grace_minutes=grace, slip_days=slip_days)
    a1 = A1.model_copy(update=assignment)
    return lateness(came(datetime.timedelta(**spans)), a1, own, policy, slip_days, clock)


def course(**late):
    """The course with another policy for late work."""
    return COURSE.model_copy(update={"late": LatePolicy(**late)})


GRADED = {id: sample("s01", id) for id in ("a1", "a2", "a4")}


# ---------------------------------------------------------------- one submission


@cases("submissions", "lateness.toml")
def test_what_a_delay_costs_and_what_is_said_of_it(delay, given, expected, sentences):
    found = late(delay, **given)
    assert {name: getattr(found, name) for name in expected} == expected
    assert [said for said in sentences if said not in found.sentence] == []
    assert found.sentence.endswith(".")


@cases("marked_by_canvas", "lateness.toml")
def test_what_canvas_marks_as_late_is_one_day_late_at_least(delay, terms, days):
    found = late(delay, terms, clock="canvas-late")
    assert (found.days, found.percent) == (days, 10.0 * days)
    assert "by the date of the file (Canvas marked it late)" in found.sentence
    assert ("1 day late" in found.sentence, "on time" in found.sentence) == (days == 1, not days)


@cases("clocks", "lateness.toml")
def test_a_time_counts_in_whichever_zone_it_is_written(received, days, percent):
    found = lateness(received or None, A1)
    assert (found.days, found.percent) == (days, percent)
    assert found.sentence.endswith(".")


@settings(max_examples=60)
@given(DELAYS, TERMS, POLICIES, st.integers(0, 6))
def test_a_penalty_is_a_share_and_no_budget_is_overdrawn(delay, terms, policy, left):
    found = lateness(came(delay), A1, terms, policy, left)
    assert 0 <= found.percent <= 100
    assert 0 <= found.slip_days <= min(found.days, left)
    assert found.slip_days + found.slip_days_left == left
    assert found.sentence.endswith(".")


@settings(max_examples=60)
@given(DELAYS, st.timedeltas(datetime.timedelta(0), 4 * DAY), TERMS, POLICIES)
def test_later_never_costs_less(delay, more, terms, policy):
    first, second = (
        lateness(came(d), A1, terms, policy, policy.slip_days) for d in (delay, delay + more)
    )
    assert first.days <= second.days
    assert first.percent <= second.percent


@settings(max_examples=60)
@given(DELAYS, TERMS, POLICIES)
def test_more_days_slip_days_or_grace_never_cost_more(delay, terms, policy):
    def percent(terms, policy):
        return lateness(came(delay), A1, terms, policy, policy.slip_days).percent

    now = percent(terms, policy)
    assert percent(replace(terms, more_days=terms.more_days + 1), policy) <= now
    for field in ("grace_minutes", "slip_days"):
        more = policy.model_copy(update={field: getattr(policy, field) + 1})
        assert percent(terms, more) <= now


# ---------------------------------------------------------------- a class


def class_of(student, delays, **fields):
    """One result for each assignment in `delays`, late by so much."""
    return [
        handed_in(
            result=GRADED[id].model_copy(update={"student": student, **fields}),
            received=came(delay, COURSE.assignment(id)),
        )
        for id, delay in delays.items()
    ]


def test_slip_days_are_spent_in_the_order_of_due_dates():
    results = class_of("ada", {"a4": DAY, "a1": 2 * DAY, "a2": DAY})
    results += class_of("ben", {"a4": DAY})
    found = late_policy.applied(results, course(slip_days=3), {})
    spent = {(r.student, r.assignment): (r.late.slip_days, r.late.percent) for r in found}
    assert spent == {
        ("ada", "a1"): (2, 0),
        ("ada", "a2"): (1, 0),
        ("ada", "a4"): (0, 10),
        ("ben", "a4"): (1, 0),
    }
    assert [r.submission for r in found] == [r.submission for r in results]
    assert "Slip days left: 2 of 3." in found[3].late.sentence


def test_slip_days_and_grace_of_ones_own_count_over_the_courses():
    results = class_of("ada", {"a1": 2 * DAY, "a2": 30 * MINUTE})
    results += class_of("ben", {"a1": DAY})
    own = {"ada": Allowance(slip_days=2, grace_minutes=60), "ben": Allowance(slip_days=0)}
    found = late_policy.applied(results, course(slip_days=1), {}, own)
    assert [(r.late.slip_days, r.late.percent) for r in found] == [(2, 0), (0, 0), (0, 10)]
    assert "within the grace period of 60 minutes" in found[1].late.sentence
    assert "Slip days left: 0 of 2, set for this student." in found[1].late.sentence
    page = report.render_student(found[0], COURSE)
    assert "Grace period: 60 minutes, set for this student." in page
    assert found[2].late.sentence.endswith("Slip days left: 0 of 0, set for this student.")
    nobody_has = late_policy.applied(results, course(slip_days=0), {}, own)
    assert "slip days" not in nobody_has[2].late.sentence, "nothing is said of 0 of 0"


def test_a_price_of_ones_own_counts_over_every_assignments():
    results = class_of("ada", {"a1": 2 * DAY, "a2": DAY}) + class_of("ben", {"a1": DAY})
    own = {"ada": Allowance(late_penalty_percent=4), "ben": Allowance(late_penalty_percent=0)}
    found = late_policy.applied(results, course(slip_days=0), {}, own)
    assert [r.late.percent for r in found] == [8, 4, 0]
    page = report.render_student(found[0], COURSE)
    assert "8 % of the points are deducted. A late day costs 4 %, set for this student." in page


def test_a_due_date_of_ones_own_changes_the_order():
    results = class_of("ada", {"a1": 30 * DAY, "a2": DAY})
    terms = {("ada", "a1"): Terms(more_days=29)}
    found = late_policy.applied(results, course(slip_days=1), terms)
    assert [r.late.slip_days for r in found] == [0, 1]


def test_a_submission_without_points_spends_no_slip_day():
    results = class_of("ada", {"a1": DAY}, outcome="INVALID") + class_of("ada", {"a2": DAY})
    found = late_policy.applied(results, course(slip_days=1), {})
    assert [r.late.slip_days for r in found] == [0, 1]
    assert [r.late.slip_days_left for r in found] == [1, 0]


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from([*GRADED]), DELAYS),
    st.dictionaries(st.tuples(st.just("ada"), st.sampled_from(["a1", "a2"])), TERMS),
    POLICIES,
)
def test_nobody_spends_more_than_the_budget_and_applying_again_changes_nothing(
    delays, terms, policy
):
    course = COURSE.model_copy(update={"late": policy})
    found = late_policy.applied(class_of("ada", delays), course, terms)
    assert sum(r.late.slip_days for r in found) <= policy.slip_days
    for result in found:
        assert 0 <= result.totals.late_penalty <= result.totals.automatic + result.totals.bonus
        assert result.totals.excused == (result.totals.total is None) == result.late.excused
    assert late_policy.applied(found, course, terms) == found


def test_without_a_policy_or_terms_everything_is_as_before():
    results = class_of("ada", {"a1": 2 * DAY, "a2": -DAY})
    found = late_policy.applied(results, COURSE, {})
    assert [r.totals for r in found] == [r.totals for r in results]


def test_an_excused_student_is_shown_and_does_not_count():
    results = class_of("ada", {"a1": 9 * DAY}) + class_of("ben", {"a1": -DAY})
    found = late_policy.applied(results, COURSE, {("ada", "a1"): Terms(excused=True)})
    ada = found[0].totals
    assert (ada.automatic, ada.total, ada.late_penalty, ada.excused) == (88.0, None, 0, True)
    behind = (*report.render_pages(found, COURSE), *report.render_classes(found, COURSE))
    html = "\n".join([report.render(found, COURSE), *(text for _, text in behind)])
    assert "Excused: this assignment does not count." in html
    assert "<dt>Median total</dt><dd>98</dd>" in html
    pages = {result.student: report.render_student(result, COURSE) for result in found}
    more = [student for student, page in pages.items() if "more pending" in page]
    assert more == ["ben"], "nothing that ada waits for could count"
    assert "excused" in results_files.to_csv(found, COURSE).splitlines()[1]
    assert table(found, 80).plain.splitlines()[1].split()[2] == "excused"
    assert show_test(found[0], "1.4")
    assert " ".join(account.text(found[0], A1).split()).count("total excused of 100") == 1
    [left, _] = course_grades(found, COURSE, Roster(), {}, so_far=True)
    assert left.marks["a1"] == EXCUSED, "also once ada has left the class"
    assert unfinished({("ada", "a1"): found[0]}) == []


def test_students_read_of_slip_days_where_the_due_date_is():
    assert "slip day" not in texts.readme(COURSE, A1)
    assert "You have 2 slip days for the whole course" in texts.readme(course(slip_days=2), A1)


def test_times_are_told_in_the_courses_own_zone(tmp_path):
    def in_zone(name):
        facts = ('timezone = "UTC"', f'timezone = "{name}"')
        return Course.load(syllabus(tmp_path, lambda text: text.replace(*facts)))

    course = in_zone("Asia/Tokyo")
    late = lateness("2027-02-07T20:00:00Z", course.assignment("a1"))
    said = "Received 8 February 2027, 05:00 JST, on time (due 9 February 2027, 08:59 JST)"
    assert said in late.sentence
    page = report.render_student(sample(), course)
    assert "JST" in page
    assert "UTC" not in page
    assert "JST" in texts.readme(course, course.assignment("a1"))
    summer = datetime.datetime.fromisoformat("2027-10-30T23:59:00+02:00")
    terms = Terms(due=summer, more_days=1)
    late = lateness("2027-10-31T22:30:00Z", in_zone("Europe/Berlin").assignment("a1"), terms)
    assert "on time (due 31 October 2027, 23:59 CET" in late.sentence, "though the day has 25 hours"
    with pytest.raises(CourseError, match="'Mars/Base' is not known here"):
        in_zone("Mars/Base")


# ---------------------------------------------------------------- clocks

CLOCKED = st.builds(
    Receipt, st.datetimes(timezones=st.just(datetime.timezone.utc)),
    st.sampled_from(["list", "git", "nbgrader", "canvas", "canvas-late", "file", ""]),
)  # fmt: skip


@settings(max_examples=60)
@given(CLOCKED, st.lists(CLOCKED))
def test_reading_the_same_bytes_again_never_lowers_the_trust_in_their_time(new, known):
    found = settled(new, known)
    assert found.trust == max(receipt.trust for receipt in [new, *known])
    before = [receipt for receipt in known if receipt.trust == found.trust]
    if found.copied and before:
        assert found == before[-1], "a copy changes no time that is known"
    elif new.trust == found.trust and not before:
        assert found == new
