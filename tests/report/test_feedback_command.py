"""`course feedback`: a student's page holds everything of theirs and nothing of anybody else."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from checkout import place
from in_process import one_sentence
from sample_results import COURSE, sample
from test_report import BUG, CARRIED, Page
from typer.testing import CliRunner

from grader.classroom.roster import Roster, Student
from grader.cli.app import app
from grader.cli.records import feedback_command
from grader.gradebook.manual import ManualMark, ManualMarks
from grader.gradebook.store import Store
from grader.report import render_student
from grader.report.lms_zip import canvas_name, folder_names, moodle_name, packed

ADA = Student("ada", "Ada Lovelace", names={"moodle": "4711", "canvas": "1041"})

SHARES = [0.37, 0.73, 1.19, 1.61, 2.03, 2.47]  # manual marks, each of one student


class Done:
    """What a command printed, like a finished process."""

    def __init__(self, result):
        from grader.cli.problems import sentence

        problem = sentence(result.exception) if result.exception else None
        self.returncode, self.stderr = problem or (result.exit_code, result.stderr)
        self.stdout = result.stdout


@pytest.fixture
def course(tmp_path):
    """Run `course feedback` on a store in `grades`."""

    def run(*arguments):
        command = ["feedback", *arguments, "--out", tmp_path / "grades", "--to", tmp_path / "to"]
        runner = CliRunner()
        return Done(runner.invoke(app, [*map(str, command)], standalone_mode=False))

    return run


def fill(tmp_path, *found, marks=None):
    with Store(tmp_path / "grades" / "results.db") as store:
        for result in found:
            store.add(result)
        store.keep(ManualMarks(COURSE, marks or {}))


def written(tmp_path):
    return {p.relative_to(tmp_path / "to").as_posix() for p in (tmp_path / "to").rglob("*.*")}


def facts(student, **changed):
    return sample(student).submission.model_copy(update=changed)


def test_no_page_has_a_trace_of_another_student(course, tmp_path):
    """Every student has unique names, marks, comments and lies beside another's file."""
    names = [f"marker{n}x" for n in range(6)]
    found = [
        sample(
            name,
            failed={"1.3": [{**BUG, "message": {**BUG["message"], "got": f"got of {name}"}}]},
            submission=facts(
                name, sha256=f"{n // 2:064}", file=f"class/{names[n - 1]}s-disk/{name}/a1/a1.ipynb"
            ),
            notices=[f"`{name}/notes.txt` was also submitted"],
        )
        for n, name in enumerate(names)
    ]
    marks = {(s, "a1", "1.11.a"): ManualMark(SHARES[n], f"for {s}") for n, s in enumerate(names)}
    marks |= {(s, "a1", "1.4"): ManualMark(10.0, f"changed for {s}") for s in names}
    fill(tmp_path, *found, marks=marks)
    rows = [f"{s},Full Name of {s},{s}@example.org,7{n}" for n, s in enumerate(names)]
    (tmp_path / "roster.csv").write_text("\n".join(["student,name,email,moodle", *rows]))
    done = course("a1", "--roster", tmp_path / "roster.csv", "--zip", "moodle")
    assert done.returncode == 0, done.stderr
    packed_pages = zipfile.ZipFile(tmp_path / "to" / "a1-moodle.zip")
    for n, name in enumerate(names):
        text = (tmp_path / "to" / name / "a1.html").read_text(encoding="utf-8")
        assert set(re.findall(r"marker\dx", text)) == {name}
        body = text.partition("<body>")[2]
        points = [float(number) for number in re.findall(r"\d+\.\d+", body)]
        assert {mark for mark in SHARES if mark in points} == {SHARES[n]}
        for said in (f"for {name}", f"got of {name}", f"changed for {name}", "Changed manually"):
            assert said in text
        for instructors_only in ("dentical", "flag", "noted, not penalized"):
            assert instructors_only not in text
        [inside] = [entry for entry in packed_pages.namelist() if name in entry]
        assert packed_pages.read(inside).decode() == text
        assert inside == f"Full Name of {name}_7{n}_assignsubmission_file_/a1-feedback.html"


def test_a_page_needs_nothing_else(course, tmp_path):
    fill(tmp_path, sample("ada", failed={"1.3": [BUG]}))
    course()
    text = (tmp_path / "to" / "ada" / "a1.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not [tag for tag in ("link", "img", "iframe") if page.tags[tag]]
    assert (page.tags["script"], page.tags["form"]) == (1, 1), "those that ask for a regrade"
    assert "form-action 'none'" in text
    assert all(link.startswith("#") for link in page.values("href"))
    assert not page.values("src")
    assert "default-src 'none'" in text
    assert "url(" not in text


SEEN = {**BUG, "message": {**BUG["message"], "seen": True}}


def next_steps(failed):
    """What the page of a student with these failures says about them."""
    text = render_student(sample(failed=failed), COURSE)
    [steps] = re.findall(r'<ol class="next">(.*?)</ol>', text, re.S)
    return " ".join(re.sub("<[^>]+>", "", steps).split())


def test_a_student_reads_what_to_look_at_first():
    ids = ["1.1", "1.3", "1.4", "1.5"]
    said = next_steps({id: [SEEN] * n for n, id in enumerate(ids, start=1)})
    assert re.findall(r"(1\.\d) ", said) == ["1.4", "1.5", "1.3"], "where most points were lost"
    assert said.startswith(
        "1.4 Scaled dot-product attention, 6.75 points lost: likely cause: not divided by √d_k. "
        "Read §3.2.1."
    )
    assert "What to look at next" not in render_student(sample(), COURSE)


def test_points_that_are_lost_are_not_those_of_an_earlier_exercise():
    said = next_steps({"1.1": [SEEN], "1.4": [CARRIED, SEEN]})
    assert "1.4 Scaled dot-product attention, 2.25 points lost: likely cause: not divided" in said
    assert "repair 1.1 first" not in said
    assert "1.4" not in next_steps({"1.1": [SEEN], "1.4": [CARRIED]})


def test_what_is_late_pending_or_ungraded_is_said(course, tmp_path):
    late = sample("ada", received="2027-02-10T12:00:00Z")
    fill(tmp_path, late, sample("ben", outcome="UNGRADED"))
    done = course()
    assert "2 pages, 2 of them new or changed" in done.stdout
    assert "1 still say “pending”" in done.stdout
    assert "1 say that the grader failed" in done.stdout
    pages = [(tmp_path / "to" / s / "a1.html").read_text() for s in ("ada", "ben")]
    assert "2 days late" in pages[0]
    assert "has not been graded yet" in pages[1]


def test_one_assignment_or_all(course, tmp_path):
    fill(tmp_path, sample("ada"), sample("ada", "a2"), sample("ben", "a2"))
    course("a2")
    assert written(tmp_path) == {"ada/a2.html", "ben/a2.html"}
    listing = json.loads(course("--json").stdout)
    assert listing["pages"] == ["ada/a1.html", "ada/a2.html", "ben/a2.html"]
    assert listing["changed"] == ["ada/a1.html"], "the others are as they were"


def test_pages_of_students_who_are_gone_are_kept_and_named(course, tmp_path):
    fill(tmp_path, sample("ada"))
    old = place(tmp_path / "to" / "ben" / "a1.html", "old")
    done = course()
    assert f"{old}: kept" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert old.read_text() == "old"


def test_the_same_results_give_the_same_bytes(course, tmp_path):
    fill(tmp_path, *(sample(s) for s in ("ben", "ada")))
    roster = tmp_path / "roster.csv"
    roster.write_text("student,moodle\nada,Participant 1\nben,2\n")
    course("--roster", roster, "--zip", "moodle")
    path = tmp_path / "to" / "a1-moodle.zip"
    first = path.read_bytes()
    path.unlink()
    course("--roster", roster, "--zip", "moodle")
    assert path.read_bytes() == first
    assert packed({"b": "2", "a": "1"}) == packed({"a": "1", "b": "2"})
    entries = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert {entry.date_time[0] for entry in entries} == {1980}
    assert not list((tmp_path / "to").rglob("*.new"))


# Zips


def test_moodle_finds_the_student_by_the_number_of_the_download_or_of_the_roster():
    own = "Ada Lovelace_4711_assignsubmission_file_/a1-feedback.html"
    assert moodle_name("sub/Ada Lovelace_4711_assignsubmission_file_/a1.ipynb", ADA, "a1") == own
    assert moodle_name("sub/Ada Lovelace_4711_assignsubmission_file/a1.ipynb", ADA, "a1") == own
    assert moodle_name("sub/ada/a1/a1.ipynb", ADA, "a1") == own
    other = "Ada Lovelace_4800_assignsubmission_file_/a1-feedback.html"
    path = "sub/Lovelace Ada_4800_assignsubmission_file_/a1.ipynb"
    assert moodle_name(path, ADA, "a1") == other.replace("Ada Lovelace", "Lovelace Ada")
    folder = "Ben_12_assignsubmission_file_"
    assert (
        moodle_name(f"sub/{folder}/x.ipynb", Student(folder), "a1") == f"{folder}/a1-feedback.html"
    )
    apart = "sub/Zoe\u0308 Lu_4711_assignsubmission_file_/a1.ipynb"
    assert moodle_name(apart, Student("zl", "Lu Zoë"), "a1")
    assert moodle_name("sub/ben/a1.ipynb", Student("ben"), "a1") is None
    assert moodle_name("x", Student("ben", names={"moodle": "ben@example.org"}), "a1") is None


def test_an_underscore_in_a_name_does_not_move_the_number():
    """Moodle reads the number after the first underscore."""
    student = Student("ada", "Ada_B/ Lovelace", names={"moodle": "7"})
    name = moodle_name("", student, "a1")
    assert name.split("_")[1] == "7"
    assert name.count("/") == 1


def test_canvas_finds_the_submission_by_two_numbers_of_its_own_download():
    """Canvas takes the first two parts between underscores that are numbers."""
    for path, start in (
        ("sub/lovelaceada_1041_55221_a1.ipynb", "lovelaceada_1041_55221"),
        ("sub/lovelaceada_LATE_1041_55221_a1-2.ipynb", "lovelaceada_LATE_1041_55221"),
        ("sub/lovelaceada_1041_55221_work.zip:in/a1.ipynb", "lovelaceada_1041_55221"),
    ):
        name = canvas_name(path, ADA, "a1")
        assert name == f"{start}_a1-feedback.html"
        assert [part for part in name.split("_") if part.isdecimal()] == ["1041", "55221"]
    for own in ("lovelaceada_1041_55221", "anon_7gKqP_67890", "LATE_anon_7gKqP_6", "van_der_1_2"):
        assert canvas_name(f"sub/{own}_a1.ipynb", Student(own), "a1") == f"{own}_a1-feedback.html"
    again = Student("bob_7_8")
    assert (
        canvas_name("sub/bob_LATE_7_9_a1-1.ipynb", again, "a1") == "bob_LATE_7_9_a1-feedback.html"
    )
    long = Student("adams", names={"canvas": "1049"})
    assert canvas_name("sub/von_deradams_LATE_1049_67901_a1.ipynb", long, "a1")
    assert canvas_name("sub/ada/a1/a1.ipynb", ADA, "a1") is None


@pytest.mark.parametrize("name", [canvas_name, moodle_name])
def test_a_student_cannot_choose_whose_feedback_theirs_becomes(name):
    ben = Student("ben", "Ben Lovelace")
    for file in ("lovelaceada_1041_55221_a1.ipynb", "Ada_4711_assignsubmission_file_/a1.ipynb"):
        for start in ("sub/ben", "sub/ben/a1", "sub/ben_a1.zip:deep", "sub"):
            assert name(f"{start}/{file}", ben, "a1") is None, (start, file)


def test_a_groups_page_is_there_once_and_the_others_are_told_so(course, tmp_path):
    for student in ("ada", "ben"):
        result = sample(student)
        facts = result.submission.model_copy(update={"file": "sub/group1_1041_5_a1.ipynb"})
        fill(tmp_path, result.model_copy(update={"submission": facts}))
    roster = tmp_path / "roster.csv"
    roster.write_text("student,canvas,group\nada,1041,Group 1\nben,1042,Group 1\n")
    done = course("--roster", roster, "--zip", "canvas")
    (said,) = done.stderr.splitlines()
    assert said.startswith("a1-canvas.zip: without ben, as the file is a group's, and another")


def test_who_is_not_in_the_zip_is_said(course, tmp_path):
    fill(tmp_path, sample("ada"), sample("ben"), sample("cyd"))
    roster = tmp_path / "roster.csv"
    roster.write_text("student,moodle\nada,1\n")
    done = course("--roster", roster, "--zip", "moodle", "--zip", "canvas")
    assert done.returncode == 0
    first, second = done.stderr.splitlines()
    assert first.startswith("a1-moodle.zip: without ben, cyd, as neither")
    assert second.startswith("a1-canvas.zip: without ada, ben, cyd, as their submission was not")
    assert "a1-canvas.zip" not in written(tmp_path), "an empty zip helps nobody"
    assert zipfile.ZipFile(tmp_path / "to" / "a1-moodle.zip").namelist() == [
        "ada_1_assignsubmission_file_/a1-feedback.html"
    ]


def test_two_students_with_the_same_name_elsewhere_are_both_left_out(tmp_path):
    wanted = [sample(s) for s in ("ada", "bob")]
    twins = {s: Student(s, "Kim", names={"moodle": "7"}) for s in ("ada", "bob")}
    folders = folder_names(["ada", "bob"])
    pages = {f"{s}/a1.html": s for s in twins}
    assert feedback_command._zip("moodle", "a1", wanted, pages, folders, Roster(twins)) == []


def test_no_student_can_take_the_place_of_another_on_any_file_system():
    students = ["ada", "Ada", "..", "a/b", "x.", "con:", "\udce9", "Jürgen", "-rf", "s 1", ""]
    names = folder_names(students)
    assert len({name.casefold() for name in names.values()}) == len(students)
    assert (names["Jürgen"], names["s 1"]) == ("Jürgen", "s 1")
    for name in names.values():
        assert re.fullmatch(r"[^./\\:-][^/\\:]*[^. ]", name), name
        name.encode()


# Bad input


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["a9"], ["a9"]),
        (["a2"], ["no results of a2 here: grade it first"]),
        (["--zip", "blackboard"], ["--zip blackboard: give moodle or canvas"]),
        (["--roster", "nowhere.csv"], ["nowhere.csv: cannot be read"]),
    ],
)
def test_bad_input_is_one_sentence(course, tmp_path, arguments, parts):
    fill(tmp_path, sample("ada"))
    one_sentence(course(*arguments), 2, *parts)
    assert not (tmp_path / "to").exists()


def test_a_folder_without_results_and_a_file_in_the_way(course, tmp_path):
    one_sentence(course(), 2, "no results here")
    fill(tmp_path, sample("ada"))
    (tmp_path / "to").write_text("mine")
    one_sentence(course(), 2, "is a file; give a folder")
    assert (tmp_path / "to").read_text() == "mine"


def test_a_comment_that_names_another_student_is_told_and_written(course, tmp_path):
    marks = {
        ("ada", "a1", "1.11.a"): ManualMark(1.0, "The same as ben, sorry."),
        ("ada", "a1", "1.4"): ManualMark(3.0, "See Smith, Cyd!"),
        ("ben", "a1", "1.11.a"): ManualMark(1.0, "Ben, this benefits nobody: 17 of adamant."),
        ("17", "a1", "1.11.b"): ManualMark(1.0, "Cyd wrote it: no full name."),
    }
    fill(tmp_path, *map(sample, ("ada", "ben", "17")), marks=marks)
    roster = "student,name\nada,Ada Lovelace\nben,Ben\nc-1,Cyd Smith\n17,Dee Day\n"
    (tmp_path / "roster.csv").write_text(roster)
    done = course("a1", "--roster", tmp_path / "roster.csv")
    assert done.returncode == 0
    told = [line.partition(";")[0] for line in done.stderr.splitlines()]
    assert told == [
        "ada a1: the comment on 1.11.a names another student, ben (Ben)",
        "ada a1: the comment on 1.4 names another student, c-1 (Cyd Smith)",
    ]
    assert "The same as ben" in (tmp_path / "to" / "ada" / "a1.html").read_text(encoding="utf-8")
