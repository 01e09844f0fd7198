"""How an assignment begins: a result before the first exercise, a target, a shortest path."""

import ast
import json
import re

import pytest
import torch
from checkout import ROOT

from course_lib.classifier import EncoderClassifier
from course_lib.first_results import reviews, translations
from course_lib.transformer import Transformer
from grader.authoring.views import notebooks, texts
from grader.checking.suite import read_tests
from grader.library import student_tree
from grader.library.components import Component
from grader.notebook.statements import global_names

FIRST = ROOT / "course_lib" / "first_results"


def outputs(id, code):
    """The text that the cells with this code printed in the solution."""
    notebook = json.loads((ROOT / f"solutions/{id}.ipynb").read_text(encoding="utf-8"))
    cells = [c for c in notebook["cells"] if code in "".join(c["source"])]
    assert cells
    return "".join("".join(out.get("text", "")) for cell in cells for out in cell["outputs"])


@pytest.mark.parametrize(
    ("id", "code", "first"), [("a3", "judge(REVIEWS", 50), ("a4", "translation_maps(SENT", 0)]
)
def test_the_small_models_of_the_solution_have_learned(id, code, first):
    """torch's layers, then the reader's own: from guessing to nearly all of the new sentences."""
    learned = re.findall(r"before training (\d+)%.* (\d+)%\n", outputs(id, code))
    assert len(learned) == 2
    for before, after in learned:
        assert abs(int(before) - first) <= 10
        assert int(after) >= 80


@pytest.mark.parametrize("build", [reviews.TorchClassifier, EncoderClassifier])
def test_reviews_are_judged_by_a_model_that_was_just_trained(capsys, monkeypatch, build):
    monkeypatch.setattr(reviews, "REVIEWS", {"train": 200, "validation": 20})
    reviews.judge(["the plot is lovely .", "words that nobody knows"], build)
    printed = capsys.readouterr().out
    assert printed.count("→") == reviews.PASSES
    assert re.search(r"\d+% positive: words that nobody knows\n$", printed)


@pytest.mark.parametrize("build", [translations.TorchTranslator, Transformer])
def test_sentences_are_translated_with_a_map_of_weights(capsys, monkeypatch, build):
    for name, value in {"WORDS": 4, "NEW": 10, "PASSES": 3}.items():
        monkeypatch.setattr(translations, name, value)
    figure = translations.translation_maps(["Two dogs sleep.", "We are old."], build)
    for ax, line in zip(figure.axes, capsys.readouterr().out.splitlines()[-2:], strict=True):
        source, target = (side.split() for side in line.split(" → "))
        assert [label.get_text() for label in ax.get_xticklabels()] == source
        assert [label.get_text() for label in ax.get_yticklabels()] == target
        weights = torch.tensor(ax.images[0].get_array())
        torch.testing.assert_close(weights.sum(dim=1), torch.ones(len(target)))


def test_a_translation_is_that_of_greedy_search():
    """Guesses that correct themselves end where one word after another does."""
    torch.manual_seed(0)
    model = Transformer(40, **translations.SIZES).eval()
    for source in ([5, 6, 7], [9, 8, 30, 31]):
        read = [translations.START]
        while len(read) < translations.LONGEST:
            logits, _ = model(torch.tensor([source]), torch.tensor([read]))
            if (token := int(logits[0, -1].argmax())) == translations.END:
                break
            read.append(token)
        made, weights = translations._translated(model, source)
        assert made[: len(read) - 1] == read[1:]
        assert weights.shape == (len(made), len(source))


@pytest.mark.parametrize(("id", "module"), [("a3", "reviews"), ("a4", "translations")])
def test_a_result_comes_before_the_first_exercise_and_is_made_of_given_parts(
    course, tmp_path, id, module
):
    cells = notebooks.build(course, course.assignment(id), "starter")["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    begun = next(n for n, text in enumerate(sources) if text.startswith(f"## {id[1]}.1 "))
    (shown,) = (n for n, text in enumerate(sources) if f"first_results.{module} import" in text)
    assert shown < begun
    assert len(sources[shown].splitlines()) <= 8
    student_tree.write(course, tmp_path, id)  # what students get; test_build proves it has no leak
    answers = {reference.partition(":")[2] for reference in student_tree.unreleased(course)}
    for path in FIRST.glob("*.py"):
        copy = tmp_path / path.relative_to(ROOT)
        assert copy.read_text(encoding="utf-8") == path.read_text(encoding="utf-8")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not answers & {a.name for n in ast.walk(tree) for a in getattr(n, "names", [])}
        assert not answers & global_names(path.read_text(encoding="utf-8"))


def needed(assignment, exercise):
    """Ids of what an exercise uses or is tested after, and of what cells after it use."""
    owners = {
        Component.parse(reference).name: one.id
        for one in assignment.exercises
        for reference in one.components
    }
    used = {
        owners[name]
        for reference in exercise.components
        for name in global_names(Component.parse(reference).source) & owners.keys()
    }
    return used | {*assignment.upstream(exercise)}


@pytest.mark.parametrize("id", ["a1", "a2", "a3", "a4", "a5"])
def test_the_shortest_path_is_half_the_points_in_less_than_half_the_time(course, id):
    assignment = course.assignment(id)
    path = [assignment.exercise(one) for one in assignment.shortest_path]
    points, minutes = sum(e.points for e in path), sum(e.minutes for e in path)
    assert points >= 50
    assert minutes <= 0.46 * assignment.minutes
    for exercise in path:
        assert needed(assignment, exercise) <= {*assignment.shortest_path}
        assert not exercise.bonus
    page = texts.readme(course, assignment)
    assert f"{points:g} of 100 points in {minutes} of {assignment.minutes} minutes" in page
    marked = re.findall(rf"^\| (\S+) .* {texts.MARK} \|", page, flags=re.MULTILINE)
    assert sorted(marked) == sorted(assignment.shortest_path)
    starter = notebooks.dump(notebooks.build(course, assignment, "starter"))
    assert starter.count(f"{texts.MARK} shortest path") == len(path)


@pytest.mark.parametrize(("id", "maps"), [("a3", "judge(REVIEWS, "), ("a4", "(SENTENCES, ")])
def test_the_shortest_path_ends_in_the_first_result_by_parts_of_ones_own(course, id, maps):
    cells = notebooks.build(course, course.assignment(id), "starter")["cells"]
    (own,) = ("".join(c["source"]) for c in cells if maps in "".join(c["source"]))
    asked = re.findall(r'"(\d\.\d+)"', own.splitlines()[0])
    assert {*asked} <= {*course.assignment(id).shortest_path}


def results(name, measure):
    return json.loads((ROOT / f"results/{name}.json").read_text(encoding="utf-8"))["measures"][
        measure
    ]["mean"]


def test_each_target_is_a_number_that_was_reached(course):
    target = {one.id: one.target for one in course.assignments}
    tests = sum(len(read_tests(path)) for path in course.assignment("a1").public_tests)
    assert f"all {tests} visible tests" in target["a1"]

    printed = outputs("a2", "our causal mask passed to torch unconverted")
    assert all(float(far) < 1e-5 for far in re.findall(r"by (\S+?e-\d+)", printed))
    assert max(map(float, re.findall(r"\d\.\d\d\b", printed.rpartition("query:")[2]))) > 1
    assert "less than 1e-5, and by more than 1 " in target["a2"]

    assert "more than 80 %" in target["a3"]
    assert results("sst2_cpu", "validation_accuracy") > 80
    assert "validation 0." in outputs("a3", "with kept_training(")

    assert "51 BLEU" in target["a4"]
    assert results("multi30k_test2016", "beam5_bleu") > 51
    assert "BLEU of the sample" in outputs("a4", "with kept_training(")

    trials = re.search(r"\d+ trials", target["a5"])[0]
    assert f"{trials} in " in outputs("a5", "queue(database")
    for id, said in target.items():
        assert f"**Target** {said}" in texts.readme(course, course.assignment(id))
