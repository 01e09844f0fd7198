"""Whose a hand-in is, as the world names it: one row a case, and what is said about it."""

import re
import zipfile

import pytest
from checkout import EMPTY, place
from sample_results import COURSE
from world_tables import cases

from grader.classroom.roster import Roster
from grader.intake import submissions
from grader.intake.submissions import SubmissionsError

IDS = ["a1", "a2"]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "class"


TEXTS, TEXT = r"html$|(?i:/|_)(?i:regrade-a)", "<p>My answer.</p>"  # files of no notebook


@pytest.fixture
def read(tmp_path):
    """The class in `folder`: a roster's lines and names of files → owners and sentences."""

    def read(lines, *names, **contents):
        roster = Roster.read(place(tmp_path / "roster.csv", "\n".join(lines)), COURSE)
        for name in names:
            place(
                tmp_path / "class" / name,
                contents.get(name, TEXT if re.search(TEXTS, name) else EMPTY),
            )
        said = []
        found = submissions.find(tmp_path / "class", IDS, roster, said.append)
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
