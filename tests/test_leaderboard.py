"""`course leaderboard`: only who wants to, under a pseudonym, with the grader's own scores."""

import json

import pytest
from sample_results import COURSE, SCORED, sample
from typer.testing import CliRunner

from grader.classroom import pseudonyms
from grader.classroom.csv_file import CsvError
from grader.classroom.roster import Roster, Student
from grader.cli.app import app
from grader.cli.problems import sentence
from grader.gradebook import stored_roster
from grader.gradebook.exercise_result import ModelResult
from grader.gradebook.store import Store
from grader.report.leaderboard import LeaderboardError, leaderboard
from grader.report.page import render_leaderboard

A3, A4 = COURSE.assignment("a3"), COURSE.assignment("a4")


def scored(student, bleu, **facts):
    """A graded translator."""
    model = SCORED | {"bleu": bleu} | ({"low": bleu - 1.5, "high": bleu + 1.5} if bleu else {})
    return sample(student, "a4", model=ModelResult(**model | facts))


def classified(student, accuracy):
    facts = SCORED | {"measure": "accuracy", "accuracy": accuracy, "bleu": None}
    model = ModelResult(**facts | {"low": None, "high": None})
    return sample(student, "a4", model=model).model_copy(update={"assignment": "a3"})


def board(results, names, assignment=A4):
    return leaderboard(results, assignment, COURSE, names)


def test_equal_scores_share_a_rank():
    names = {"ada": "Zebra", "ben": "Ant", "cy": "Bee", "dee": "Cat"}
    scores = {"ada": 47.3, "ben": 46.0, "cy": 47.3, "dee": 40.5}
    entries = board([scored(s, value) for s, value in scores.items()], names).entries
    assert [(e.rank, e.pseudonym, e.score) for e in entries] == [
        (1, "Bee", "47.30"),
        (1, "Zebra", "47.30"),
        (3, "Ant", "46.00"),
        (4, "Cat", "40.50"),
    ]
    assert entries[0].interval == "45.80 to 48.80"


def test_only_who_wants_to_and_has_a_score_is_shown_and_nobody_by_name():
    results = [
        scored("ada", 47.3),
        scored("ben", 50.0),
        scored("cy", None, problem="no model.safetensors was handed in"),
        sample("dee", "a4"),
    ]
    made = board(results, {"ada": "Countess", "cy": "Ghost", "dee": "Nobody"})
    assert [entry.pseudonym for entry in made.entries] == ["Countess"]
    for text in (made.to_markdown(), render_leaderboard(made)):
        assert "Countess" in text
        for hidden in ("ada", "ben", "50.0", "Ghost", "Nobody"):
            assert hidden not in text.replace("metadata", "").replace("gradable", "")


def test_accuracy_has_no_interval():
    made = board([classified("ada", 81.25)], {"ada": "Countess"}, A3)
    assert (made.unit, made.entries[0].score, made.entries[0].interval) == (
        "accuracy in %",
        "81.25",
        "",
    )
    assert "intervals overlap" not in made.note


def test_a_pseudonym_cannot_break_the_table_or_the_page():
    made = board([scored("ada", 47.3)], {"ada": "<script>|`*[x](http://y)"})
    assert r"\<script\>\|\`\*" in made.to_markdown()
    assert "<script>|" not in render_leaderboard(made)
    assert "&lt;script&gt;|" in render_leaderboard(made)


@pytest.mark.parametrize(
    ("assignment", "results", "told"),
    [
        ("a1", [], "a1 grades no trained model: there are leaderboards of a3 and a4"),
        ("a4", [sample("ada", "a4")], "no student with a pseudonym has a scored model in a4"),
        (
            "a4",
            [scored("ada", 47.3), scored("ben", 90.0, source="generated")],
            "scored on generated and the real data, which do not compare",
        ),
    ],
)
def test_nothing_to_compare_is_one_sentence(assignment, results, told):
    names = {"ada": "Countess", "ben": "Fractal"}
    with pytest.raises(LeaderboardError, match=told):
        board(results, names, COURSE.assignment(assignment))


def roster(folder, *rows):
    path = folder / "roster.csv"
    path.write_text("student,name,leaderboard\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_an_empty_cell_means_not_shown(tmp_path):
    path = roster(tmp_path, "ada,Ada,Countess", "ben,Ben,", ",,")
    assert pseudonyms.read(path) == {"ada": "Countess"}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (["ada,,Bee", "ben,,bee"], "line 3: the pseudonym 'bee' is on line 2 too: keep one"),
        (["ada,,Bee", "ada,,Ant"], "line 3: student 'ada' is on line 2 too: keep one"),
        (["ada,,Ben", "ben,,"], "the pseudonym 'Ben' is the name of a student: choose another"),
        (["ada,Ada L,ada l"], "the pseudonym 'ada l' is the name of a student"),
        ([",,Bee"], "line 2: the pseudonym 'Bee' has no student"),
        (["ada,," + "x" * 41], "at most 40 characters"),
    ],
)
def test_a_bad_row_is_one_sentence(tmp_path, rows, told):
    with pytest.raises(CsvError) as caught:
        pseudonyms.read(roster(tmp_path, *rows))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def graded(tmp_path):
    with Store(tmp_path / "results.db") as store:
        store.add(scored("ada", 45.0))
        store.add(scored("ada", 47.3))
        store.add(scored("ben", 46.0))
    return tmp_path


def test_the_command_writes_a_page_and_markdown_from_the_newest_results(graded):
    path = roster(graded, "ada,,Countess", "ben,,Fractal")
    command = ["leaderboard", "a4", "--roster", str(path), "--out", str(graded)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, (done.output, done.exception)
    assert "| 1 | Countess | 47.30 | 45.80 to 48.80 | 1,000 of 1,000 |" in done.stdout
    assert (graded / "leaderboard_a4.md").read_text(encoding="utf-8") in done.stdout
    assert "Countess" in (graded / "leaderboard_a4.html").read_text(encoding="utf-8")
    done = CliRunner().invoke(app, [*command, "--to", str(graded / "board.md"), "--json"])
    assert [entry["rank"] for entry in json.loads(done.stdout)] == [1, 2]
    assert "Fractal" in (graded / "board.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["a9"], "no assignment 'a9'"),
        (["a4", "--to", "board.pdf"], "ends with .html or .md"),
        (["a1"], "grades no trained model"),
    ],
)
def test_a_wrong_option_is_one_sentence(graded, options, told):
    path = roster(graded, "ada,,Countess")
    done = CliRunner().invoke(
        app, ["leaderboard", *options, "--roster", str(path), "--out", str(graded)]
    )
    code, text = sentence(done.exception)
    assert code == 2
    assert told in text


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_command_reads_a_store_elsewhere_and_the_pseudonyms_in_it(kind, tmp_path, request):
    url = f"sqlite:///{tmp_path / 'class.db'}"
    if kind == "postgresql":
        url = request.getfixturevalue("database")
    listed = roster(tmp_path, "ada,Ada Lovelace,Countess", "ben,,Fractal", "cy,,")
    with Store(url) as store:
        for student, bleu in (("ada", 47.3), ("ben", 46.0), ("cy", 50.0)):
            store.add(scored(student, bleu))
        stored_roster.keep(store, Roster.read(listed, COURSE))
    out = tmp_path / "out"
    out.mkdir()

    def ranked(*options):
        command = ["leaderboard", "a4", "--store", url, "--out", str(out), "--json", *options]
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 0, (done.output, done.exception)
        return [entry["pseudonym"] for entry in json.loads(done.stdout)]

    assert ranked() == ["Countess", "Fractal"]
    assert ranked("--roster", str(roster(tmp_path, "cy,,Ghost"))) == ["Ghost"]
    assert {path.name for path in out.iterdir()} == {"leaderboard_a4.html", "leaderboard_a4.md"}


def test_a_bad_pseudonym_in_the_stored_roster_is_one_sentence():
    def told(*students):
        with pytest.raises(CsvError) as caught:
            pseudonyms.of(Roster({student.id: student for student in students}))
        return str(caught.value)

    ada, ben = Student("ada", "Ada L", leaderboard="Bee"), Student("ben", leaderboard="bee")
    assert told(ada, ben) == "the stored roster: the pseudonym 'bee' is ada's too: keep one"
    long = Student("ben", leaderboard="x" * 41)
    assert "at most 40 characters" in told(ada, long)
    assert "is the name of a student" in told(ada, Student("ben", leaderboard="ada l"))
