"""Views: starters and solutions are what a build makes, and starters hold no answer."""

import copy
import json
import re

import proofs
import pytest
from checkout import ROOT

from grader.authoring import course_build, likeness
from grader.authoring.views import notebooks, text_notebook
from grader.library import student_tree
from grader.library.components import BuildError, stub

ASSIGNMENTS = ("a1", "a2", "a3", "a4", "a5")


def test_nothing_that_is_generated_has_drifted(course):
    assert course_build.drifted(course) == []


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_every_solution_cell_was_run_without_an_error(id):
    notebook = json.loads((ROOT / "solutions" / f"{id}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    assert all(cell["execution_count"] for cell in code)
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert sum("image/png" in o.get("data", {}) for o in outputs) >= 4


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_a_starter_has_no_outputs_and_no_answers(course, id):
    assignment = course.assignment(id)
    starter = notebooks.build(course, assignment, "starter")
    hidden = student_tree.unreleased(course)
    assert all(not cell.get("outputs") for cell in starter["cells"])
    assert likeness.find_leaks(likeness.code_of_notebook(id, starter), hidden) == []
    text = notebooks.dump(starter)
    assert text_notebook.TEXT_ANSWER not in text
    assert "Rubric for" not in text


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_the_no_leak_proof_finds_every_answer_of_a_solution(course, id):
    """A check that cannot fail proves nothing: every component of the solution is found."""
    assignment = course.assignment(id)
    solution = notebooks.build(course, assignment, "solution")
    hidden = [c for exercise in assignment.exercises for c in exercise.components]
    leaks = likeness.find_leaks(likeness.code_of_notebook(id, solution), hidden)
    assert {leak.component for leak in leaks} == set(hidden)


def test_the_students_course_lib_holds_no_answer_that_is_not_out(course, tmp_path):
    student_tree.write(course, tmp_path)
    hidden = student_tree.unreleased(course)
    code = proofs.code_of_tree(tmp_path)
    assert likeness.find_leaks(code, hidden) == []
    assert any("raise NotImplementedError" in source for _, source in code)
    for name in ("solutions", "autograder"):
        assert not list(tmp_path.rglob(name))


def test_a_released_assignment_is_whole_in_the_students_course_lib(course, tmp_path):
    student_tree.write(course, tmp_path, released=["a1"])
    module = "course_lib/numpy_forms/attention.py"
    text = (tmp_path / module).read_text(encoding="utf-8")
    assert text == (ROOT / module).read_text(encoding="utf-8")


def test_a_stub_keeps_signature_docstring_given_methods_and_steps():
    source = '''class Layer:
    """Doc."""

    def __init__(self, d: int = 3):  # given
        self.d = d

    def __call__(self, x):
        """Apply."""
        # step 1: project
        y = x * self.d
        return y
'''
    text = stub(source, "A9.9: Layer is not written yet", "Layer")
    assert "self.d = d" in text
    assert "def __call__(self, x):" in text
    assert '"""Apply."""' in text
    assert "# step 1: project" in text
    assert "return y" not in text
    with pytest.raises(BuildError, match="Other"):
        stub(source, "label", "Other")


def test_a_directive_that_course_toml_does_not_know_is_one_sentence(course):
    maker = notebooks._Maker(course, course.assignment("a1"), "starter", {})
    with pytest.raises(BuildError, match=r"1\.99"):
        maker.add(text_notebook.SourceCell("code", "", "check", "1.99"))
    with pytest.raises(BuildError, match="placed 0 times"):
        maker.finish()


def with_exercise(course, position, **fields):
    """The course with one exercise of assignment 1 changed, or another one added."""
    first = course.assignments[0]
    exercises = list(first.exercises)
    exercises[position : position + 1] = [exercises[position].model_copy(update=fields)]
    changed = first.model_copy(update={"exercises": exercises})
    return course.model_copy(update={"assignments": [changed, *course.assignments[1:]]})


def test_what_does_not_fit_together_is_told_before_anything_is_built(course):
    """Each such sentence is proven in `test_whole`."""
    lacking = with_exercise(course, 0, id="1.99")
    with pytest.raises(
        BuildError, match=r'marked @exercise\("1.99"\), so every student would get 0'
    ):
        course_build.drifted(lacking)


def test_a_reserved_component_that_is_gone_is_named(course, tmp_path):
    facts = course.facts.model_copy(update={"reserved": ["course_lib.fast.loss:gone"]})
    lacking = course.model_copy(update={"facts": facts})
    with pytest.raises(BuildError, match=r"`reserved`: course_lib.fast.loss defines no 'gone'"):
        course_build.drifted(lacking)
    with pytest.raises(BuildError, match="defines no 'gone'"):
        student_tree.write(lacking, tmp_path)


def test_outputs_stay_while_the_code_does(course, tmp_path):
    made = notebooks.build(course, course.assignment("a1"), "solution")
    path = tmp_path / "a1.ipynb"

    def target(notebook):
        text = notebooks.dump(course_build._bare(notebook))
        return course_build.Target(ROOT / path, text, is_executed=True)

    ran = course_build._with_outputs(made, made)
    code = next(cell for cell in ran["cells"] if cell["cell_type"] == "code")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["seen\n"]}]
    path.write_text(notebooks.dump(ran), encoding="utf-8")
    other_text = copy.deepcopy(made)
    other_text["cells"][0]["source"] = ["Another beginning."]
    kept = course_build._executed(target(other_text), pytest.fail)
    assert kept["cells"][0]["source"] == ["Another beginning."]
    assert [o for cell in kept["cells"] for o in cell.get("outputs", [])] == code["outputs"]

    def told(text):
        raise RuntimeError(text)

    cells = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert notebooks.SETUP in cells[0]["metadata"]["tags"]
    elsewhere = copy.deepcopy(made)  # another address, another version: what came out stays
    next(c for c in elsewhere["cells"] if c["cell_type"] == "code")["source"] = ["COURSE = ''"]
    assert course_build._executed(target(elsewhere), pytest.fail)
    explained = copy.deepcopy(made)  # a comment changes no output
    cell = next(c for c in explained["cells"] if c["id"] == cells[1]["id"])
    cell["source"] = [*cell["source"], "  # so far\n", '# another "#" too']
    assert course_build._executed(target(explained), pytest.fail)
    other_code = copy.deepcopy(made)
    next(c for c in other_code["cells"] if c["id"] == cells[1]["id"])["source"] = ["1 + 1"]
    with pytest.raises(RuntimeError, match="running"):
        course_build._executed(target(other_code), told)
    path.write_text('{"cells": [], "metadata": {}}', encoding="utf-8")  # somebody else's notebook
    assert target(made).drift() == "differs from what its source generates"
    with pytest.raises(RuntimeError, match="running"):
        course_build._executed(target(made), told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('```{code-cell}\n:check: "1.1"\n:setup: a1\n```', "several directives"),
        ('+++ {"checks": "1.1"}', "neither"),
        ("+++ check=1.1", "neither"),
        ('+++ {"exercise": 1.10}', "neither"),
        ("```{raw-cell}\n```", "has no {raw-cell}"),
        ("```{code-cell}\nx = 1", "does not end"),
    ],
)
def test_a_cell_of_a_text_notebook_that_cannot_be_read_is_told(tmp_path, text, told):
    (tmp_path / "a1.md").write_text(f"{text}\n", encoding="utf-8")
    with pytest.raises(BuildError, match=f"^a1.md: .*{told}"):
        text_notebook.parse(tmp_path, "a1.md")


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_the_first_exercise_comes_within_a_screen_and_a_half(course, id):
    assignment = course.assignment(id)
    cells = notebooks.build(course, assignment, "starter")["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    first = next(n for n, text in enumerate(texts) if text.startswith(f"## {id[1:]}.1 "))
    folded = [cell["metadata"].get("jupyter", {}).get("source_hidden") for cell in cells]
    assert folded[:first].count(True) == 2  # set-up and imports
    assert all("cellView" in cells[n]["metadata"] for n in range(first) if folded[n])
    seen = "\n".join(text for n, text in enumerate(texts[:first]) if not folded[n])
    seen = re.sub(r"<img[^>]*>|<details>.*?</details>", "", seen, flags=re.DOTALL)
    assert len(seen.split()) < 350
    assert "| exercise |" not in seen
    for name in assignment.forbidden:
        listed = [text for text in texts if f"without `{name}`" in text or f", `{name}`." in text]
        assert len(listed) <= 1, name  # once, at the top
    for exercise in assignment.exercises:
        task = next((text for text in texts if text.startswith(f"## {exercise.id} ")), "")
        said = "Not allowed here" in task
        assert said == bool(exercise.forbidden)
        assert not said or task.rstrip().rpartition("\n\n")[2].startswith("Not allowed here")
