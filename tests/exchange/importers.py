"""What Canvas and Moodle do with the files that they are given back, rule by rule.

Each function says in Python what a reading of the platform's public importer says: which header it
takes, which row belongs to whom, and above all which values it leaves out without a word.
"""

import csv
import io
import re
from dataclasses import dataclass, field
from pathlib import Path

from grader.course import toml


@dataclass(frozen=True)
class Language:
    """What Moodle writes in one language, and wants back."""

    header: list[str]  # identifier, name, address, status, grade, maximum, changeable, …
    participant: str
    yes: str
    decimal: str

    @property
    def wanted(self):
        identifier, *_, grade, _, _, _, modified, comments = self.header
        return identifier, grade, modified, comments


_LANGUAGES = toml.loads(Path(__file__).with_name("moodle_languages.toml").read_text("utf-8"))
ENGLISH, GERMAN, FRENCH, JAPANESE = (Language(**facts) for facts in _LANGUAGES.values())


@dataclass
class Taken:
    """What an importer has taken: grades and comments by the platform's number of the student."""

    grades: dict = field(default_factory=dict)
    comments: dict = field(default_factory=dict)
    left_out: dict = field(default_factory=dict)  # values that it drops, by number


def moodle(text, language, maximum, participants, locked=()):
    """The upload of a grading worksheet, comma-separated; refuses another language's header."""
    header, *rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    identifier, grade, modified, comments = language.wanted
    assert {identifier, grade, modified} <= {*header}, "Moodle refuses the file"
    taken = Taken()
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        number = cells[identifier][len(language.participant) :]
        if number not in participants:
            taken.left_out[number] = cells[grade]
            continue
        if cells[grade]:
            value = float(cells[grade].replace(language.decimal, "."))
            fits = 0 <= value <= maximum and number not in locked
            (taken.grades if fits else taken.left_out)[number] = value
        if cells.get(comments):
            taken.comments[number] = cells[comments]
    return taken


def moodle_feedback(names, participants):
    """The students to whom Moodle gives the files of a zip, by the file's name."""
    found = {}
    for name in names:
        for part in name.split("/"):
            pieces = part.split("_", 4)
            if len(pieces) >= 4 and pieces[1].isdecimal() and pieces[1] in participants:
                assert pieces[2:4] == ["assignsubmission", "file"]
                found[name] = pieces[1]
                break
    return found


def canvas(text, students, not_assigned=()):
    """The upload of a gradebook: grades by number of the student and header of the column.

    `students` are the names by number; `not_assigned` has pairs of number and header.
    """
    lines = text.splitlines()[:3]
    widths = {sign: {len(next(csv.reader([line], delimiter=sign))) for line in lines}
              for sign in ";,"}  # fmt: skip
    same = {sign: max(found) if len(found) == 1 else 0 for sign, found in widths.items()}
    delimiter = ";" if same[";"] > same[","] else ","
    header, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    assert ("Student" in header[0] and "ID" in header[1]) or (
        header[:2] == ["LastName", "FirstName"] and "ID" in header[2]
    ), "Canvas refuses the file"
    split = header[:2] == ["LastName", "FirstName"]
    place, last = (2, header.index("Section")) if split else (1, header.index("Section"))
    fixed = re.compile("(Current|Final|Override) (Score|Points|Grade|Status)")
    columns = [n for n in range(last + 1, len(header)) if not fixed.search(header[n])]
    taken, possible = Taken(), []
    for row in rows:
        if "Points Possible" in row[0]:
            possible = row
        elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell, re.I) for cell in row):
            number = row[place]
            if number not in students:
                by_name = [n for n, name in students.items() if name == row[0]]
                taken.left_out |= {row[0]: row} if not by_name else {}
                continue
            for column in columns:
                _canvas_cell(taken, (number, header[column]), row[column].strip(), not_assigned)
    for column in columns:
        if re.search(r"read\s+only", possible[column]):
            assert not any(name == header[column] for _, name in taken.grades), "read only"
    return taken


def _canvas_cell(taken, key, text, not_assigned):
    if text in ("", "-"):
        return
    if key in not_assigned:
        if text != "N/A":
            taken.left_out[key] = text
    elif text.upper() == "EX":
        taken.grades[key] = "EX"
    else:
        *whole, last = re.split("[.,]", text)
        taken.grades[key] = float(".".join(["".join(whole), last]) if whole else last)


def canvas_feedback(names, submitted):
    """The students to whom Canvas gives the files of a zip; `submitted`: (student's, file's)."""
    found = {}
    for name in names:
        numbers = [part for part in name.split("/")[-1].split("_") if re.fullmatch("[0-9]+", part)]
        if tuple(numbers[:2]) in submitted:
            found[name] = numbers[0]
    return found
