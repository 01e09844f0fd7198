"""Where a release goes: a folder, a zip, a branch; what it replaces there and what it leaves."""

import subprocess

import pytest

from grader.authoring.release import changes, folder
from grader.authoring.release.changes import MANIFEST, ReleaseError
from grader.authoring.release.git_branch import Branch

FIRST = {"README.md": b"one\n", "lib/a.py": b"a = 1\n", "lib/b.py": b"b = 1\n"}
SECOND = {"README.md": b"two\n", "lib/a.py": b"a = 1\n", "new/c.py": b"c = 1\n"}


def put(place, files, name, answers=()):
    before, changelog = changes.previous(folder.read(place), str(place))
    folder.write(changes.finished(files, name, [*answers], before, changelog), place)


def test_the_changelog_says_what_changed_and_keeps_what_it_said(tmp_path):
    place = tmp_path / "to"
    put(place, FIRST, "Week 1")
    put(place, SECOND, "Week 2", ["a1"])
    text = (place / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.index("## Week 2") < text.index("## Week 1")
    assert "- Model answers are out for a1." in text
    assert "- New: `new/c.py`\n- Changed: `README.md`\n- Removed: `lib/b.py`\n" in text
    assert "## Week 1\n\nThe first release.\n" in text
    assert not (place / "lib" / "b.py").exists()
    put(place, SECOND, "Week 2", ["a1"])
    assert (place / "CHANGELOG.md").read_text(encoding="utf-8") == text
    assert [p.name for p in tmp_path.iterdir()] == ["to"]


@pytest.mark.parametrize(
    ("own", "told"), [("notes.txt", "no release made"), ("lib/a.py", "changed after the release")]
)
def test_somebodys_own_file_is_never_replaced(tmp_path, own, told):
    put(tmp_path / "to", FIRST, "Week 1")
    (tmp_path / "to" / own).write_text("mine", encoding="utf-8")
    with pytest.raises(ReleaseError, match=told) as error:
        put(tmp_path / "to", SECOND, "Week 2")
    assert "\n" not in str(error.value)
    assert (tmp_path / "to" / own).read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "to" / "README.md").read_bytes() == b"one\n"


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("text", encoding="utf-8")
    with pytest.raises(ReleaseError, match=r"holds thesis.tex, which no release made"):
        put(tmp_path, FIRST, "Week 1")


def test_a_release_that_was_killed_is_finished_by_the_next(tmp_path):
    put(tmp_path / "to", FIRST, "Week 1")
    before, changelog = changes.previous(folder.read(tmp_path / "to"), "to")
    coming = changes.finished(SECOND, "Week 2", [], before, changelog)
    (tmp_path / "to" / folder.NEXT).write_bytes(coming[MANIFEST])
    (tmp_path / "to" / "README.md").write_bytes(SECOND["README.md"])
    put(tmp_path / "to", SECOND, "Week 2")
    left = folder.read(tmp_path / "to")
    assert {name: left[name] for name in SECOND} == SECOND
    assert left.keys() == {*SECOND, MANIFEST, changes.CHANGELOG}


def test_a_zip_of_somebodys_own_is_not_replaced(tmp_path):
    (tmp_path / "to.zip").write_bytes(b"mine")
    with pytest.raises(ReleaseError, match="no release made it"):
        folder.zip_path(tmp_path / "to")


def commit(place, files, name, branch="main"):
    target = Branch(place, branch)
    before, changelog = changes.previous(target.files(), str(place))
    return target.commit(changes.finished(files, name, [], before, changelog), name)


def git(place, *arguments):
    done = subprocess.run(
        ["git", *arguments], cwd=place, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_branch_grows_in_one_line_and_holds_the_same_files(tmp_path):
    place = tmp_path / "students"
    assert commit(place, FIRST, "Week 1")
    assert commit(place, SECOND, "Week 2")
    assert not commit(place, SECOND, "Week 2")
    assert git(place, "log", "--format=%s", "main").splitlines() == ["Week 2", "Week 1"]
    assert git(place, "log", "--merges", "main") == ""
    assert git(place, "status", "--porcelain") == ""
    assert (place / "new" / "c.py").read_bytes() == b"c = 1\n"
    assert not (place / "lib" / "b.py").exists()


def test_a_branch_beside_others_shares_no_history_with_them(tmp_path):
    git(tmp_path, "init", "--quiet", "--initial-branch", "teachers")
    (tmp_path / "exam.txt").write_text("secret", encoding="utf-8")
    git(tmp_path, "add", "exam.txt")
    git(tmp_path, "-c", "user.name=T", "-c", "user.email=t@x", "commit", "--quiet", "-m", "Exam")
    commit(tmp_path, FIRST, "Week 1", "students")
    assert git(tmp_path, "log", "--format=%s", "students") == "Week 1"
    assert "exam.txt" not in git(tmp_path, "ls-tree", "-r", "--name-only", "students")
    assert git(tmp_path, "status", "--porcelain") == ""
    with pytest.raises(ReleaseError, match=r"exam.txt, which no release made"):
        commit(tmp_path, FIRST, "Week 1", "teachers")


def test_a_checked_out_branch_with_own_changes_is_left_alone(tmp_path):
    place = tmp_path / "students"
    commit(place, FIRST, "Week 1")
    (place / "README.md").write_text("mine", encoding="utf-8")
    with pytest.raises(ReleaseError, match="changes of your own"):
        commit(place, SECOND, "Week 2")
    assert (place / "README.md").read_text(encoding="utf-8") == "mine"
    assert git(place, "log", "--format=%s", "main") == "Week 1"
