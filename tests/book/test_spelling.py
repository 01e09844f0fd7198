"""The spelling of what students and instructors read, by codespell's list of common mistakes."""

import re
import subprocess
import sys

import pytest
from checkout import ROOT

pytest.importorskip("codespell_lib", reason="no codespell: `pip install -e .[dev]` brings it")

# Names that are right, however much they resemble a mistake.
NAMES = ("gage", "pinter")
CUT = r"\w+…"  # a word that a table had no room for
TEXTS = ("*.md", "*/README.md", "assignments/*/README.md", "lectures/**/*.md")
RECORDS = "autograder/*/exercise_*/exercise.toml"
SOURCES = ("course.toml", RECORDS, "lectures/quizzes/*.toml", "solutions/a*.md")


def mistakes(paths):
    command = [sys.executable, "-m", "codespell_lib"]
    options = [f"--ignore-words-list={','.join(NAMES)}", f"--ignore-regex={CUT}"]
    done = subprocess.run([*command, *options, *map(str, paths)], capture_output=True, text=True)
    return done.stdout.splitlines()


def test_a_percent_sign_follows_its_number():
    """A line could end between them."""
    paths = [*ROOT.glob("lectures/**/*.md"), *ROOT.glob("lectures/**/*.toml")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    assert re.findall(r".*\d %.*", text) == []


def test_no_word_is_misspelled():
    paths = [path for pattern in (*TEXTS, *SOURCES) for path in sorted(ROOT.glob(pattern))]
    assert len(paths) > 40
    assert mistakes(paths) == []


def test_a_mistake_is_found(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("A sentance of five words, the last one cut afte…\n", encoding="utf-8")
    assert len(mistakes([path])) == 1
