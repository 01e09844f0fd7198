"""What a study's report says: its numbers, its sentences, its figures, its pages."""

import dataclasses
import json
import math
import pickle
import re
import subprocess
import sys
from html import unescape

import pytest
from lxml import html
from study_trials import complete, failed, pruned, study_of, waiting

from course_study.commands import Where
from course_study.commands import report as command
from course_study.database.plan import same_data
from course_study.database.storage import StudyError
from course_study.findings import Findings
from course_study.report.build import SECTIONS, section, write
from course_study.report.drawings import drawings, mean_curves
from course_study.report.figures import BLUE, GREY, ORANGE, ROLES, forest
from course_study.report.material import Material, material
from course_study.report.wording import amount, changes, number, percent, probability, signed
from course_study.space import DEFAULT
from grader.course.course import Course
from grader.library import student_tree

pytestmark = pytest.mark.xdist_group("study_report")  # its database is made once

T2 = 4.302653  # of Student's t with 2 degrees of freedom, 95 % two-sided
CLEAR = [  # s² = 4 · 0.02 / 4 = 0.02, with 4 degrees of freedom
    *(complete(80.0 + 0.2 * i, seed=i, train_seconds=10.0) for i in range(2)),
    *(complete(90.0 + 0.2 * i, seed=i, train_seconds=12.0, dropout=0.0) for i in range(2)),
    *(complete(89.9 + 0.2 * i, seed=i, train_seconds=6.0, n_layers=4) for i in range(2)),
    *(complete(70.0 + 0.2 * i, seed=i, n_layers=4, dropout=0.0) for i in range(2)),
]
NULL = [
    *(complete(80.0 + 2 * i, seed=i, train_seconds=10.0) for i in range(2)),
    *(complete(84.0 + 2 * i, seed=i, train_seconds=20.0, dropout=0.0) for i in range(2)),
]


def material_of(shared, *trials, **attributes):
    return material(shared, study_of(shared, *trials, **attributes).study_name)


def said(found, id):
    """A section of the report as Markdown, without its heading."""
    return unescape(section(id, found)).partition("\n\n")[2]


def tables(found, id):
    """The rows of each table of a section, as lists of cells."""
    texts = re.findall(r"(?:^\|.*\n)+", said(found, id), re.MULTILINE)
    return [[line[2:-2].split(" | ") for line in table.splitlines()[2:]] for table in texts]


RECORD = {
    "configuration": {**DEFAULT, "n_layers": 4},
    "seeds": [100, 101],
    "validation": [88.0, 90.0],
    "test": [87.0, 89.0],
    "measure": "accuracy in percent",
}
SAYS = [  # a section, the trials, and a sentence of it
    ("answer", [*CLEAR, waiting(n_heads=4)], "is not finished:** 1 trial is still waiting"),
    ("answer", [complete(99.0 + i, seed=i) for i in range(2)], "accuracy ends at 100"),
    ("answer", [*CLEAR, pruned(50.0, 2, n_layers=4)], "survivors only:** 1 trial of it was pruned"),
    ("answer", CLEAR, "The test split has not been touched"),
    ("methods", [*CLEAR, waiting(warmup=10_000)], "2 and 4 steps for 4000 and 10,000"),  # of 45
    ("sensitivity", CLEAR, "10 % of all studies"),  # 1 − 0.95²
    ("sensitivity", CLEAR, "Holm"),
    ("sensitivity", CLEAR[2:], "The default has no complete trial"),
    ("limits", CLEAR, "729 combinations"),
    ("limits", CLEAR, "4 of them were measured"),
    ("limits", CLEAR, "`n_layers` 4, 6 and 8"),
    ("limits", CLEAR, "rises to 0.003"),
]


@pytest.mark.parametrize(("id", "trials", "sentence"), SAYS)
def test_a_section_says(id, trials, sentence, shared):
    assert sentence in said(material_of(shared, *trials), id)


def test_a_confirmation_of_another_configuration_is_told_apart(shared):
    record = {**RECORD, "configuration": DEFAULT}
    found = material_of(shared, *CLEAR, confirmation=record)
    assert "says nothing about that one" in said(found, "answer")


class TestTheAnswer:
    def test_the_cheaper_of_two_that_are_as_good_is_taken(self, shared):
        found = material_of(shared, *CLEAR)
        text = said(found, "answer")
        assert text.startswith("**Take the configuration with n_layers 4.**")
        assert "null result" not in text
        assert "do differ by more than the noise" in text
        assert "p < 0.001" in text
        assert "With 2 seeds each" in text
        assert "2 of the 4 configurations lie within that margin" in text
        assert "6.00 s a training, against 12.0 s of the configuration with dropout 0.0" in text
        assert "cheaper, not because it is better" in text

    def test_its_interval_is_of_the_pooled_noise(self, shared):
        found = material_of(shared, *CLEAR)
        s, t4 = math.sqrt(0.02), 2.776445
        assert found.findings.noise.s == pytest.approx(s)
        assert found.findings.noise.degrees == 4
        half = t4 * s / math.sqrt(2)
        assert f"[{90 - half:.2f}, {90 + half:.2f}]" in said(found, "answer")
        assert found.findings.margin == pytest.approx(t4 * s)

    def test_its_difference_from_the_default(self, shared):
        answer, half = said(material_of(shared, *CLEAR), "answer"), 2.776445 * math.sqrt(0.02)
        low, high = f"{9.9 - half:.2f}", f"{9.9 + half:.2f}"
        assert f"+9.90 points, with a 95 % interval of [{low}, {high}]" in answer
        assert "better by more than noise" in answer

    def test_a_null_result_is_called_one(self, shared):
        found = material_of(shared, *NULL)
        text = said(found, "answer")
        assert text.startswith("**Take the default.**")
        assert "**This is a null result.**" in text
        assert found.findings.p_of_no_difference == pytest.approx(0.10557, abs=1e-5)  # F = 8
        assert "p = 0.106" in text
        assert f"two means must lie {T2 * math.sqrt(2):.2f} points apart" in text
        assert "not because it is better" in text
        assert "No single change has a detectable effect" in said(found, "sensitivity")

    def test_the_chance_of_each_adds_up_to_one(self, shared):
        found = material_of(shared, *CLEAR)
        assert sum(found.findings.chances) == pytest.approx(1)
        assert found.findings.chances[0] == pytest.approx(0.76, abs=0.02)  # Φ(0.1 / √0.02)

    def test_no_waiting_trial_counts_as_failed(self, shared):
        found = material_of(shared, *CLEAR, waiting(seed=2, n_layers=4))
        assert changes(found.findings.recommended) == "n_layers 4"

    @pytest.mark.parametrize(
        ("trials", "sentence"),
        [
            ([], "no trial is complete"),
            ([waiting()], "no trial is complete"),
            ([failed("diverged", "nan")], "no trial is complete"),
            ([complete(80.0)], "Run a second seed"),
            ([complete(80.0), complete(80.0, seed=1)], "exactly the same quality"),
            ([complete(80.0), failed("diverged", "nan", seed=1)], "also has a failed one"),
            ([complete(80.0), complete(82.0, seed=1)], "nothing to compare it with"),
        ],
    )
    def test_little_is_enough_for_a_whole_report(self, shared, tmp_path, trials, sentence):
        found = material_of(shared, *trials)
        assert sentence in said(found, "answer")
        files = write(found, tmp_path / "out")
        assert files.markdown.read_text(encoding="utf-8").count("\n## ") == len(SECTIONS) == 9
        assert files.html.exists()


class TestWhatWasRun:
    def test_failures_are_counted_and_never_recommended(self, shared):
        best = [complete(99.0, dropout=0.3), failed("diverged", "step 3 is nan", 1, dropout=0.3)]
        found = material_of(shared, *CLEAR, *best)
        _, statuses, failures = tables(found, "methods")
        assert [row[:2] for row in statuses] == [["complete", "9"], ["diverged", "1"]]
        assert failures == [["dropout 0.3", "1", "diverged", "step 3 is nan"]]
        assert changes(found.findings.recommended) == "n_layers 4"
        line = next(r for r in tables(found, "configurations")[0] if r[0] == "dropout 0.3")
        assert line[1:3] == ["1", "1"]

    def test_what_differs_between_trials_is_told(self, shared):
        state, other = complete(81.0, seed=5)
        found = material_of(shared, *CLEAR, (state, {**other, "threads": 2}))
        said = dict(tables(found, "methods")[0])
        assert said["threads a trial"] == "1 (8 trials); 2 (1 trial)"
        assert said["device"] == "cpu"

    def test_other_data_is_refused(self, shared):
        study = study_of(shared)
        first, second = _Data("sst2", "a" * 64), _Data("vader_movies", "b" * 64)
        assert same_data(study, first)["splits"] == {"validation": 872}
        same_data(study, first)
        with pytest.raises(StudyError, match="was run on sst2 from a mirror, and here is vader"):
            same_data(study, second)


class _Data:
    def __init__(self, name, sha256):
        self.name, self.origin, self.sha256 = name, "a mirror", sha256
        self.splits = {"validation": range(872)}


class TestNoise:
    def test_the_split_is_a_sample_too(self, shared):
        data = {"name": "x", "origin": "y", "sha256": "0", "splits": {"validation": 1000}}
        found = material_of(shared, *CLEAR, data=data)
        text = said(found, "noise")
        assert "s = 0.141" in text
        assert "4 degrees of freedom" in text
        error = 100 * math.sqrt(0.9 * 0.1 / 1000)
        assert f"error of {error:.2f} points" in text

    def test_without_a_recorded_size_it_is_left_out(self, shared):
        found = material_of(shared, *CLEAR)
        assert found.validation_size is None
        assert "binomial" not in said(found, "noise")


class TestSensitivity:
    def test_the_forest_is_the_table(self, shared):
        found = material_of(shared, *CLEAR)
        (ax,) = drawings(found)["sensitivity"].figure.axes
        assert [text.get_text() for text in ax.get_yticklabels()] == ["n_layers 4", "dropout 0.0"]
        half = 2.776445 * math.sqrt(0.02)
        for place, (bar, difference) in enumerate(zip(ax.containers, (9.9, 10.0), strict=True)):
            assert bar[0].get_xydata().tolist() == [[pytest.approx(difference), place]]
            (segment,) = bar[2][0].get_segments()
            assert segment[:, 0].tolist() == pytest.approx([difference - half, difference + half])
        (table,) = tables(found, "sensitivity")
        assert table[0][2] == "+9.90"
        assert all(row[4] == row[5] == "< 0.001" for row in table)

    def test_only_what_holds_after_holm_is_coloured(self):
        row = {"difference": 1.0, "low": 0.5, "high": 1.5, "adjusted": 0.01}
        worse = {**row, "difference": -1.0, "low": -1.5, "high": -0.5}
        (ax,) = forest([row, worse, {**row, "adjusted": 0.06}], "abc", "x").axes
        assert [bar[0].get_color() for bar in ax.containers] == [BLUE, ORANGE, GREY]
        assert [bar[0].get_markerfacecolor() for bar in ax.containers][2] == "none"


class TestFigures:
    def test_points_of_quality_against_cost(self, shared):
        found = material_of(shared, *CLEAR)
        time, memory = drawings(found)["tradeoffs"].figure.axes
        points = time.containers[0][0].get_xydata().tolist()
        assert points == [pytest.approx(p) for p in ([12, 90.1], [6, 90.0], [10, 80.1], [10, 70.1])]
        front = next(line for line in time.lines if line.get_label() == "front")
        assert front.get_xydata().tolist() == [pytest.approx([6, 90.0]), pytest.approx([12, 90.1])]
        star = next(line for line in time.lines if line.get_label() == "recommended")
        assert star.get_xydata().tolist() == [pytest.approx([6, 90.0])]
        (table,) = tables(found, "costs")
        assert [row[0] for row in table] == ["dropout 0.0", "**n_layers 4**"]

    def test_memory_that_was_not_measured_is_left_out(self, shared):
        trials = [complete(80.0 + i, seed=i, memory=None) for i in range(2)] + CLEAR[2:]
        found = material_of(shared, *trials)
        assert len(drawings(found)["tradeoffs"].figure.axes) == 1
        assert "Memory was not measured" in said(found, "costs")

    def test_curves_are_means_over_seeds(self, shared):
        trials = [complete(80.0, 0, losses=(0.6, 0.4)), complete(82.0, 1, losses=(0.8, 0.5))]
        other = [complete(70.0 + i, i, losses=(0.9, 0.9), n_heads=4) for i in range(2)]
        found = material_of(shared, *trials, *other)
        lines = {name: (steps, losses) for name, steps, losses in mean_curves(found)}
        assert lines["recommended and default"] == ([30, 60], pytest.approx([0.7, 0.45]))
        (ax,) = drawings(found)["convergence"].figure.axes
        drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
        assert drawn["recommended and default"] == pytest.approx([0.7, 0.45])
        assert drawn["lowest quality"] == pytest.approx([0.9, 0.9])


class TestPruned:
    def test_they_enter_no_mean_and_are_counted_apart(self, shared):
        ended = [pruned(99.0, seed=2), pruned(98.0, n_heads=16)]
        found = material_of(shared, *CLEAR, *ended, pruner="asha")
        base = found.findings.line_of(DEFAULT)
        assert (base["n"], base["mean"], base["pruned"]) == (2, pytest.approx(80.1), 1)
        assert found.findings.noise.degrees == 4
        shared, statuses = tables(found, "methods")
        assert ["pruner", "asha"] in shared
        assert statuses[1][:2] == ["pruned", "2"]


class TestConfirmation:
    def test_with_one_it_is_the_only_use_of_the_test_split(self, shared):
        found = material_of(shared, *CLEAR, confirmation=RECORD)
        text = said(found, "answer")
        assert "not been touched" not in text
        assert "only use of the test split" in text
        assert "1.00 points lower than the 90.00 of the study" in text
        half = 12.7062 * math.sqrt(2) / math.sqrt(2)
        interval = f"[{88 - half:.2f}, {88 + half:.2f}]"
        assert ["test", "2", "88.00", interval, "87.00, 89.00"] in tables(found, "answer")[-1]


def asked(page):
    """What a page asks for."""
    names = ("src", "href", "xlink:href", "data")
    return [one.get(n) for one in html.fromstring(page).iter() for n in names if n in one.attrib]


class TestThePage:
    @pytest.fixture(scope="class")
    def folder(self, shared, tmp_path_factory):
        name = "x<script>alert(1)</script>"
        bad = failed("out of memory", "needs <b>2 GiB</b> | more", n_heads=16)
        found = material_of(shared, *CLEAR, bad)
        out = tmp_path_factory.mktemp("report")
        write(dataclasses.replace(found, name=name), out)
        return out

    @pytest.fixture(scope="class")
    def page(self, folder):
        return (folder / "report.html").read_text(encoding="utf-8")

    def test_it_asks_for_nothing_and_runs_nothing(self, page):
        assert all(address.startswith("#") for address in asked(page))
        assert not html.fromstring(page).xpath("//script|//link|//img|//iframe")
        assert "@import" not in page
        assert not re.search(r"url\((?!#)", page)

    def test_its_links_lead_to_ids_that_are_there_once(self, page):
        ids = html.fromstring(page).xpath("//@id")
        assert len(ids) == len(set(ids))
        assert {address[1:] for address in asked(page)} <= set(ids)

    def test_every_figure_has_words_and_the_colours_of_the_page(self, page):
        drawn = html.fromstring(page).xpath("//svg")
        assert len(drawn) == 3
        assert all(len(one.get("aria-label")) > 60 for one in drawn)
        figures = "".join(re.findall(r"<svg.*?</svg>", page, re.DOTALL))
        assert not any(colour in figures for colour in ROLES)
        assert not re.search(r"#000000|#ffffff|: white|: black", figures)
        assert "prefers-color-scheme: dark" in page

    def test_what_comes_from_outside_is_escaped(self, page, folder):
        assert "alert(1)" in page
        assert "<script>" not in page
        assert "&lt;b&gt;2\u00a0GiB" in page or "&lt;b&gt;2 GiB" in page
        text = (folder / "report.md").read_text(encoding="utf-8")
        assert "&lt;b>2 GiB&lt;/b> \\| more" in text

    def test_the_markdown_names_the_same_figures(self, folder):
        text = (folder / "report.md").read_text(encoding="utf-8")
        named = re.findall(r"\]\((figures/\w+\.svg)\)", text)
        assert len(named) == 3
        assert all((folder / name).read_text().startswith("<?xml") for name in named)
        assert text.count("\n## ") == 9


def test_the_command_writes_both_files(shared, tmp_path, capsys):
    name = study_of(shared, *CLEAR).study_name
    assert command(Where(shared.url, name), tmp_path / "out", as_json=True) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["recommended"]["configuration"] == {**DEFAULT, "n_layers": 4}
    assert answer["recommended"]["mean"] == pytest.approx(90.0)
    assert answer["noise"] == {"s": pytest.approx(math.sqrt(0.02)), "degrees": 4}
    assert answer["confirmation"] is None
    assert (tmp_path / "out" / "report.html").exists()
    assert (tmp_path / "out" / "report.md").exists()


def test_the_command_refuses_what_cannot_be_compared(shared, tmp_path):
    state, longer = complete(80.0, seed=7)
    name = study_of(shared, *CLEAR, (state, {**longer, "steps": 90})).study_name
    with pytest.raises(StudyError, match="cannot be reported: trials of 60 and 90 steps"):
        command(Where(shared.url, name), tmp_path / "out", as_json=False)


def test_a_password_that_is_left_out_is_told():
    text = section("reproduction", Material("n", "postgresql://me@host/db", Findings([]), None))
    assert "password of the database is left out" in text


def test_numbers_as_words():
    assert number(-0.001) == "0.00"
    assert number(-1.5) == "−1.50"
    assert signed(1.5) == "+1.50"
    assert signed(0.0) == "0.00"
    assert [amount(x) for x in (0.4123, 4.123, 41.23, 4123.0)] == ["0.412", "4.12", "41.2", "4,123"]
    assert [percent(x) for x in (0.0, 0.004, 0.5, 0.999, 1.0)] == [
        "0 %",
        "below 1 %",
        "50 %",
        "above 99 %",
        "100 %",
    ]
    assert [probability(p) for p in (0.0001, 0.0503, 0.2)] == ["< 0.001", "0.0503", "0.200"]


def test_a_students_tree_writes_the_same_report(shared, tmp_path):
    """Templates and styles go along with the modules that read them."""
    course, tree = Course.here(), tmp_path / "tree"
    found = material_of(shared, *CLEAR)
    student_tree.write(course, tree, released=[one.id for one in course.assignments])
    (tree / "material").write_bytes(pickle.dumps(found))
    code = """
import pickle
from pathlib import Path
from course_study.report.build import write
write(pickle.loads(Path("material").read_bytes()), Path("out"))
"""
    subprocess.run([sys.executable, "-c", code], cwd=tree, check=True)
    own = write(found, tmp_path / "own")
    assert (tree / "out" / "report.md").read_text() == own.markdown.read_text()
    assert (tree / "out" / "report.html").read_text() == own.html.read_text()
