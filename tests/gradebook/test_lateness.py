"""What lateness costs: grace, late days, slip days, extensions, waivers, and the sentence told."""

import datetime
from dataclasses import replace

import pytest
from checkout import syllabus
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_results import COURSE, sample

from grader import report
from grader.authoring.views import texts
from grader.classroom.receipt import Receipt, settled
from grader.classroom.roster import Roster
from grader.classroom.terms import Allowance, Terms
from grader.course.course import Course, LatePolicy
from grader.course.course_file import CourseError
from grader.exchange import results_files
from grader.exchange.matching import unfinished
from grader.gradebook.course_grades import EXCUSED, course_grades
from grader.gradebook.lateness import lateness
from grader.gradebook.rules import late_policy
from grader.report import account
from grader.report.table import show_test, table

A1 = COURSE.assignment("a1")
DAY, MINUTE, SECOND = (datetime.timedelta(**{unit: 1}) for unit in ("days", "minutes", "seconds"))
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


def late(delay, terms=Terms(), slip_days=0, grace=0, assignment=A1, clock=""):  # noqa: B008
    policy = LatePolicy(grace_minutes=grace, slip_days=slip_days)
    return lateness(came(delay, assignment), assignment, terms, policy, slip_days, clock)


def course(**late):
    """The course with another policy for late work."""
    return COURSE.model_copy(update={"late": LatePolicy(**late)})


GRADED = {id: sample("s01", id) for id in ("a1", "a2", "a4")}


# ---------------------------------------------------------------- one submission


@pytest.mark.parametrize(
    ("delay", "days"),
    [
        (10 * MINUTE, 0),
        (10 * MINUTE + SECOND, 1),
        (DAY + 10 * MINUTE, 1),
        (DAY + 10 * MINUTE + SECOND, 2),
    ],
)
def test_the_grace_period_comes_before_every_late_day(delay, days):
    assert late(delay, grace=10).days == days


def test_what_canvas_does_not_mark_as_late_is_on_time():
    found = late(25 * DAY, clock="canvas")
    assert (found.days, found.percent) == (0, 0)
    assert "by the date of the file (Canvas did not mark it late), on time" in found.sentence


@pytest.mark.parametrize(
    ("delay", "terms", "days"),
    [
        (-2 * DAY, Terms(), 1),  # a date that copying or the platform made
        (-SECOND, Terms(), 1),
        (SECOND, Terms(), 1),
        (30 * MINUTE, Terms(), 1),
        (DAY + SECOND, Terms(), 2),
        # Canvas does not know a date of the student's own
        (-2 * DAY, Terms(more_days=2), 0),
        (DAY, Terms(more_days=2), 0),
        (3 * DAY, Terms(more_days=2), 1),
        (-2 * DAY, Terms(due=A1.due - 3 * DAY), 1),
        (-2 * DAY, Terms(due=A1.due), 1),
    ],
)
def test_what_canvas_marks_as_late_is_one_day_late_at_least(delay, terms, days):
    found = late(delay, terms, clock="canvas-late")
    assert (found.days, found.percent) == (days, 10.0 * days)
    assert "by the date of the file (Canvas marked it late)" in found.sentence
    assert ("1 day late" in found.sentence, "on time" in found.sentence) == (days == 1, not days)


@pytest.mark.parametrize(
    ("terms", "late_days", "slip_days", "grace", "percent"),
    [
        (Terms(waived=True), 3, 0, 0, 0),
        (Terms(excused=True), 3, 0, 0, 0),
        (Terms(), 3, 1, 0, 0),
        (Terms(), 0, 0, 0, 100),
        (Terms(), 3, 0, 60, 10),
    ],
)
def test_a_day_by_canvass_mark_costs_what_any_day_does(terms, late_days, slip_days, grace, percent):
    strict = A1.model_copy(update={"late_days": late_days})
    assert late(-DAY, terms, slip_days, grace, strict, "canvas-late").percent == percent


def test_slip_days_come_before_points():
    two = late(2 * DAY, slip_days=1)
    assert (two.days, two.slip_days, two.slip_days_left, two.percent) == (2, 1, 0, 10.0)
    all_covered = late(2 * DAY, slip_days=5)
    assert (all_covered.slip_days, all_covered.slip_days_left, all_covered.percent) == (2, 3, 0)


def test_slip_days_buy_nothing_after_the_last_allowed_day():
    closed = late(A1.late_days * DAY + SECOND, slip_days=5)
    assert (closed.percent, closed.slip_days, closed.slip_days_left) == (100.0, 0, 5)


def test_slip_days_are_not_spent_where_lateness_costs_nothing():
    free = A1.model_copy(update={"late_penalty_percent": 0.0})
    assert late(2 * DAY, slip_days=5, assignment=free).slip_days == 0
    assert late(2 * DAY, Terms(waived=True), slip_days=5).slip_days_left == 5


@pytest.mark.parametrize(
    ("delay", "terms", "days", "percent"),
    [
        (2 * DAY, Terms(more_days=2), 0, 0),
        (2 * DAY + SECOND, Terms(more_days=2), 1, 10),
        (DAY, Terms(due=A1.due - DAY), 2, 20),
        (DAY, Terms(due=A1.due - DAY, more_days=2), 0, 0),
        (30 * DAY, Terms(waived=True), 30, 0),
        (30 * DAY, Terms(excused=True), 0, 0),
    ],
)
def test_the_terms_of_a_student(delay, terms, days, percent):
    found = late(delay, terms)
    assert (found.days, found.percent) == (days, percent)


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


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        (
            {"delay": 2 * DAY, "slip_days": 1, "clock": "git"},
            "Received 10 February 2027, 23:59 UTC by its newest commit, 2 days late (due 8 "
            "February 2027, 23:59 UTC): a slip day covers one of them, and 10 % of the points are "
            "deducted for the rest.",
        ),
        ({"delay": 30 * SECOND}, "Received 8 February 2027, 23:59:30 UTC, 1 day late (due 8 "
         "February 2027, 23:59:00 UTC)"),
        ({"delay": DAY, "slip_days": 9}, "1 day late (due 8 February 2027, 23:59 UTC): a slip day "
         "covers it, and nothing is deducted."),
        ({"delay": 3 * DAY, "slip_days": 2}, "2 slip days cover 2 of them, and 10 % of the"),
        ({"delay": 3 * DAY, "slip_days": 3}, "3 slip days cover them, and nothing is deducted."),
        ({"delay": 5 * MINUTE, "grace": 10}, "within the grace period of 10 minutes (due 8 Feb"),
        ({"delay": DAY, "terms": Terms(more_days=2)}, "on time (due 10 February 2027, 23:59 UTC, "
         "your own date)."),
        ({"delay": DAY, "terms": Terms(waived=True)}, "The lateness is waived, so nothing is"),
        ({"delay": DAY, "terms": Terms(excused=True)}, "Excused: this assignment does not count."),
        ({"delay": -DAY, "clock": "file"}, "Received 7 February 2027, 23:59 UTC by the date of the"
         " file, on time"),
    ],
)  # fmt: skip
def test_the_sentence_says_what_counted(facts, sentence):
    assert sentence in late(**facts).sentence


# ---------------------------------------------------------------- a class


def handed_in(student, delays, **fields):
    """One result for each assignment in `delays`, late by so much."""
    found = []
    for id, delay in delays.items():
        assignment, graded = COURSE.assignment(id), GRADED[id]
        came_in = {"received": came(delay, assignment)}
        facts = {"submission": graded.submission.model_copy(update=came_in), "student": student}
        found.append(graded.changed(assignment, **facts, **fields))
    return found


def test_slip_days_are_spent_in_the_order_of_due_dates():
    results = handed_in("ada", {"a4": DAY, "a1": 2 * DAY, "a2": DAY})
    results += handed_in("ben", {"a4": DAY})
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
    results = handed_in("ada", {"a1": 2 * DAY, "a2": 30 * MINUTE})
    results += handed_in("ben", {"a1": DAY})
    own = {"ada": Allowance(slip_days=2, grace_minutes=60), "ben": Allowance(slip_days=0)}
    found = late_policy.applied(results, course(slip_days=1), {}, own)
    assert [(r.late.slip_days, r.late.percent) for r in found] == [(2, 0), (0, 0), (0, 10)]
    assert "within the grace period of 60 minutes" in found[1].late.sentence
    assert "Slip days left: 0 of 2, set for this student." in found[1].late.sentence
    assert "Grace period: 60 minutes, set for this student." in report.render_student(
        found[0], COURSE
    )
    assert found[2].late.sentence.endswith("Slip days left: 0 of 0, set for this student.")
    nobody_has = late_policy.applied(results, course(slip_days=0), {}, own)
    assert "slip days" not in nobody_has[2].late.sentence, "nothing is said of 0 of 0"


def test_a_price_of_ones_own_counts_over_every_assignments():
    results = handed_in("ada", {"a1": 2 * DAY, "a2": DAY}) + handed_in("ben", {"a1": DAY})
    own = {"ada": Allowance(late_penalty_percent=4), "ben": Allowance(late_penalty_percent=0)}
    found = late_policy.applied(results, course(slip_days=0), {}, own)
    assert [r.late.percent for r in found] == [8, 4, 0]
    page = report.render_student(found[0], COURSE)
    assert "8 % of the points are deducted. A late day costs 4 %, set for this student." in page


def test_a_due_date_of_ones_own_changes_the_order():
    results = handed_in("ada", {"a1": 30 * DAY, "a2": DAY})
    terms = {("ada", "a1"): Terms(more_days=29)}
    found = late_policy.applied(results, course(slip_days=1), terms)
    assert [r.late.slip_days for r in found] == [0, 1]


def test_a_submission_without_points_spends_no_slip_day():
    results = handed_in("ada", {"a1": DAY}, outcome="INVALID") + handed_in("ada", {"a2": DAY})
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
    found = late_policy.applied(handed_in("ada", delays), course, terms)
    assert sum(r.late.slip_days for r in found) <= policy.slip_days
    for result in found:
        assert 0 <= result.totals.late_penalty <= result.totals.automatic + result.totals.bonus
        assert result.totals.excused == (result.totals.total is None) == result.late.excused
    assert late_policy.applied(found, course, terms) == found


def test_without_a_policy_or_terms_everything_is_as_before():
    results = handed_in("ada", {"a1": 2 * DAY, "a2": -DAY})
    found = late_policy.applied(results, COURSE, {})
    assert [r.totals for r in found] == [r.totals for r in results]


def test_an_excused_student_is_shown_and_does_not_count():
    results = handed_in("ada", {"a1": 9 * DAY}) + handed_in("ben", {"a1": -DAY})
    found = late_policy.applied(results, COURSE, {("ada", "a1"): Terms(excused=True)})
    ada = found[0].totals
    assert (ada.automatic, ada.total, ada.late_penalty, ada.excused) == (88.0, None, 0, True)
    behind = (*report.render_pages(found, COURSE), *report.render_classes(found, COURSE))
    html = "\n".join([report.render(found, COURSE), *(text for _, text in behind)])
    assert "Excused: this assignment does not count." in html
    assert "<dt>Median total</dt><dd>98</dd>" in html
    more = [
        result.student
        for result in found
        if "more pending" in report.render_student(result, COURSE)
    ]
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
    text = (COURSE.root / "course.toml").read_text(encoding="utf-8")
    path = syllabus(tmp_path, lambda text: text.replace('zone = "UTC"', 'zone = "Asia/Tokyo"'))
    course = Course.load(path)
    late = lateness("2027-02-07T20:00:00Z", course.assignment("a1"))
    assert "Received 8 February 2027, 05:00 JST, on time (due 9 February 2027, 08:59 JST)" in (
        late.sentence
    )
    page = report.render_student(sample(), course)
    assert "JST" in page
    path.write_text(text.replace('timezone = "UTC"', 'timezone = "Europe/Berlin"'), "utf-8")
    a1 = Course.load(path).assignment("a1")
    summer = datetime.datetime.fromisoformat("2027-10-30T23:59:00+02:00")
    late = lateness("2027-10-31T22:30:00Z", a1, Terms(due=summer, more_days=1))
    assert "on time (due 31 October 2027, 23:59 CET" in late.sentence, "though the day has 25 hours"
    assert "UTC" not in page
    assert "JST" in texts.readme(course, course.assignment("a1"))
    path.write_text(text.replace('timezone = "UTC"', 'timezone = "Mars/Base"'), encoding="utf-8")
    with pytest.raises(CourseError, match="'Mars/Base' is not known here"):
        Course.load(path)


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
