"""`course feedback`: a student's page holds everything of theirs and nothing of anybody else."""

import io
import re
import zipfile

import pytest
from sample_results import sample
from test_report import BUG, CARRIED
from world import COURSE, World, handed_in, lines
from world_tables import cases

from grader.classroom.roster import Roster, Student
from grader.cli.records import feedback_command
from grader.report import render_student
from grader.report.lms_zip import canvas_name, folder_names, moodle_name, packed


@cases("zip_names")
def test_the_name_in_a_zip_finds_the_student(system, path, student, expected):
    """Moodle: by a number of the download or the roster. Canvas: by the two of its own download."""
    facts = dict(student) or {"id": "ada", "name": "Ada Lovelace", "moodle": "4711"}
    own = Student(facts.pop("id"), facts.pop("name", ""), names=facts)
    name = {"moodle": moodle_name, "canvas": canvas_name}[system](path, own, "a1")
    assert name == (expected or None)


class Feedback(World):
    """`course feedback` on the stored results, and what it writes into `to`."""

    @property
    def to(self):
        return self.folder / "to"

    def feedback(self, *words, roster=""):
        given = ("--roster", self.file("roster.csv", roster)) if roster else ()
        return self.run("feedback", *words, *given, "--to", self.to)

    def page(self, student):
        return (self.to / student / "a1.html").read_text(encoding="utf-8")

    def written(self):
        return {path.relative_to(self.to).as_posix() for path in self.to.rglob("*.*")}


@pytest.fixture
def world(tmp_path):
    return Feedback(tmp_path)


ADA = Student("ada", "Ada Lovelace", names={"moodle": "4711", "canvas": "1041"})

SHARES = [0.37, 0.73, 1.19, 1.61, 2.03, 2.47]  # manual marks, each of one student


def test_no_page_has_a_trace_of_another_student(world):
    """Every student has unique names, marks, comments and lies beside another's file."""
    names = [f"marker{n}x" for n in range(6)]
    for n, name in enumerate(names):
        bug = {**BUG, "message": {**BUG["message"], "got": f"got of {name}"}}
        result = sample(
            name, failed={"1.3": [bug]}, notices=[f"`{name}/notes.txt` was also submitted"]
        )
        file = f"class/{names[n - 1]}s-disk/{name}/a1/a1.ipynb"
        world.add(handed_in(result=result, sha256=f"{n // 2:064}", file=file))
        world.mark((name, "1.11.a", SHARES[n], f"for {name}"))
        world.mark((name, "1.4", 10.0, f"changed for {name}"))
    rows = [f"{s},Full Name of {s},{s}@example.org,7{n}" for n, s in enumerate(names)]
    roster = lines("student,name,email,moodle", *rows)
    world.feedback("a1", "--zip", "moodle", roster=roster)
    packed_pages = zipfile.ZipFile(world.to / "a1-moodle.zip")
    for n, name in enumerate(names):
        text = world.page(name)
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


def test_what_is_late_pending_or_ungraded_is_said(world):
    late = sample("ada", received="2027-02-10T12:00:00Z")
    done = world.add(late, sample("ben", outcome="UNGRADED")).feedback()
    assert "2 pages, 2 of them new or changed" in done.stdout
    assert "1 still say “pending”" in done.stdout
    assert "1 say that the grader failed" in done.stdout
    assert "2 days late" in world.page("ada")
    assert "has not been graded yet" in world.page("ben")


def test_one_assignment_or_all(world):
    world.add("ada", sample("ada", "a2"), sample("ben", "a2")).feedback("a2")
    assert world.written() == {"ada/a2.html", "ben/a2.html"}
    listing = world.json("feedback", "--to", world.to)
    assert listing["pages"] == ["ada/a1.html", "ada/a2.html", "ben/a2.html"]
    assert listing["changed"] == ["ada/a1.html"], "the others are as they were"


def test_pages_of_students_who_are_gone_are_kept_and_named(world):
    old = world.file("to/ben/a1.html", "old")
    done = world.add("ada").feedback()
    assert f"{old}: kept" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert old.read_text() == "old"


def test_the_same_results_give_the_same_bytes(world):
    world.add("ben", "ada")
    roster = "student,moodle\nada,Participant 1\nben,2\n"
    path = world.to / "a1-moodle.zip"
    world.feedback("--zip", "moodle", roster=roster)
    first = path.read_bytes()
    path.unlink()
    world.feedback("--zip", "moodle", roster=roster)
    assert path.read_bytes() == first
    assert packed({"b": "2", "a": "1"}) == packed({"a": "1", "b": "2"})
    entries = zipfile.ZipFile(io.BytesIO(first)).infolist()
    assert {entry.date_time[0] for entry in entries} == {1980}
    assert not list(world.to.rglob("*.new"))


# Zips


def test_an_underscore_in_a_name_does_not_move_the_number():
    """Moodle reads the number after the first underscore."""
    student = Student("ada", "Ada_B/ Lovelace", names={"moodle": "7"})
    name = moodle_name("", student, "a1")
    assert name.split("_")[1] == "7"
    assert name.count("/") == 1


def test_canvas_finds_the_submission_by_two_numbers_of_its_own_download():
    """Canvas takes the first two parts between underscores that are numbers."""
    for end in (
        "1041_55221_a1.ipynb",
        "LATE_1041_55221_a1-2.ipynb",
        "1041_55221_w.zip:in/a1.ipynb",
    ):
        name = canvas_name(f"sub/ada_{end}", ADA, "a1")
        assert [part for part in name.split("_") if part.isdecimal()] == ["1041", "55221"]


@pytest.mark.parametrize("name", [canvas_name, moodle_name])
def test_a_student_cannot_choose_whose_feedback_theirs_becomes(name):
    ben = Student("ben", "Ben Lovelace")
    for file in ("lovelaceada_1041_55221_a1.ipynb", "Ada_4711_assignsubmission_file_/a1.ipynb"):
        for start in ("sub/ben", "sub/ben/a1", "sub/ben_a1.zip:deep", "sub"):
            assert name(f"{start}/{file}", ben, "a1") is None, (start, file)


def test_a_groups_page_is_there_once_and_the_others_are_told_so(world):
    world.add(*(handed_in(s, file="sub/group1_1041_5_a1.ipynb") for s in ("ada", "ben")))
    roster = "student,canvas,group\nada,1041,Group 1\nben,1042,Group 1\n"
    (said,) = world.feedback("--zip", "canvas", roster=roster).stderr.splitlines()
    assert said.startswith("a1-canvas.zip: without ben, as the file is a group's, and another")


def test_who_is_not_in_the_zip_is_said(world):
    world.add("ada", "ben", "cyd")
    done = world.feedback("--zip", "moodle", "--zip", "canvas", roster="student,moodle\nada,1\n")
    first, second = done.stderr.splitlines()
    assert first.startswith("a1-moodle.zip: without ben, cyd, as neither")
    assert second.startswith("a1-canvas.zip: without ada, ben, cyd, as their submission was not")
    assert "a1-canvas.zip" not in world.written(), "an empty zip helps nobody"
    names = zipfile.ZipFile(world.to / "a1-moodle.zip").namelist()
    assert names == ["ada_1_assignsubmission_file_/a1-feedback.html"]


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


@cases("bad_feedback")
def test_bad_input_is_one_sentence(world, words, told):
    world.add("ada")
    assert told in world.refused("feedback", *words.split(), "--to", world.to)
    assert not world.to.exists()


def test_a_folder_without_results_and_a_file_in_the_way(world):
    assert "no results here" in world.refused("feedback", "--to", world.to)
    world.add("ada")
    world.to.write_text("mine")
    assert "is a file; give a folder" in world.refused("feedback", "--to", world.to)
    assert world.to.read_text() == "mine"


def test_a_comment_that_names_another_student_is_told_and_written(world):
    world.add("ada", "ben", "17")
    world.mark(
        ("ada", "1.11.a", 1.0, "The same as ben, sorry."),
        ("ada", "1.4", 3.0, "See Smith, Cyd!"),
        ("ben", "1.11.a", 1.0, "Ben, this benefits nobody: 17 of adamant."),
        ("17", "1.11.b", 1.0, "Cyd wrote it: no full name."),
    )
    roster = "student,name\nada,Ada Lovelace\nben,Ben\nc-1,Cyd Smith\n17,Dee Day\n"
    done = world.feedback("a1", roster=roster)
    told = [line.partition(";")[0] for line in done.stderr.splitlines()]
    assert told == [
        "ada a1: the comment on 1.11.a names another student, ben (Ben)",
        "ada a1: the comment on 1.4 names another student, c-1 (Cyd Smith)",
    ]
    assert "The same as ben" in world.page("ada")
