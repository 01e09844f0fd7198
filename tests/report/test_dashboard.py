"""The dashboard: arithmetic against numbers worked out by hand, plain rules, a readable page."""

import math
import re

import numpy as np
import pytest
from sample_results import COURSE, sample
from test_report import BUG, CARRIED, Page, hostile
from world import A1, marks, with_parts

from grader.classroom.roster import Roster, Student
from grader.classroom.terms import Terms
from grader.course.visible import visible
from grader.gradebook import manual
from grader.report import render_dashboard
from grader.report.dashboard import box_plot, columns, dashboard, failed_tests, stack, whisker
from grader.report.early_warning import RULES, share, warnings
from grader.report.item_analysis import Discrimination, Spread, discrimination, items, spread
from grader.report.overview import unequal_marks
from grader.report.page import page_of

IDS = [assignment.id for assignment in COURSE.assignments]
NOBODY = Roster()
ALL = np.array([True, True])


def loses(share_lost, *exercises):
    """What `sample` needs to fail this share of the eight tests of each exercise."""
    return {id: [BUG] * round(8 * share_lost) for id in exercises}


# Item analysis


def test_discrimination_of_an_exercise_with_two_outcomes_is_the_point_biserial_correlation():
    # the mean elsewhere is 5 with the point and 3 without, its standard deviation √3:
    # (5 − 3) / √3 · √(½ · ½) = 1 / √3
    own = [0] * 5 + [1] * 5
    elsewhere = [1, 2, 3, 4, 5, 3, 4, 5, 6, 7]
    found, reason = discrimination(np.array([own, elsewhere], float).T, 0, ALL)
    assert reason == ""
    assert found.value == pytest.approx(1 / math.sqrt(3))
    # Fisher: atanh(0.57735) = 0.65848, ± 1.95996 / √(10 − 3) = 0.74080
    assert found.low == pytest.approx(math.tanh(0.658479 - 0.740797), abs=1e-5)
    assert found.high == pytest.approx(math.tanh(0.658479 + 0.740797), abs=1e-5)


def test_an_exercise_is_not_correlated_with_itself():
    rng = np.random.default_rng(0)
    points = rng.integers(0, 2, (2000, 2)).astype(float)
    found, _ = discrimination(points, 0, ALL)
    assert abs(found.value) < 0.1, "with itself in the total it would be 0.7"


def test_the_total_leaves_out_bonus_exercises_and_those_that_are_pending_for_somebody():
    own = [0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    same, opposite = own, own[::-1]
    half_marked = [math.nan, *opposite[1:]]
    for column, counts in ((opposite, False), (half_marked, True)):
        points = np.array([own, same, column]).T
        found, _ = discrimination(points, 0, np.array([True, True, counts]))
        assert found.value == pytest.approx(1)


@pytest.mark.parametrize(
    ("own", "elsewhere", "reason"),
    [
        (range(9), range(9), "fewer than 10 students"),
        ([*range(9), math.nan], range(10), "fewer than 10 students"),
        ([3] * 10, range(10), "everyone has the same points"),
        (range(10), [3] * 10, "everyone has the same points elsewhere"),
        ([8] * 29 + [0], [90] * 29 + [5], "fewer than 5 students have other points than most"),
        ([8] * 26 + [0] * 4, range(30), "fewer than 5 students have other points than most"),
    ],
)
def test_a_correlation_that_would_say_nothing_is_not_computed(own, elsewhere, reason):
    points = np.array([[*own], [*elsewhere]], float).T
    assert discrimination(points, 0, ALL) == (None, reason)


def test_difficulty_is_the_mean_share_of_the_points():
    results = [sample("s1"), sample("s2", failed=loses(0.5, "1.4")), sample("s3")]
    results += [sample("s4", not_written=("1.4",))]
    found = {item.id: item for item in items(A1, results)}
    assert found["1.4"].difficulty == pytest.approx((1 + 0.5 + 1 + 0) / 4)
    assert (found["1.4"].students, found["1.4"].full) == (4, 2)
    assert found["1.4"].reason == "fewer than 10 students"
    assert (found["1.11"].students, found["1.11"].difficulty) == (0, None), "nothing is marked"


def test_an_untouched_notebook_says_nothing_about_an_exercise():
    untouched = sample("s4", not_written=tuple(e.id for e in A1.exercises))
    found = {item.id: item for item in items(A1, [sample("s1"), sample("s2"), untouched])}
    assert (found["1.4"].students, found["1.4"].difficulty) == (2, 1.0)


def test_a_written_exercise_counts_once_all_its_parts_are_marked():
    parts = [part.id for part in sample().parts]
    given = marks(*(("s1", part, 3.0) for part in parts), ("s2", parts[0], 1.0))
    both = [manual.apply(sample(s), given) for s in ("s1", "s2")]
    item = next(item for item in items(A1, both) if item.id == "1.11")
    assert (item.students, item.difficulty) == (1, 0.75)


def test_quartiles_mean_and_standard_deviation():
    assert spread([4, 1, 3, 2]) == Spread(4, 1, 1.75, 2.5, 3.25, 4, 2.5, pytest.approx(1.290994))
    assert spread([7]).deviation is None
    assert spread([]) is None


# Who may need help


def listing(results, roster=NOBODY):
    return {w.student: list(w.reasons) for w in warnings(results, IDS, roster)}


def test_missing_once_half_of_the_class_handed_in():
    results = [sample(s) for s in ("s1", "s2", "s3", "s4")] + [sample("s1", "a2")]
    assert listing(results) == {}, "one of four is not half"
    assert listing([*results, sample("s2", "a2")]) == dict.fromkeys(("s3", "s4"), ["missing: a2"])


def test_the_roster_knows_who_handed_in_nothing_and_who_need_not():
    ada, ben = Student("ada"), Student("ben", terms={"a2": Terms(excused=True)})
    roster = Roster({"ada": ada, "ben": ben})
    results = [sample("ben"), *(sample(s, a) for s in ("s1", "s2") for a in ("a1", "a2"))]
    assert listing(results, roster) == {"ada": ["missing: a1 and a2"]}


def test_low_and_falling_shares_of_the_newest_assignment():
    every = [e.id for e in COURSE.assignment("a2").exercises if e.kind == "code" and not e.bonus]
    low = sample("s1", "a2", failed=loses(0.75, *every))
    assert listing([sample("s1"), low]) == {
        "s1": ["low: 25 % in a2", "falling: 25 % in a2, 100 % before"]
    }
    weak = loses(0.75, *(e.id for e in A1.exercises if e.kind == "code"))
    assert listing([sample("s1", failed=weak), sample("s1", "a2")]) == {}, "they recovered"
    just = sample("s1", "a2", failed=loses(0.125, *every))
    assert listing([sample("s1"), just]) == {}


def test_a_file_that_could_not_be_read_is_a_reason_and_a_failure_of_ours_is_none():
    broken = sample("s1", outcome="INVALID", reason="no JSON")
    assert listing([broken, sample("s2")]) == {"s1": ["unreadable: a1"]}
    assert listing([sample("s1", outcome="UNGRADED"), sample("s2")]) == {}


def test_points_that_are_not_marked_yet_are_no_reason():
    assert share(sample("s1")) == 1
    assert share(sample("s1", failed=loses(1 / 8, "1.4"))) == pytest.approx(1 - 2.25 / 88)


def test_most_reasons_first():
    every = [e.id for e in A1.exercises if e.kind == "code"]
    results = [sample("b", failed=loses(0.75, *every)), sample("c", failed=loses(0.625, *every))]
    results += [sample(s, a) for s in ("d", "e") for a in ("a1", "a2")] + [sample("a", "a2")]
    assert [w.student for w in warnings(results, IDS, NOBODY)] == ["b", "c", "a"]


# Mistakes, marking, lateness


def test_failed_tests_are_counted_with_their_likely_causes():
    seen = {"message": {**BUG["message"], "seen": True}}
    advice = {"message": {**BUG["message"], "cause": "look at the axes"}}
    results = [sample(s, failed={"1.3": [BUG]}) for s in ("s1", "s2")]
    results += [sample("s3", failed={"1.3": [seen]}), sample("s4", failed={"1.3": [advice]})]
    results += [sample("s5", failed={"1.1": [advice]}), sample("s6", failed={"1.4": [CARRIED]})]
    results += [sample("s7", not_written=("1.5",))]
    third, first = failed_tests(results)
    assert (third["exercise"], third["students"]) == ("1.3", 4)
    assert third["causes"] == [("Scores are not divided by √d_k", 2), ("not divided by √d_k", 1)]
    assert (first["exercise"], first["students"], first["causes"]) == ("1.1", 1, [])


def test_progress_of_marking_and_late_days():
    part = sample().parts[0].id
    late = [sample(s, received=f"2027-02-{day}T12:00:00Z") for s, day in (("s2", 10), ("s3", 25))]
    results = [
        manual.apply(sample("s1"), marks(("s1", part, 3.0))),
        *late,
        sample("s4", received=None),
    ]
    [entry] = dashboard(results, COURSE, NOBODY)["classes"]
    assert (entry["marking"]["done"], entry["marking"]["of"]) == (1, 12)
    assert entry["marking"]["parts"][0] | {"title": ""} == {
        "id": part, "title": "", "of": 4, "done": 1
    }  # fmt: skip
    told = entry["handing_in"]["stack"]["description"]
    assert told == "on time: 1, 2 days late: 1, more than 3 days late: 1, time unknown: 1"
    assert entry["handing_in"]["penalized"] == 2
    assert entry["handing_in"]["lost"] == pytest.approx(0.2 * 98 + 98)


# Figures, as data


def test_the_box_plot_is_drawn_to_scale():
    plot = box_plot({"a1": Spread(4, 0, 25, 50, 75, 100, 50, 30)}, 100)
    row = plot["rows"][0]
    assert (row["line"], row["box"], row["median"]) == ((0, 400), (100, 300), 200)
    assert plot["ticks"][-1] == (100, 400)
    assert plot["description"] == "a1: median 50, half of the class between 25 and 75"
    bonus = box_plot({"a1": Spread(1, 125, 125, 125, 125, 125, 125, None)}, 100)
    assert bonus["rows"][0]["median"] == 400


def test_bars_whiskers_and_columns_are_drawn_to_scale():
    bar = stack([("on time", 3), ("1 day late", 0), ("2 days late", 1)])
    assert [(s["x"], s["width"], s["step"]) for s in bar["segments"]] == [(0, 75, 0), (75, 25, 2)]
    assert bar["description"] == "on time: 3, 2 days late: 1"
    assert stack([("on time", 0)]) == {"segments": [], "description": "none"}
    assert whisker(Discrimination(0.5, -1, 1)) == {"x": 75, "low": 0, "high": 100}
    assert [c["height"] for c in columns({"a1": 1.0, "a2": 0.25})] == [20, 5]


# The page


def class_of(count):
    """Students of whom each fails more than the one before."""
    ids = [e.id for e in A1.exercises if e.kind == "code"]
    return [sample(f"s{n}", failed=loses(n % 7 / 8, *ids[: n % 5 + 1])) for n in range(count)]


def test_the_page_says_what_it_found():
    low = sample("s99", failed=loses(0.75, *(e.id for e in A1.exercises if e.kind == "code")))
    page = Page(render_dashboard([*class_of(11), low, sample("s1", "a2")], COURSE))
    said = page.said("class-a1")
    assert re.search(r"1\.1 Softmax 12 2 66 % 0\.\d\d −?0\.\d\d to 0\.\d\d", said), said[:600]
    assert "12 of 12" in said
    assert "fewer than 10 students" in page.said("class-a2")
    assert all(rule in page.said("help") for rule in RULES)
    assert page_of("s99") in page.values("href")


def test_a_name_is_shown_as_the_roster_has_it():
    roster = Roster({"s9": Student("s9", "Ada <Lovelace>")})
    said = Page(render_dashboard(class_of(3), COURSE, roster)).said("help")
    assert "Ada <Lovelace> s9" in said
    broken = sample(visible(hostile().student), outcome="INVALID")
    assert "alert(1)" in Page(render_dashboard([broken], COURSE)).said("help")


def test_the_same_results_give_the_same_page():
    results = class_of(11)
    assert render_dashboard(results, COURSE) == render_dashboard(results[::-1], COURSE)
    assert "Nothing has been graded yet" in render_dashboard([], COURSE)
    alone = render_dashboard([sample(outcome="INVALID", reason="no JSON")], COURSE)
    assert "there are no totals" in alone


# Equal answers with unequal marks


def marked(student, answer, points, **beside):
    given = {"1.11.a": {"answer": answer, "points": points, **beside}}
    return with_parts(sample(student), lambda part: given.get(part.id, {}))


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([("It rises.", 4), ("it  RISES", 3), ("*It* rises", 4.0)], {4: ["s0", "s2"], 3: ["s1"]}),
        ([("", 0), ("", 2), (" ", 2)], {2: ["s1", "s2"], 0: ["s0"]}),
        ([("It rises.", 4), ("It rises.", 4.0)], None),
        ([("It rises.", 4), ("It rises.", None)], None),
        ([("It is 4.", 4), ("It is 5.", 3)], None),
        ([("It rises.", 4), ("It falls.", 3)], None),
    ],
)
def test_equal_answers_with_unequal_marks_are_listed(given, found):
    class_ = [marked(f"s{number}", *one) for number, one in enumerate(given)]
    listed = unequal_marks(class_)
    assert [one.students for one in listed] == ([found] if found else [])
    assert ("Equal answers" in render_dashboard(class_, COURSE)) is bool(found)
    other = [marked("s9", given[0][0], 1, pictures="another")]
    assert len(unequal_marks([*class_, *other])) == len(listed), "another picture is another answer"
