"""The report: escaped, self-contained, readable without a script, and true to the results."""

import base64
import hashlib
import html.parser
import posixpath
import re
from collections import Counter

import pytest
from sample_results import sample
from world import COURSE, marks

from autograder.scorers.bleu import Bleu
from grader.classroom.roster import Roster, Student
from grader.course.visible import visible
from grader.gradebook import manual
from grader.gradebook.exercise_result import ModelResult
from grader.gradebook.result import Result
from grader.report import render, render_classes, render_dashboard, render_pages, render_student
from grader.report.overview import histogram, mistakes
from grader.report.page import anchor, page_of
from grader.report.sentences import OUTCOME_MEANINGS, main_cause, outcome_sentence

HOSTILE = "<script>alert(1)</script><img src=http://x.example onerror=alert(1)>\"'>&\u202e\x1b[31m"
WRONG = {
    "expected": "[0.5 0.5]",
    "got": "[4. 0.]",
    "cause": "not divided by √d_k",
    "read": "§3.2.1",
}
BUG = {"message": WRONG, "bug": "scores_not_scaled", "bug_title": "Scores are not divided by √d_k"}
CARRIED = {"message": WRONG, "points": 2.25, "caused_by": ["1.1"], "carried_through": True}


class Page(html.parser.HTMLParser):
    """Tags, ids, links, and the text inside each element with an id."""

    void = {"meta", "br", "wbr", "rect", "line", "input", "img"}

    def __init__(self, text: str):
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[tuple[str, str | None]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.void:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        if tag not in self.void:
            assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, id in self.open:
            if id:
                self.texts[id] = self.texts.get(id, "") + data

    def values(self, name):
        return [value for _, attribute, value in self.attributes if attribute == name]

    def said(self, id):
        return " ".join(self.texts[id].split())


def hostile():
    """A result with markup wherever a submission can put text."""
    bad = dict.fromkeys(WRONG, HOSTILE)
    test = {"message": bad, "title": "title", "outcome": "LOAD_ERROR"}
    result = sample(HOSTILE, failed={"1.4": [test]}, reason=HOSTILE, notices=[HOSTILE]).as_json()
    result["outcome"] = "LOAD_ERROR"
    result["submission"] |= {"file": HOSTILE}
    part = next(e for e in result["exercises"] if e["kind"] == "written")["parts"][0]
    part |= {"answer": HOSTILE, "comment": HOSTILE}
    return Result.model_validate(result)


def whole(results, course, roster=None):
    """The report of a class with every page behind it."""
    behind = (*render_classes(results, course, roster), *render_pages(results, course, roster))
    return "\n".join([render(results, course, roster), *(text for _, text in behind)])


def rendered(changed, *others):
    """The report of a class, one of whose results was changed as JSON."""
    return whole([Result.model_validate(changed), *others], COURSE)


def test_what_a_submission_says_is_escaped_everywhere():
    own = Counter(Page(whole([sample("s01")], COURSE)).tags)
    page = Page(whole([hostile()], COURSE))
    assert page.tags["script"] == own["script"] == 2, "the class's pages alone have one"
    assert page.tags["img"] == 0
    alone = Page(render_student(hostile(), COURSE))
    assert (alone.tags["script"], alone.tags["img"]) == (1, 0), "the form's"
    assert not [name for _, name, _ in page.attributes + alone.attributes if name[:2] == "on"]
    assert page.texts[anchor(visible(HOSTILE))].count("alert(1)") > 10
    assert not set("\u202e\x1b") & set(whole([hostile()], COURSE))


def pages_of_a_class():
    """Each kind of page that is behind the report, and the report itself, by its file."""
    results = [sample("s 1"), sample("s 1", "a2"), sample("s2"), hostile()]
    behind = dict(render_pages(results, COURSE)) | dict(render_classes(results, COURSE))
    made = {"report.html": render(results, COURSE), **behind}
    return made | {"dashboard.html": render_dashboard(results, COURSE)}


MADE = pages_of_a_class() | {"feedback": render_student(sample(failed={"1.3": [BUG]}), COURSE)}
KINDS = ("report.html", "dashboard.html", "report/class-a1.html", page_of("s2"), "feedback")


@pytest.mark.parametrize("name", KINDS)
def test_a_page_needs_nothing_else_and_allows_nothing_else(name):
    text = MADE[name]
    page = Page(text)
    assert not [tag for tag in ("link", "img", "iframe", "object") if page.tags[tag]]
    assert page.tags["script"] == (name not in ("dashboard.html", page_of("s2")))
    assert page.tags["form"] == (name == "feedback"), "which asks for a regrade"
    assert not page.values("src")
    assert not page.values("style"), "the policy would not apply it"
    assert "url(" not in text
    assert "@import" not in text
    assert not {"\u202e", "\x1b"} & {*text}
    policy = next(value for value in page.values("content") if "default-src" in value)
    assert policy.startswith("default-src 'none'")
    for tag in ("style", "script"):
        for inside in re.findall(f"<{tag}>(.*?)</{tag}>", text, re.S):
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


@pytest.mark.parametrize("name", MADE)
def test_every_link_has_its_target_and_every_id_is_unique(name):
    page = Page(MADE[name])
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {*" ".join(page.values("aria-labelledby")).split()} <= {*ids}
    for link in page.values("href"):
        path, _, place = link.partition("#")
        place_of = posixpath.normpath(posixpath.join(posixpath.dirname(name), path or name))
        target = MADE[name] if not path else MADE[place_of]
        assert not place or f'id="{place}"' in target, link


def test_every_page_counts_the_students_alike():
    roster = Roster({name: Student(name) for name in ("s01", "s02")})
    for text in (
        render([sample("s01")], COURSE, roster),
        render_dashboard([sample("s01")], COURSE, roster),
    ):
        assert "2 students, 1 of them with a hand-in" in " ".join(text.split())


def test_a_class_of_300_opens_at_once_and_what_is_behind_it_comes_from_the_disk():
    """Five assignments, with a mistake in every exercise, late, names as long as names are."""
    five = [
        sample("s0", a.id, failed={e.id: [BUG] for e in a.exercises if e.kind == "code"})
        for a in COURSE.assignments
    ]
    assert len(five) == 5
    sizes = []
    for students in (20, 40):
        names = [f"u{n:07}" for n in range(students)]
        people = [Student(name, "Maximiliana Featherstonehaugh", "Wednesday") for name in names]
        roster = Roster({person.id: person for person in people})
        class_ = [one.model_copy(update={"student": name}) for name in names for one in five]
        pages = {"": render(class_, COURSE, roster), **dict(render_classes(class_, COURSE, roster))}
        assert len(pages) == 6
        sizes.append({name: len(text.encode()) for name, text in pages.items()})
    for name, small, large in ((name, *(size[name] for size in sizes)) for name in sizes[0]):
        a_student = (large - small) / 20
        assert a_student < (700 if name == "" else 3200), name
        assert large + 260 * a_student < 1_000_000, name


def test_a_students_page_is_a_file_that_every_disk_can_hold():
    first, text = next(render_pages([sample("s0")], COURSE))
    assert first == page_of("s0") == "report/student-s0.html"
    assert "1.4" in Page(text).said("student-s0.a1")
    names = [page_of(name) for name in ("ada", "Ada", "ADA", "a/b", "..")]
    assert len({name.casefold() for name in names}) == 5
    assert all(name.count("/") == 1 for name in names)


def test_the_report_has_a_row_a_student_with_every_total():
    last = [sample("s2", outcome="UNGRADED"), sample("s3", outcome="INVALID")]
    report = render([sample("s1"), sample("s1", "a2", outcome="TIMEOUT"), *last], COURSE)
    rows = re.findall(r"<tr><th scope=\"row\"><a.*?</tr>", report)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    assert cells[0] == ["98 …", "TIMEOUT 92 …"]
    assert cells[1] == ["UNGRADED", "–"]
    assert cells[2] == ["INVALID 98", "–"]


def test_a_student_reads_what_was_expected_and_why_it_failed():
    page = Page(whole([sample(failed={"1.3": [BUG]})], COURSE))
    said = page.said("student-s01.a1.1.3")
    for text in ("[0.5 0.5]", "[4. 0.]", "not divided by √d_k", "§3.2", "0 of 1", "7 of 8"):
        assert text in said
    assert "7 tests passed" in said


def test_points_that_were_carried_through_are_explained():
    result = sample(failed={"1.1": [BUG], "1.4": [CARRIED]})
    said = Page(whole([result], COURSE)).said("student-s01.a1.1.4")
    assert "1.1 fails: repair it first. Tests that pass with a correct 1.1 keep" in said
    assert "1 test carried through: points kept" in said
    assert "18 of 18" in said
    assert "✗" not in said


def test_of_two_causes_only_the_one_that_fails_is_said_to_fail():
    both = CARRIED | {"caused_by": ["1.1", "1.3"]}
    said = rendered(sample(failed={"1.1": [BUG], "1.4": [both]}).as_json())
    assert "1.1 fails: repair it first. Tests that pass with correct forms of 1.1 and 1.3" in said
    assert "Look at 1.3 again, although its own tests pass." in said


def test_an_exercise_that_only_lacked_an_earlier_one_is_not_called_unwritten():
    result = sample(failed={"1.7": [{**CARRIED, "outcome": "NOT_WRITTEN"}] * 6}).as_json()
    seventh = next(e for e in result["exercises"] if e["id"] == "1.7")
    for test in seventh["tests"]:
        test |= {"outcome": "NOT_WRITTEN", "carried_through": True, "caused_by": ["1.1", "1.3"]}
    said = Page(rendered(result)).said("student-s01.a1.1.7")
    assert "Not written yet" not in said
    assert "Tests that pass with a correct 1.1 keep their points. Look at it again" in said
    seventh["caused_by"] = ["1.1", "1.3"]
    assert "Tests that pass with correct forms of 1.1 and 1.3 keep" in rendered(result)


def test_a_passed_hidden_test_shows_its_title_only():
    result = sample().as_json()
    test = result["exercises"][0]["tests"][4]
    test["message"] = dict(WRONG, got="the secret")
    text = render_student(Result.model_validate(result), COURSE)
    assert test["title"] in text
    assert "the secret" not in text
    assert test["id"] not in text


def test_tests_that_say_the_same_are_told_once():
    trouble = {"outcome": "LOAD_ERROR", "message": dict(WRONG, got="cell 14 needs `data`")}
    text = render_student(sample(failed={"1.5": [trouble] * 6}), COURSE)
    assert text.count("cell 14 needs <code>data</code>") == 1


def test_manual_points_comments_and_overrides():
    given = marks(("s01", "1.11.a", 3.5, "Clear & short"), ("s01", "1.3", 8.0, "our mistake"))
    result = manual.apply(sample(failed={"1.3": [BUG]}), given)
    page = Page(whole([result], COURSE))
    assert "Changed manually from 7 to 8 points. our mistake" in page.said("student-s01.a1.1.3")
    written = page.said("student-s01.a1.1.11")
    for text in ("3.5 of 4", "Clear & short", "pending of 4", "7 words of at most 120"):
        assert text in written
    all_of_it = page.said("student-s01.a1")
    assert "up to 8 more pending" in all_of_it
    assert "3.5 of 12, 2 parts pending" in all_of_it


def test_an_answer_over_the_limit_and_a_missing_one():
    result = sample().as_json()
    parts = next(e for e in result["exercises"] if e["kind"] == "written")["parts"]
    parts[0] |= {"words": 131}
    page = Page(rendered(result))
    assert "131 words of at most 120: 11 over the limit" in page.said("student-s01.a1.1.11")
    assert "No answer was found" in page.said("student-s01.a1.1.11")


def test_lateness_is_told_with_what_it_costs():
    two = Page(whole([sample(received="2027-02-10T12:00:00Z")], COURSE)).said("student-s01.a1")
    assert "2 days late (due 8 February 2027, 23:59 UTC): 20 % of the points are deducted" in two
    assert "up to 9.6 more pending" in two
    late = Page(whole([sample(received="2027-03-01T12:00:00Z")], COURSE)).said("student-s01.a1")
    assert "no points are counted" in late
    assert "more pending" not in late
    assert "88 of 88" in late, "what was earned is still shown"


def test_a_file_that_could_not_be_read_is_a_row_and_a_page():
    result = sample(outcome="INVALID", reason="the file is no JSON", tier="", layers={}).as_json()
    for exercise in result["exercises"]:
        exercise |= {"tests": [], "points": 0.0} if exercise["kind"] == "code" else {}
    page = Page(rendered(result, sample("s02")))
    said = page.said("student-s01.a1")
    assert "This is about the file, not about your work" in said
    assert "the file is no JSON" in said
    assert "1.1 Softmax" not in said
    assert "2 pending" not in page.said("class-a1")


def test_nothing_written():
    stubs = tuple(e.id for e in COURSE.assignment("a1").exercises if e.kind == "code")
    result = sample(not_written=stubs)
    assert "may not have been saved" in outcome_sentence(result)
    assert "Not written yet" in Page(whole([result], COURSE)).said("student-s01.a1.1.1")
    assert main_cause(result) == "untouched notebook"


def test_a_model_that_falls_short_is_a_main_cause():
    result = sample("s1", "a4")
    rows = [e.model_copy(update={"points": 0.0}) if e.model else e for e in result.exercises]
    result = result.model_copy(update={"exercises": rows})
    assert main_cause(result) == "4.12: the model reaches 47.3 BLEU, all points take 50.9"


@pytest.mark.parametrize("outcome", OUTCOME_MEANINGS)
def test_every_outcome_has_a_sentence(outcome):
    text = render_student(sample(outcome=outcome), COURSE)
    assert outcome_sentence(sample(outcome=outcome)).split(".")[0] in text


def test_the_proof_of_what_was_graded():
    result = sample()
    said = Page(whole([result], COURSE)).said("student-s01.a1")
    for text in (result.submission.sha256, result.suite_sha256, "20270201", "a1.ipynb"):
        assert text in said
    assert "A: landlock (ABI 6), seccomp (on)" in said


def test_the_overview_counts_named_mistakes_once_a_student():
    results = [sample(name, failed={"1.3": [BUG, BUG]}) for name in ("s1", "s2")]
    other = {**BUG, "bug": "other", "bug_title": "Another"}
    results += [sample("s3", failed={"1.1": [other]})]
    results += [sample("s4", failed={"1.4": [{**BUG, **CARRIED}]})]
    found = mistakes(results)
    assert [(m["title"], m["students"]) for m in found] == [
        ("Scores are not divided by √d_k", ["s1", "s2"]),
        ("Another", ["s3"]),
    ]
    assert "s1, s2" in Page(whole(results, COURSE)).said("class-a1")


@pytest.mark.parametrize(
    ("totals", "counts"),
    [
        ([], [0] * 10),
        ([0, 9.99, 10], [2, 1] + [0] * 8),
        ([99.5, 100], [0] * 9 + [2]),
        ([100, 100.5, 110], [0] * 9 + [1, 2]),
    ],
)
def test_the_histogram_puts_every_total_in_one_step(totals, counts):
    assert [bar["count"] for bar in histogram(totals)["bars"]] == counts


def test_names_sort_as_people_count():
    text = whole([sample("s10"), sample("s2"), sample("S1")], COURSE)
    pages = re.findall(r'<h1 class="name"[^>]*>(\w+)<', text)
    assert pages == ["S1", "s2", "s10"]


def test_no_results_at_all():
    assert "Nothing has been graded yet" in whole([], COURSE)


def test_rendering_is_a_function_of_the_results():
    results = [sample("s2"), sample("s1", "a2"), hostile()]
    assert whole(results, COURSE) == whole(results[::-1], COURSE)
    whole([sample("\udce9")], COURSE).encode("utf-8")


def translator(**told):
    """A graded assignment 4; `told` replaces what the judge says of its model."""
    result = sample("s01", "a4").as_json()
    for exercise in result["exercises"]:
        if exercise["kind"] == "model":
            model = exercise["model"] | told
            if model["score"] is not None:
                model["told"] = Bleu().sentences(ModelResult(**model))
            exercise["model"] = model
    return Result.model_validate(result)


def test_a_translator_is_told_its_score_and_how_sure_that_is():
    page = Page(render_student(translator(), COURSE))
    said = page.said("a4.4.12")
    for part in (
        "reaches 47.3 BLEU on sentences whose references it never saw",
        "(95 % bootstrap interval over sentences: 45.8 to 48.9)",
        "Points rise linearly from zero at 10 BLEU to the maximum at 50.9 BLEU.",
        "again on 1,000 of 1,000 sentences, in 25 s (41 sentences per second of CPU time)",
        "computed by sacreBLEU: nrefs:1|case:mixed",
        "agrees on 99.3 % of them",
        "training perplexity 4, validation perplexity 5 (validation over training: 1.25)",
    ):
        assert part in said


def test_a_translator_without_a_score_is_told_why_and_what_to_do():
    told = {
        "score": None,
        "bleu": None,
        "handed_in": False,
        "problem": "no translation.safetensors was handed in",
    }
    said = Page(render_student(translator(**told), COURSE)).said("a4.4.12")
    assert "No points for the model: no translation.safetensors was handed in." in said
    assert "Hand in the folder submission" in said
    assert "at 50.9 BLEU" in said


def test_what_a_translator_brings_along_is_escaped():
    notes = [f"scored on other sentences (from: {HOSTILE})"]
    told = {"notes": notes, "measured": {}, "agreement": None, "recomputed": 120}
    text = render_student(translator(**told), COURSE)
    page = Page(text)
    assert (page.tags["script"], page.tags["img"]) == (1, 0)
    said = page.said("a4.4.12")
    assert "alert(1)" in said
    assert "120 of 1,000" in said
    assert "own account" not in said
    assert "translations.txt" not in said


def test_the_roster_puts_name_and_section_beside_the_id():
    ada = Student("s01", "Ada <b>Lovelace", "Tuesday \u202e")
    roster = Roster({"s01": ada, "s02": Student("s02", section="Friday"), "s09": Student("s09")})
    page = Page(whole([sample("s01"), sample("s02"), sample("s03")], COURSE, roster))
    for place in ("class-a1", "student-s01"):
        assert "s01 Ada <b>Lovelace, Tuesday ⟨U+202E⟩" in page.said(place)
    assert "s02 Friday" in page.said("class-a1")
    assert "s09" not in page.said("class-a1")
