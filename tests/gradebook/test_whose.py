"""Whose a hand-in is, as the world names it: one row a case, and what is said about it."""

import os
import re
import zipfile
from pathlib import Path

import pytest
from checkout import EMPTY, place
from sample_results import COURSE
from world_tables import cases

from grader.classroom.roster import Roster
from grader.cli.grading import class_grading
from grader.intake import submissions
from grader.intake.submissions import SubmissionsError

IDS = ["a1", "a2"]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "class"


TEXTS, TEXT = r"html$|(?i:/|_)(?i:regrade-a)", "<p>My answer.</p>"  # files of no notebook


@pytest.fixture
def read(tmp_path, folder):
    """The class in `folder`: a roster's lines and names of files → owners and sentences."""

    def read(lines, *names):
        roster = Roster.read(place(tmp_path / "roster.csv", "\n".join(lines)), COURSE)
        for name in names:
            place(folder / name, TEXT if re.search(TEXTS, name) else EMPTY)
        said = []
        found = submissions.find(folder, IDS, roster, said.append)
        return [s.student for s in found], said

    return read


@cases("compared", "names.toml")
def test_a_name_is_compared_with_its_marks_and_without_punctuation(read, name, download, same):
    folder = f"{download}_4790_assignsubmission_file"
    owners, said = read(["student,name", f'ada,"{name}"'], f"{folder}/a1.ipynb")
    assert owners == (["ada"] if same else [folder])
    assert any(f"matched by name alone: ada ({folder})" in text for text in said) == same


@cases("whose", "names.toml")
def test_whose_it_is_and_what_is_said(read, roster, names, owners, said):
    found, told = read(roster, *names)
    assert found == owners
    assert said in "\n".join(told)
    assert said or not told


@cases("no_student", "names.toml")
def test_nothing_of_a_system_or_a_platform_is_a_student(read, names, owners):
    assert read(["student", "zed"], *names)[0] == owners


def packed(path, *names):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, EMPTY)


@cases("zips", "names.toml")
def test_a_platforms_zip_beside_is_no_student(read, folder, inside, beside, owners):
    packed(folder / "download.zip", *inside)
    names = [f"{name}/a1.ipynb" for name in beside] or ["ada_1_2_a1.ipynb"]
    found, said = read(["student", "zed"], *names)
    assert ("download" in found) == ("download" in owners)
    skipped = "download.zip: skipped, as it is the download of a whole class"
    assert (skipped in said) == ("download" not in owners)


def test_a_platforms_zip_alone_is_to_be_unpacked(read, folder):
    packed(folder / "submissions.zip", "ada_1_2_a1.ipynb", "ben_3_4_a1.ipynb")
    with pytest.raises(SubmissionsError, match="is the download of a whole class: unpack it first"):
        read(["student", "zed"])


@cases("above", "names.toml")
def test_the_folder_above_a_class_is_no_student(read, folder, names, is_class):
    lines = ["student", "zed", "yan"]
    if not is_class:
        said = "\n".join(read(lines, *names)[1])
        assert ("x looks like a class, not a student: give it alone" in said) == (len(names) == 3)
        return
    with pytest.raises(SubmissionsError, match="looks like a class, not a student: give that") as e:
        read(lines, *names)
    assert str(e.value).startswith(str(folder / names[0].partition("/")[0]))


# Downloads of Canvas, Moodle, Gradescope and GitHub Classroom.


ROSTER = """\
student,name,email,canvas,moodle,gradescope,github,nbgrader
ada,Ada Lovelace,ada@example.org,12345,,,ada-l,
ben,Benoît Mandelbrot,ben@example.org,,b.mandelbrot,,,bm42
cyd,Cyd Knuth,cyd@example.org,cydc,,7001,,
dee,Kim Lee,,,,,,
flo,Kim Lee,,,,,,
zoë,,,,,,,
"""
METADATA, GROUP = (  # as Gradescope exports them
    Path(__file__).with_name("gradescope").joinpath(f"{kind}_metadata.yml").read_text("utf-8")
    for kind in ("submission", "group")
)


@pytest.fixture
def roster(world):
    return world.roster(ROSTER)


def owners(folder, roster):
    return [(s.student, s.assignment) for s in submissions.find(folder, ["a1", "a2"], roster)]


@cases("downloads", "names.toml")
def test_a_download_belongs_to_the_student_of_the_roster(folder, roster, name, student, assignment):
    place(folder / name)
    assert owners(folder, roster) == [(student, assignment)]


def notices(folder, ids, roster):
    told = []
    submissions.find(folder, ids, roster, told.append)
    return told


def test_what_the_roster_lacks_is_said_once_for_each_platform(folder, roster):
    for number in range(7):
        place(folder / f"nobody_{number}_5_a1.ipynb")
    place(folder / "Kim Lee_9_assignsubmission_file_" / "a1.ipynb")
    place(folder / "notes.txt", "x")
    moodle, canvas = [told for told in notices(folder, ["a1"], roster) if "skipped" not in told]
    assert "nobody_4_5_a1.ipynb and 2 more: no student of the roster" in canvas
    assert "in the column canvas of --roster write '0' for the first" in canvas
    assert "have this name, so not matched" in moodle
    assert moodle.endswith("write '9' in the column moodle of --roster")
    assert owners(folder, roster)[1][0] == "nobody_0_5"


def test_canvas_says_that_it_is_late_but_not_since_when(folder, roster):
    place(folder / "lovelaceada_LATE_12345_67890_a1.ipynb")
    (told,) = notices(folder, ["a1"], roster)
    assert "as late, but says no time" in told
    assert "--received" in told


def test_what_canvas_does_not_mark_is_on_time_whatever_the_date_of_the_file(folder, roster):
    for name in ("lovelaceada_12345_67890_a1.ipynb", "cydc_LATE_777_67890_a1.ipynb"):
        place(folder / name)
    clocks = {s.student: s.received_from for s in submissions.find(folder, ["a1"], roster)}
    assert clocks == {"ada": "canvas", "cyd": "canvas-late"}


def test_every_member_of_a_group_has_its_submission(folder, roster):
    place(folder / "submission_metadata.yml", GROUP)
    place(folder / "submission_1" / "a1.ipynb")
    assert owners(folder, roster) == [("ada", "a1"), ("cyd", "a1"), ("submission_1", "a1")]
    (told,) = notices(folder, ["a1"], roster)
    assert "in the column gradescope of --roster write '9' or 'Stranger'" in told


def test_a_folder_named_like_an_assignment_is_no_student(folder, roster):
    place(folder / "A1" / "ada" / "work.ipynb")
    place(folder / "ben" / "a1" / "a1.ipynb")
    place(folder / "a1.old" / "a1.ipynb")
    with pytest.raises(SubmissionsError, match="A1 is an assignment, not a student: give .*/A1$"):
        submissions.find(folder, ["a1"], roster)
    for name in ("a1/a1.ipynb", "a1.ipynb"):
        inside = folder.parent / name.replace("/", "-") / "ada"
        place(inside / name)
        with pytest.raises(SubmissionsError, match="assignment, not a student: give .*-?ipynb$"):
            submissions.find(inside, ["a1"], roster)


def test_two_downloads_of_a_student_are_one_submission_with_a_notice(folder, roster):
    place(folder / "lovelaceada_12345_67890_a1.ipynb")
    place(folder / "a1-ada-l" / "a1" / "a1.ipynb")
    place(folder / "Ada Lovelace_9_assignsubmission_onlinetext_" / "onlinetext.html", "hello")
    (found,) = class_grading.received(folder, COURSE, roster=roster)
    assert (found.student, found.problem) == ("ada", "")
    assert any("handed in more than once" in notice for notice in found.notices)


def test_gradescopes_list_says_whose_and_when(folder, roster):
    place(folder / "submission_metadata.yml", METADATA)
    for number in (1, 2, 3):
        place(folder / f"submission_{number}" / "a1.ipynb")
    found = {s.student: s for s in submissions.find(folder, ["a1"], roster)}
    assert {*found} == {"ada", "cyd", "submission_3"}
    assert {s.received_from for s in found.values()} == {"gradescope"}
    assert found["cyd"].received.isoformat() == "2027-02-08T21:00:00.123456+00:00"
    assert found["ada"].received.hour == 22
    (told,) = notices(folder, ["a1"], roster)
    assert "in the column gradescope of --roster write '9' or 's@example.org' or" in told


@pytest.mark.parametrize(
    "text", ["[", "- a\n", "submission_1: 3\n", "submission_1: {:created_at: x}"]
)
def test_a_list_that_cannot_be_read_is_one_sentence(folder, text):
    place(folder / "submission_1" / "a1.ipynb")
    place(folder / "submission_metadata.yml", text)
    with pytest.raises(SubmissionsError, match="submission_metadata.yml: cannot be read") as caught:
        submissions.find(folder, ["a1"])
    assert "\n" not in str(caught.value)


def test_the_list_makes_no_object_but_plain_values(folder):
    place(folder / "submission_1" / "a1.ipynb")
    evil = f"submission_1: !!python/object/apply:os.mkdir ['{folder / 'made'}']\n"
    place(folder / "submission_metadata.yml", evil)
    with pytest.raises(SubmissionsError):
        submissions.find(folder, ["a1"])
    assert not os.path.exists(folder / "made")
