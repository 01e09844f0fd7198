"""What a terminal shows: no control characters, whatever a folder is called; the table."""

import ast
import io
import json
import unicodedata

import proofs
import pytest
from checkout import ROOT
from rich.cells import cell_len
from rich.console import Console
from sample_results import sample
from test_report import BUG, CARRIED, hostile
from typer.testing import CliRunner
from world import A1, COURSE, judge

from grader.cli.app import app
from grader.course.visible import visible, visible_json, visible_name
from grader.exchange import gradescope_run, moodle
from grader.exchange.for_nbgrader import scores
from grader.grading import class_run
from grader.report import table

EVIL = "\x1b]0;mine\x07ben\u202eada\nzoe a1 100\x9b31m"
SHOWN = visible_name(EVIL)
SAID = ("grader/cli/records", "grader/cli/grading")


@pytest.fixture
def folder(world, monkeypatch):
    """A class of two, one of them with a name that would take over a terminal."""
    for name in (EVIL, "ada"):
        world.hand_in(f"{name}/a1/a1{EVIL}.ipynb", proofs.notebook("a1", "solution"))

    def result(found):
        bare = sample(found.student, notices=[f"printed {EVIL}"], reason=EVIL)
        return class_run.complete(bare, found, COURSE.assignment(found.assignment), {"": "x"})

    judge(monkeypatch, result)
    monkeypatch.chdir(ROOT)
    return world.folder


def command(*arguments):
    given = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, given, catch_exceptions=False)


def sent(text):
    """Control characters and marks that turn the direction, but for line feeds."""
    text = text.replace("\n", "")
    return {c for c in text if unicodedata.category(c) == "Cc" or c in "\u202e\u2066\u202b"}


@pytest.mark.long
def test_no_command_sends_what_a_name_holds(folder):
    out, to = ("--out", folder / "out"), folder / "to"
    canvas, moodle_file = folder / "from_canvas", folder / "from_moodle"
    canvas.write_text(f'Student,ID,a1 (1)\nPoints Possible,,100\n"{EVIL}",7,\nada,8,\n')
    moodle_file.write_text(
        "Identifier,Full name,Status,Grade,Maximum Grade,Grade can be changed,Last modified,"
        "Feedback comments\n"
        f'Participant 7,"{EVIL}",In,,100,Yes,-,\nParticipant 8,ada,In,,100,Yes,-,\n'
    )
    told = {}
    for arguments in (
        ("grade", folder / "class", *out),
        ("grade", folder / "class", *out, "--json"),
        ("grade", folder / "class", *out, "--exercise", "1.1", "--show"),
        ("grade", folder / "class", *out, "--preview"),
        ("grade", folder / "class", *out, "--only", "nobody"),
        ("report", folder / "out"),
        ("report", folder / "out", "--json"),
        ("why", SHOWN, "a1", *out),
        ("why", SHOWN, "a1", *out, "--json"),
        ("why", EVIL, "a1", *out),
        ("history", SHOWN, "a1", *out),
        ("grades", *out),
        ("grades", *out, "--json"),
        ("feedback", "a1", *out, "--to", folder / "pages"),
        ("export", "csv", *out, "--to", folder / "to" / "all.csv"),
        ("export", "junit", "a1", *out, "--to", folder / "to" / "a1.xml"),
        ("export", "canvas", *out, "--from", canvas, "--to", to / "canvas.csv"),
        ("export", "moodle", "a1", *out, "--from", moodle_file, "--to", to / "moodle.csv"),
        ("check", "a1", folder / "class" / EVIL / "a1" / f"a1{EVIL}.ipynb"),
        ("similar", folder / "class", "--to", folder / "similar.html"),
        ("similar", folder / "class", "--to", folder / "similar.html", "--json"),
    ):
        to.mkdir(exist_ok=True)
        try:
            done = command(*arguments)
        except Exception as error:  # `main` prints it, made visible
            told[arguments] = visible(str(error))
        else:
            told[arguments] = done.output + done.stderr
    assert {arguments: found for arguments, text in told.items() if (found := sent(text))} == {}
    named = [arguments[0] for arguments, text in told.items() if "⟨U+202E⟩" in text]
    assert {"grade", "similar", "why", "history", "grades"} <= set(named)
    for name in ("canvas.csv", "moodle.csv"):  # the platform's own names, byte by byte
        (to / name).unlink()
    texts = [*folder.rglob("*.csv"), *folder.rglob("*.xml"), *folder.rglob("*.html")]
    assert len(texts) > 5
    read = {path.name: path.read_text(encoding="utf-8") for path in texts}
    assert {name: found for name, text in read.items() if (found := sent(text))} == {}
    assert SHOWN in read["grades.csv"]


def test_no_platform_gets_what_a_message_holds():
    message = {"expected": EVIL, "got": EVIL, "cause": EVIL, "read": EVIL}
    failed = {"message": message, "bug_title": EVIL}
    result = sample(EVIL, failed={"1.1": [failed]}, reason=EVIL, notices=[EVIL])
    assert sent(moodle.feedback(result)) == set()
    assert sent("".join(texts(gradescope_run.results_json(result)))) == set()
    comments = scores._comments(result, A1)
    assert sent("".join(filter(None, comments.values()))) == set()
    assert "⟨U+202E⟩" in moodle.feedback(result) + comments["a1-softmax"]


def texts(value):
    """The texts in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)


def test_json_for_programs_means_what_it_says():
    value = {EVIL: ["é ✓", EVIL, "\ud800"]}
    assert json.loads(visible_json(value)) == value
    assert sent(visible_json(value)) == set()
    assert "é ✓" in visible_json(value)


def test_a_name_is_one_line_and_a_text_keeps_its_lines():
    assert "\n" not in visible_name(EVIL)
    assert visible_name("Zoë van der Ä") == "Zoë van der Ä"
    assert visible("a\nb\x1b") == "a\nb⟨U+001B⟩"


def test_commands_about_submissions_print_through_one_place():
    files = [path for name in SAID for path in [*(ROOT / name).glob("*.py"), ROOT / name]]
    for path in filter(lambda path: path.suffix == ".py", files):
        calls = [n.func for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
        assert not [c.lineno for c in calls if isinstance(c, ast.Name) and c.id == "print"], path


# The table of results.


def printed(results, width=120):
    out = io.StringIO()
    Console(file=out, width=width).print(table.table(results, width))
    return out.getvalue()


def test_the_table_has_one_line_a_result_and_runs_no_markup():
    results = [sample("[bold]x[/]", failed={"1.3": [BUG]}), hostile(), sample("s03", "a2")]
    first, *rows = printed(results).splitlines()
    assert first.split()[:2] == ["student", "score"]
    assert "[bold]x[/]" in rows[0]
    assert "1.3: Scores are not divided by √d_k" in rows[0]
    assert "3 pending" in rows[0]
    assert "\x1b[31m" not in printed(results)
    plain = printed([sample("s01"), sample("s02")], width=80).splitlines()
    assert len(plain) == 3


def test_what_to_do_about_a_file_that_cannot_be_read_is_whole_in_80_columns():
    why = "the file is a web page (HTML): submit the .ipynb; on GitHub, choose Download raw file"
    name = "a-name-so-long-that-no-cause-fits-beside-it"
    lines = printed([sample(name, outcome="INVALID", reason=why)], width=80).splitlines()
    assert " ".join(" ".join(lines[-2:]).split()) == why


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
def test_ids_and_headings_are_whole_at_every_width(width):
    """Also beside a row that says much, a wide alphabet and an id as long as a line."""
    held = [{"item": item, "points": 1, "comment": ""} for item in ("1.4", "1.11.a")]
    names = ["student-with-a-name", "李小龙", "мария", "x" * 50]
    late = "2027-02-09T12:00:00+00:00"
    results = [sample(name, failed={"1.3": [BUG]}, held=held, received=late) for name in names]
    lines = printed(results, width).splitlines()
    assert max(map(cell_len, lines)) <= width
    assert all(any(line.startswith(name) for line in lines) for name in names)
    assert {"student", "score", "outcome"} <= {*lines[0].split()}
    assert sum("1.3: Scores are not" in line for line in lines) == 4
    assert not [line for line in lines if line.endswith("divi…")]


def test_showing_one_exercise_to_a_marker():
    result = sample(failed={"1.3": [BUG], "1.4": [CARRIED]})
    shown = table.show_test(result, "1.3")
    assert "test_1_3.py::test_2" in shown
    assert "  expected      [0.5 0.5]\n  got           [4. 0.]\n" in shown
    assert "[scores_not_scaled]" in shown
    assert "7 of 8 passed" in shown
    assert "carried through: points kept" in table.show_test(result, "1.4")
    assert "1.11.a Scaling (pending of 4" in table.show_test(result, "1.11")
    with pytest.raises(KeyError, match="no exercise '9.9'; there are 1.1"):
        table.show_test(result, "9.9")
    assert "\x1b" not in table.show_test(hostile(), "1.4")
