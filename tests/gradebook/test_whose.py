"""Whose a hand-in is, as the world names it: one row a case, and what is said about it."""

import re
import zipfile

import pytest
from checkout import EMPTY, place
from sample_results import COURSE

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


@pytest.mark.parametrize(
    ("name", "download", "same"),
    [
        ("रमा शर्मा", "राम शर्मा", False),  # Hindi: the vowel signs are the name
        ("रमा शर्मा", "शर्मा, रमा", True),
        ("கமலா தேவி", "கமல தேவி", False),  # Tamil
        ("สมชาย ใจดี", "สมชาย ใจดา", False),  # Thai
        ("সীমা দাস", "সোমা দাস", False),  # Bengali
        ("মিতা সেন", "মতি সেন", False),
        ("ಗೀತಾ ರಾವ್", "ಗೋತಾ ರಾವ್", False),  # Kannada
        ("נָעֳמִי כהן", "נָעֳמִי כהן", True),  # Hebrew with points
        ("အောင်ဆန်း", "အင်ဆန်း", False),  # Burmese
        ("Jörg Müller", "Jo\u0308rg Mu\u0308ller", True),
        ("Jörg Müller", "Jorg Muller", False),
        ("Nguyễn Thị Hoa", "Hoa Nguyễn Thị", True),
        ("Nguyễn Thị Hoa", "Nguyên Thi Hoa", False),
        ("Sean O'Brien", "Sean OBrien", True),  # as Moodle writes it
        ("Sean O’Brien", "O'Brien, Sean", True),
        ("Jean-Luc Picard", "picardjean-luc", True),
        ("🌸 Ada Lovelace", "Ada Lovelace", True),
        ("❤️ Ada Lovelace", "Lovelace Ada", True),
        ("\u202bمحمد علي\u202c", "محمد علي", True),
        ("STRASSE Anna", "Anna Straße", True),
        ("Ada Lovelace", "Ada  Lovelace.", True),
        ("Ada Lovelace", "Ada Lovelacé", False),
    ],
)
def test_a_name_is_compared_with_its_marks_and_without_punctuation(read, name, download, same):
    folder = f"{download}_4790_assignsubmission_file"
    owners, said = read(["student,name", f'ada,"{name}"'], f"{folder}/a1.ipynb")
    assert owners == (["ada"] if same else [folder])
    assert any(f"matched by name alone: ada ({folder})" in text for text in said) == same


@pytest.mark.parametrize(
    ("roster", "names", "owners", "said"),
    [
        (  # the name that both have, which was once the advice
            ["student,name,canvas", "kim1,Kim Lee,leekim", "kim2,Kim Lee,"],
            ["leekim_1047_6_a1.ipynb", "leekim_1048_7_a1.ipynb"],
            ["leekim_1047_6", "leekim_1048_7"],
            "all have the name of kim1, but different numbers",
        ),
        (
            ["student,name,canvas", "kim1,Kim Lee,1047", "kim2,Kim Lee,1048"],
            ["leekim_1047_6_a1.ipynb", "leekim_1048_7_a1.ipynb"],
            ["kim1", "kim2"],
            "",
        ),
        (
            ["student,name", "rama,रमा शर्मा"],
            ["रमा शर्मा_1_assignsubmission_file/a1.ipynb",
             "शर्मा रमा_2_assignsubmission_file/a1.ipynb"],
            ["रमा शर्मा_1_assignsubmission_file", "शर्मा रमा_2_assignsubmission_file"],
            "write '1' or '2' in the column moodle",
        ),
        (  # the number in the roster is the student's; the other one is somebody else's
            ["student,name,moodle", "rama,रमा शर्मा,1"],
            ["रमा शर्मा_1_assignsubmission_file/a1.ipynb",
             "रमा शर्मा_2_assignsubmission_file/a1.ipynb"],
            ["rama", "रमा शर्मा_2_assignsubmission_file"],
            "the name of rama, but not the number",
        ),
        (  # Moodle counts anew in each assignment
            ["student,name", "ada,Ada L"],
            ["Ada L_1_assignsubmission_file/a1.ipynb", "Ada L_2_assignsubmission_file/a2.ipynb"],
            ["ada", "ada"],
            "matched by name alone",
        ),
        (
            ["student,name", "kim1,Kim Lee", "kim2,Kim Lee"],
            ["leekim_1047_6_a1.ipynb", "leekim_1048_7_a1.ipynb"],
            ["leekim_1047_6", "leekim_1048_7"],
            "kim1 and kim2 have this name, so not matched; for whoever it is, write '1047' or "
            "'1048' in the column canvas",
        ),
        (  # two of one name, and a stranger: each is said what is so
            ["student,name", "kim1,Kim Lee", "kim2,Lee Kim"],
            ["leekim_1047_6_a1.ipynb", "bob_7_8_a1.ipynb"],
            ["bob_7_8", "leekim_1047_6"],
            "\nbob_7_8_a1.ipynb: no student of the roster",
        ),
        # a student who asks for a regrade hands in nothing new
        (
            ["student,canvas", "ada,1041", "ben,1042"],
            ["lovelaceada_1041_5_a1.ipynb", "lovelaceada_1041_6_regrade-a1-1.4.txt",
             "bitdiddleben_LATE_1042_7_Regrade-a1-1.11.a (1).TXT"],
            ["ada"],
            "regrade requests, so not graded: bitdiddleben_LATE",
        ),
        (
            ["student,name", "ada,Ada L", "ben,Ben B"],
            ["Ada L_1_assignsubmission_file_/a1.ipynb",
             "Ada L_1_assignsubmission_file_/regrade-a2-2.4.txt",
             "Ben B_2_assignsubmission_file_/regrade-a1-1.4.txt"],
            ["ada"],
            "regrade requests, so not graded: Ben B_2_assignsubmission_file_; `course",
        ),
        (  # a notebook that is named so is one
            ["student,name", "ada,Ada L"],
            ["ada/a1_regrade.ipynb.txt"],
            ["ada"],
            "",
        ),
        (
            ["student,name", "ada,Ada L"],
            ["bob_7_8_a1.ipynb"],
            ["bob_7_8"],
            "in the column canvas of --roster write '7' or 'bob'",
        ),
        (  # a stranger who handed in again is one row
            ["student,name", "ada,Ada L"],
            ["bob_7_8_a1.ipynb", "bob_LATE_7_9_a1-1.ipynb"],
            ["bob_7_8"],
            "bob_7_8_a1.ipynb, bob_LATE_7_9_a1-1.ipynb: no student of the roster",
        ),
        (
            ["student,name", "kim1,Kim Lee"],
            ["leekim_1_7_a1.ipynb", "leekim_2_6_a1.ipynb", "leekim_LATE_2_9_a1-1.ipynb"],
            ["leekim_1_7", "leekim_2_6"],
            "for whoever it is, write '1' or '2' in the column canvas",
        ),
        # names with underscores, if the number is known
        (
            ["student,name,canvas", "adams,Vera von der Adams,1049"],
            ["von_deradams_1049_67901_a1.ipynb", "von_deradams_LATE_1049_67902_a2.ipynb"],
            ["adams", "adams"],
            "as late",
        ),
        (  # a file's own name is the student's to choose: it makes nobody else's work
            ["student,canvas", "ada,1041"],
            ["bob_7_8_x_1041_5_a1.ipynb", "a_b_7_8_y_1041_5_a1.ipynb"],
            ["a_b_7_8_y_1041_5", "bob_7_8_x_1041_5"],
            "no student of the roster",
        ),
        # groups
        (
            ["student,canvas,group", "ada,1041,Group 1", "ben,1042,group 1", "cyd,1043,Group 2"],
            ["group1_1041_67900_a1.ipynb"],
            ["ada", "ben"],
            "",
        ),
        (
            ["student,name,canvas", "ada,Ada L,1041"],
            ["group1_1041_67900_a1.ipynb"],
            ["ada"],
            "write 'group1' in the column group of --roster for each member",
        ),
        (
            ["student;group", "ada;Team Alpha", "ben;Team Alpha, Tutors", "cyd;"],
            ["Team Alpha_17_assignsubmission_file/a1.ipynb"],
            ["ada", "ben"],
            "",
        ),
        (
            ["student,group", "ada,Default group", "ben,Other"],
            ["Default group_assignsubmission_file/a1.ipynb"],
            ["ada"],
            "",
        ),
        (
            ["student,group", "ada,"],
            ["Default group_assignsubmission_file/a1.ipynb"],
            ["Default group_assignsubmission_file"],
            "in the column group of --roster write 'Default group'",
        ),
        (  # the representative's own number is of the group, and each has a file of their own too
            ["student,canvas,group", "ada,1041,G", "ben,1042,G"],
            ["g_1041_1_a1.ipynb", "ben_1042_2_a2.ipynb"],
            ["ada", "ben", "ben"],
            "",
        ),
        # Canvas hides names
        (
            ["student,canvas", "ada,1041"],
            ["anon_7gKqP_67890_a1.ipynb", "LATE_anon_x9bYz_67891_a1.ipynb"],
            ["LATE_anon_x9bYz_67891", "anon_7gKqP_67890"],
            "Canvas hid the names",
        ),
        (
            ["student,canvas", "ada,7gKqP"],
            ["LATE_anon_7gKqP_67890_a1.ipynb"],
            ["ada"],
            "Canvas marks LATE_anon_7gKqP_67890_a1.ipynb as late",
        ),
        # GitHub Classroom: the slug of an assignment, a number after a name that is taken
        (
            ["student,github", "ada,ada-l", "ben,bmandel"],
            ["self-attention-ada-l/a1.ipynb", "self-attention-bmandel/a1.ipynb"],
            ["ada", "ben"],
            "",
        ),
        (
            ["student,github", "ben,bmandel"],
            ["a1-bmandel-1/a1.ipynb"],
            ["ben"],
            "matched by name alone: ben (a1-bmandel-1)",
        ),
        (  # another login that only ends like a student's
            ["student,github", "ada,ada-l", "ben,bmandel"],
            ["hw-xx-ada-l/a1.ipynb", "hw-bmandel/a1.ipynb", "hw-bmandel/.git/HEAD"],
            ["ben", "hw-xx-ada-l"],
            "",
        ),
        (  # no repositories, only names with a hyphen
            ["student,github", "ada,ann"],
            ["mary-ann/a1.ipynb", "mary-bell/a1.ipynb", "ann-1/a1.ipynb"],
            ["ann-1", "mary-ann", "mary-bell"],
            "",
        ),
        (
            ["student,canvas,name", "lea,1060,Lea Ver"],
            ["verlea_1060_5_a1.ipynb"],
            ["lea"],
            "",
        ),
        (
            ["student,github", "ada,ada-1", "ben,ada"],
            ["a1-ada-1/a1.ipynb", "a1-ada/a1.ipynb"],
            ["ada", "ben"],
            "",
        ),
        (
            ["student,name", "ada,Ada L"],
            ["self-attention-ada-l/.git/HEAD", "self-attention-ada-l/a1.ipynb",
             "self-attention-ben/.git/HEAD", "self-attention-ben/a1.ipynb"],
            ["self-attention-ada-l", "self-attention-ben"],
            "in the column github of --roster write 'ada-l' for the first",
        ),
    ],
)  # fmt: skip
def test_whose_it_is_and_what_is_said(read, roster, names, owners, said):
    found, told = read(roster, *names)
    assert found == owners
    assert said in "\n".join(told)
    assert said or not told


@pytest.mark.parametrize(
    ("names", "owners"),
    [
        (["__MACOSX/._x", "ada/a1.ipynb"], ["ada"]),
        ([".DS_Store", "@eaDir/x.ipynb", "$RECYCLE.BIN/a1.ipynb", "ada.ipynb"], ["ada"]),
        (
            [
                "__pycache__/a.ipynb",
                "lost+found/a.ipynb",
                "System Volume Information/a.ipynb",
                "ada.ipynb",
            ],
            ["ada"],
        ),
        (
            ["Ada_9_assignsubmission_file_/a1.ipynb", "Ada_9_assignsubmission_onlinetext_/o.html"],
            ["Ada_9_assignsubmission_file_"],
        ),
        (  # a text alone was handed in
            ["Ada_9_assignsubmission_file/a1.ipynb", "Bo_8_assignsubmission_onlinetext/o.html"],
            ["Ada_9_assignsubmission_file", "Bo_8_assignsubmission_onlinetext"],
        ),
    ],
)
def test_nothing_of_a_system_or_a_platform_is_a_student(read, names, owners):
    assert read(["student", "zed"], *names)[0] == owners


def packed(path, *names):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, EMPTY)


@pytest.mark.parametrize(
    ("inside", "beside", "owners"),
    [
        (["ada_1_2_a1.ipynb", "ben_3_4_a1.ipynb"], [], ["ada_1_2"]),
        (["Ada_1_assignsubmission_file/a1.ipynb", "Bo_2_assignsubmission_file/a.ipynb"], [], []),
        (["x/submission_1/a1.ipynb", "x/submission_metadata.yml"], [], []),
        (["ada_1_2_a1.ipynb"], [], ["ada_1_2"]),  # a class of one, unpacked here
        (["bob/a1.ipynb", "eve/a1.ipynb"], ["bob", "eve"], ["bob", "eve"]),
        # what a student packs
        (["a1.ipynb", "notes.txt"], [], ["download"]),
        (["submission_1/a1.ipynb", "submission_2/notes.txt"], [], ["download"]),
        (["ada_9_9_a1.ipynb"], [], ["ada_1_2", "download"]),
    ],
)
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


@pytest.mark.parametrize(
    ("names", "is_class"),
    [
        (["a1-submissions/a1-ada-l/a1.ipynb", "a1-submissions/a1-ben/a1.ipynb"], True),
        (["x/a_1_2_a1.ipynb", "x/b_3_4_a1.ipynb"], True),
        (["x/A_1_assignsubmission_file/a.ipynb", "x/B_2_assignsubmission_file/a.ipynb"], True),
        (["x/submission_metadata.yml", "x/submission_1/a1.ipynb"], True),
        (["x/hw-ada/.git/HEAD", "x/hw-ben/.git/HEAD", "x/hw-ben/a1.ipynb"], True),
        (["x/zed/a1.ipynb", "x/yan/a1.ipynb"], True),  # of the roster
        (["x/a1/a1.ipynb", "x/a2/a2.ipynb"], False),
        (["x/a1-old/a1.ipynb", "x/a1-new/a1.ipynb"], False),
        (["zed/a_1_2_a1.ipynb", "zed/b_3_4_a1.ipynb"], False),
        (["x/a_1_2_a1.ipynb", "x/b_3_4_a1.ipynb", "eve/a1.ipynb"], False),
    ],
)
def test_the_folder_above_a_class_is_no_student(read, folder, names, is_class):
    lines = ["student", "zed", "yan"]
    if not is_class:
        said = "\n".join(read(lines, *names)[1])
        assert ("x looks like a class, not a student: give it alone" in said) == (len(names) == 3)
        return
    with pytest.raises(SubmissionsError, match="looks like a class, not a student: give that") as e:
        read(lines, *names)
    assert str(e.value).startswith(str(folder / names[0].partition("/")[0]))
