"""`course similar`: a disguised copy is found, independent and untouched work is not accused."""

import json
import re

import pytest
from checkout import ROOT, place
from in_process import course, printed

from autograder.demo import disguises
from grader.authoring.proof import cases
from grader.authoring.views import notebooks
from grader.cli.output import code_and_message
from grader.course import mistakes
from grader.course.course import Course
from grader.library.components import Component
from grader.similarity import compare, page, tokens
from grader.similarity.own_work import Handout

pytestmark = pytest.mark.xdist_group("similar")  # its works are read once

COURSE = Course.here()
A1 = COURSE.assignment("a1")
VARIANTS = {variant.name: variant.replace for variant in cases.variants(A1)}
ONE = VARIANTS["loops_where_allowed"]
REFERENCE = {c: Component.parse(c).source for e in A1.exercises for c in e.components}


def as_bytes(sources, assignment=A1):
    return notebooks.dump(notebooks.build(COURSE, assignment, "starter", sources)).encode()


@pytest.fixture(scope="module")
def handout():
    return Handout.of(COURSE, A1)


@pytest.fixture(scope="module")
def solution(handout):
    return handout.work(compare.SOLUTION, as_bytes(REFERENCE))


@pytest.fixture(scope="module")
def independent(handout):
    return [handout.work(name, as_bytes(sources)) for name, sources in VARIANTS.items()]


def named(pairs):
    return [{pair.first.student, pair.second.student} for pair in pairs]


def test_independent_correct_work_is_not_accused(independent, solution):
    assert len(independent) >= 5
    assert compare.suspicious(independent, solution) == []


def test_nobody_is_accused_in_a_class_of_assignment_4():
    a4 = COURSE.assignment("a4")
    handout, ways = Handout.of(COURSE, a4), cases.variants(a4)
    works = [handout.work(way.name, as_bytes(way.replace, a4)) for way in ways]
    assert len(works) >= 8
    assert compare.suspicious(works) == []


@pytest.mark.parametrize("disguise", disguises.ALL, ids=lambda disguise: disguise.__name__)
def test_a_copy_is_found_in_every_disguise(handout, independent, solution, disguise):
    copy = handout.work("copy", as_bytes(disguise(ONE)))
    assert named(compare.suspicious([*independent, copy], solution)) == [
        {"loops_where_allowed", "copy"}
    ]


def test_one_added_cell_hides_nothing(handout):
    notebook = json.loads(as_bytes(ONE))
    notebook["cells"].append({"cell_type": "code", "source": "def mine(x):\n    return x + 1"})
    works = [handout.work("a", as_bytes(ONE)), handout.work("b", json.dumps(notebook).encode())]
    assert named(compare.suspicious(works)) == [{"a", "b"}]


def test_untouched_starters_are_not_copies_of_each_other(handout):
    works = [handout.work(f"s{number}", as_bytes({})) for number in range(3)]
    assert [work.pieces for work in works] == [()] * 3
    assert compare.suspicious(works) == []


def test_who_hands_in_the_courses_solution_is_listed_with_it(handout, solution):
    """Also with a mistake; two of them are not accused of each other, unless it is the same."""
    works = []
    for name in ("scores_not_scaled", "softmax_fixed_axis"):
        bug = mistakes.named(COURSE, f"a1/{name}")
        wrong = {bug.component: bug.apply(REFERENCE[bug.component])}
        works.append(handout.work(name, as_bytes({**REFERENCE, **wrong})))
    listed = named(compare.suspicious(works, solution))
    assert len(listed) == 2
    assert all({work.student, compare.SOLUTION} in listed for work in works)


def test_who_has_the_courses_very_text_is_listed_with_it_alone(handout, solution):
    works = [handout.work(f"s{n}", as_bytes(REFERENCE)) for n in range(3)]
    with_it = [{work.student, compare.SOLUTION} for work in works]
    assert named(compare.suspicious(works, solution)) == with_it
    assert len(compare.suspicious(works)) == 3  # with each other


def test_what_many_students_wrote_does_not_count(handout, independent):
    everyone = [handout.work(f"s{n}", as_bytes(disguises.renamed(ONE))) for n in range(4)]
    everyone[0] = handout.work("s0", as_bytes(ONE))  # not the same code, the same fingerprints
    assert {"s0", "s1"} in named(compare.suspicious(everyone, common=4))
    assert {"s0", "s1"} not in named(compare.suspicious(everyone, common=3))


def test_winnowing_finds_every_long_enough_common_run():
    shared = [f"t{number}" for number in range(tokens.K + tokens.WINDOW - 1)]
    first, second = (
        tokens.hashes([f"{name}{n}" for n in range(30)] + shared + [f"{name}end"])
        for name in ("a", "b")
    )
    kept = [{found[i] for i in tokens.chosen(found)} for found in (first, second)]
    assert kept[0] & kept[1]
    assert len(kept[0]) < len(first)
    short = tokens.hashes(shared[: tokens.K - 1])
    assert short == []
    assert tokens.chosen(short) == set()


def test_the_page_marks_the_matching_lines_and_nothing_in_it_runs(handout):
    evil = "def softmax(scores, axis=-1):\n    return '</pre><script>alert(1)</script>'"
    name = "<b>eve</b>"
    changed = {**ONE, "course_lib.numpy_forms.attention:softmax": evil}
    works = [handout.work(name, as_bytes(changed)), handout.work("ben", as_bytes(ONE))]
    text = page.render([page.Comparison(A1, 2, compare.suspicious(works))], ["cy a1: not JSON"])
    assert "<script" not in text
    assert "<b>eve" not in text
    assert "&lt;b&gt;eve&lt;/b&gt;" in text
    assert "prefers-color-scheme: dark" in text
    assert "cy a1: not JSON" in text
    assert not re.search(r"(src|href)=\"(?!#)", text)
    marked = re.findall(r"<mark>([^<]*)</mark>", text)
    assert marked
    assert any(line.strip() in "\n".join(ONE.values()) for line in marked if len(line) > 30)
    for anchor in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{anchor}"' in text


def test_the_command_lists_pairs_and_says_what_it_could_not_read(tmp_path):
    students = {"ada": as_bytes(ONE), "ben": as_bytes(disguises.all_at_once(ONE)), "cy": b"{"}
    for student, data in students.items():
        place(tmp_path / "in" / student / "a1" / "a1.ipynb", data)
    to = tmp_path / "new" / "similar.html"
    done = course("similar", tmp_path / "in", "--to", to, "--json")
    assert done.exit_code == 0, done.output
    entry = json.loads(done.stdout)[0]
    assert (entry["assignment"], entry["students"]) == ("a1", ["ada", "ben"])
    assert entry["share"] > compare.WHOLE
    assert "not compared: cy a1: the file is cut off at its end" in done.stderr
    assert "cy a1" in to.read_text(encoding="utf-8")


def test_the_roster_says_who_is_one_student_and_a_group_is_no_pair(tmp_path):
    folder, copy = tmp_path / "in", as_bytes(disguises.renamed(ONE))
    place(folder / "submission_1" / "a1.ipynb", copy)
    (folder / "submission_metadata.yml").write_text(
        "submission_1:\n  :submitters:\n  - :name: Ben\n  - :name: Cyd\n"
    )
    for name in ("lovelaceada_1041_1_a1.ipynb", "lovelaceada_LATE_1041_2_a1-1.ipynb"):
        (folder / name).write_bytes(as_bytes(ONE))
    roster = tmp_path / "roster.csv"
    roster.write_text("student,name,canvas\nada,Ada,1041\nben,Ben,\ncyd,Cyd,\n")
    options = ("--to", tmp_path / "similar.html", "--roster", roster, "--json")
    pairs = json.loads(printed("similar", folder, *options))
    assert [pair["students"] for pair in pairs] == [["ada", "ben, cyd"]]


def test_an_assignment_that_nobody_handed_in_is_one_sentence(tmp_path):
    place(tmp_path / "ada_a1.ipynb", as_bytes({}))
    code, told = code_and_message(course("similar", tmp_path, "--assignment", "a2").exception)
    assert code == 2
    assert "nobody handed in" in told


def test_the_measured_rates_are_those_that_the_thresholds_were_chosen_by():
    path = ROOT / "results" / "bench_similar.json"
    measures = json.loads(path.read_text(encoding="utf-8"))["measures"]
    assert measures["accused_independent"]["mean"] == measures["accused_starters"]["mean"] == 0
    assert max(measures["highest_independent"]["values"]) < 100 * compare.WHOLE / 2
    assert measures["found_all_at_once"]["mean"] > 95
