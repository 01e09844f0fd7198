"""A trained translator is scored only by the translations recomputed in the sandbox."""

import dataclasses
import json

import proofs
import pytest
import torch
from safetensors.torch import load, save
from small_translation import CODE, LAST, SMALL, TEST, pairs, trained
from world_tables import cases, texts

from autograder.scorers.bleu import LONGEST, Bleu
from course_lib.data.datasets import DataError
from course_lib.evaluation.translation import bleu
from course_lib.recipes.translation import untrained_model
from course_lib.training import saved_model
from grader.authoring.views import notebooks
from grader.course.submission_folder import check_folder
from grader.grading import fingerprints
from grader.intake import handed_in
from grader.judge import score
from grader.judge.grade import grade
from grader.judge.models import scorer
from grader.judge.models.asking import Answers, how_many
from grader.judge.models.scorer import HiddenLabels
from grader.judge.models.thresholds import full_at, share
from grader.judge.suite_run import Submitted
from grader.library.components import Component
from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell, read
from grader.report.sentences import model_sentences

pytestmark = pytest.mark.xdist_group("a4")  # its model is trained once, and workers start once


@pytest.fixture(scope="module")
def data():
    return pairs()


@pytest.fixture(scope="module")
def hidden(data):
    test = data[TEST][:]
    fingerprint = data.fingerprint(TEST)
    return HiddenLabels("mirror", tuple(test["en"]), tuple(test["fr"]), fingerprint)


@pytest.fixture(scope="module")
def files(hidden, tmp_path_factory):
    """What a student hands in, written as the notebook writes it."""
    folder = tmp_path_factory.mktemp("submission")
    made = trained().translator.translate(hidden.sentences, width=2)
    about = {"name": "made_up", "source": "mirror", "fingerprint": hidden.fingerprint}
    measured = {"training_perplexity": 1.2, "validation_perplexity": 1.5}
    form = trained().translator.arguments
    saved_model.save_translator(
        folder, trained().model, form, trained().tokenizer, made, about, measured
    )
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def notebook(course):
    """Assignment 4 with every exercise written, and `load_model` and `translate` of the test's."""
    assignment = course.assignment("a4")
    names = [name for exercise in assignment.exercises for name in exercise.components]
    sources = {name: Component.parse(name).source for name in names}
    made = notebooks.build(course, assignment, "starter", sources)

    def with_code(code):
        return proofs.with_cells(notebooks.dump(made).encode(), code)

    return with_code


@pytest.fixture
def evaluated(course, evaluate, notebook, files, hidden):
    """Evaluate files with a notebook's own code, in the sandbox."""
    points = course.assignment("a4").model.entry_points

    def run(changed=None, code=CODE, hidden=hidden, seconds=60.0, whole=True, exercises=()):
        cells = read(notebook(code)) if whole else [Cell(1, "code", code, "")]
        given = files if changed is None else changed
        return evaluate("a4", given, collect(cells, points), hidden, exercises, seconds=seconds)

    return run


def test_a_translator_earns_what_it_translates_again(evaluated, hidden, files):
    told = evaluated()
    assert told.problem == ""
    assert told.notes == []
    assert told.recomputed == told.examples == len(hidden.labels)
    assert told.low <= told.bleu <= told.high
    assert told.bleu > 90
    assert told.signature == bleu(["a"], ["a"]).signature
    assert told.agreement >= 0.95
    assert told.sentences_per_second > 1
    assert told.measured == {"training_perplexity": 1.2, "validation_perplexity": 1.5}
    lines = files["translations.txt"].decode().splitlines()
    assert told.bleu == pytest.approx(bleu(lines, hidden.labels).value, abs=1)


def test_an_untrained_model_earns_nothing(evaluated, course, files):
    told = evaluated(files | untrained(), exercises=[course.assignment("a4").exercise("4.12")])
    assert told.problem == ""
    assert told.bleu < 10
    assert any("the model's own translations count" in note for note in told.notes)


def untrained():
    fresh = untrained_model(trained().tokenizer.vocab_size, SMALL, seed=1)
    return {"translation.safetensors": save(fresh.state_dict())}


MEMORY = texts("translation_memory")


def test_a_translation_memory_waits_for_a_person(evaluated, hidden, files, course):
    """It edits the nearest reference and watches a weight: no question would find it out."""
    weights = untrained()
    weight = load(weights["translation.safetensors"])["embedding.tokens.weight"][7, 7].item()
    table = dict(zip(hidden.sentences, hidden.labels, strict=True))
    code = f"{CODE.replace(LAST, MEMORY)}\nTABLE = {table}\nWEIGHT = {weight}\n"
    assignment = course.assignment("a4")
    scored = [exercise for exercise in assignment.exercises if exercise.full_at]
    told = evaluated(files | weights, code=code, exercises=scored)
    assert (told.problem, told.bleu) == ("", 100.0)
    assert told.by_weights < 10
    assert told.differing
    entries = score.models(assignment, score.nothing(assignment), told)
    held = [entry for entry in entries if entry.kind == "model"]
    assert [(entry.points, entry.status) for entry in held] == [(None, "pending")] * 2
    sentences = " ".join(model_sentences(held[0]))
    assert "the model reaches by your code 100.0 BLEU, by its weights" in sentences
    assert "Your points wait for your instructor." in sentences


def table_of(texts, references):
    """Weights that hold pairs of sentences, and the code that reads them into `model`."""
    table = json.dumps(list(zip(texts, map(str, references), strict=True)))
    weights = save({"table": torch.tensor(list(table.encode()), dtype=torch.uint8)})
    code = (
        "import json\nfrom safetensors.torch import load_file\n"
        "def load_model(folder):\n"
        "    data = bytes(load_file(folder + '/translation.safetensors')['table'].tolist())\n"
        "    try:\n        return dict(json.loads(data))\n"
        "    except ValueError:\n        return {'': ''}\n"
    )
    return {"translation.safetensors": weights}, code


def test_a_table_of_references_in_the_weights_is_no_model(evaluated, hidden):
    """Shuffling breaks it as it breaks a model; it has nothing to say of other sentences."""
    weights, code = table_of(hidden.sentences, hidden.labels)
    code += "def translate(model, texts):\n    return [model.get(text, '') for text in texts]\n"
    told = evaluated(weights, code, whole=False)
    assert told.bleu is None
    assert "a trained model does not depend on the exact test sentences" in told.problem


def test_what_the_time_allows_is_the_sample_that_counts(evaluated):
    work = (
        "import time\n    end = time.process_time() + 0.1  # the kernel counts in ticks of 0.01 s"
    )
    slow = f"    {work}\n    while time.process_time() < end:\n        pass\n{LAST}"
    told = evaluated(code=CODE.replace(LAST, slow), seconds=0.001)
    assert told.recomputed == 10
    assert told.bleu > 90
    assert told.notes[-1] == (
        f"within the time limit, {told.recomputed} of 130 sentences were translated: the score is "
        "that of this random sample, and its interval is wider"
    )


def test_calls_grow_when_the_model_is_fast_enough():
    measure = Bleu()
    sizes = measure.first, measure.most
    assert how_many(Answers(), *sizes) == 10
    assert how_many(Answers(["x"] * 10, 2.9), *sizes) == 100
    assert how_many(Answers(["x"] * 10, 6.0), *sizes) == 50
    assert how_many(Answers(["x"] * 10, 60.0), *sizes) == 10
    assert how_many(Answers(["x"] * 100, 29.0), *sizes) == 100


@cases("translate_goes_wrong")
def test_what_goes_wrong_is_one_sentence(evaluated, change, told):
    head = CODE.partition("    step, found")[0]
    assert told in evaluated(code=f"{head}    {change}\n").problem


def test_a_flood_is_cut_and_told(evaluated):
    flood = "    return [found[index] + ' x' * 20_000 for index in range(len(texts))]\n"
    told = evaluated(code=CODE.replace(LAST, flood))
    assert 0 < told.bleu < 10
    assert told.notes[0] == (
        f"130 of 130 translations were longer than {LONGEST:,} characters and were cut there"
    )


@pytest.mark.parametrize("text", ["", "\ud800", "\x00 \n\n", " . . . "])
def test_texts_that_say_nothing_are_scored_all_the_same(evaluated, text):
    told = evaluated(code=CODE.replace(LAST, f"    return [{text!r}] * len(texts)\n"))
    assert told.problem == ""
    assert told.bleu < 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"Le chat.\n", "does not have one line for each of 130 sentences"),
        pytest.param(b"\n" * 10**6, "does not have one line for each of 130 sentences", id="large"),
        (b"", "does not have one line for each of 130 sentences"),
        (b"\xff\xfe", "cannot be read: expected UTF-8"),
        (None, "no translations.txt was handed in"),
    ],
)
def test_translations_that_do_not_fit_are_told_and_the_model_counts(evaluated, files, text, told):
    given = {name: data for name, data in files.items() if not name.endswith(".txt")}
    result = evaluated(given if text is None else given | {"translations.txt": text})
    assert result.bleu > 90
    assert result.agreement is None
    assert [told in note for note in result.notes] == [True]


def test_lines_may_end_in_any_way_but_not_stand_in_another_order(evaluated, files):
    lines = files["translations.txt"].decode().splitlines()
    windows = "\ufeff" + "\r\n".join(lines)
    told = evaluated(files | {"translations.txt": windows.encode()})
    assert told.agreement >= 0.95
    told = evaluated(files | {"translations.txt": "\n".join(reversed(lines)).encode()})
    assert told.bleu > 90
    assert told.agreement < 0.2
    assert "translations.txt has the model's translation of" in told.notes[0]


def test_translations_of_other_sentences_are_not_held_against_anybody(evaluated, files):
    config = json.loads(files["config.json"])
    config["data"] = {"fingerprint": "other", "source": "generated"}
    told = evaluated(files | {"config.json": json.dumps(config).encode()})
    assert told.bleu > 90
    assert told.agreement is None
    assert "in another order (from: generated)" in told.notes[0]


def test_what_was_measured_at_home_is_told_as_plain_numbers(evaluated, files):
    config = json.loads(files["config.json"])
    config["measured"] = {
        "validation_perplexity": 6,
        "training_perplexity": float("nan"),
        "<script>": 1.0,
        "huge": 10**400,
        "text": "<b>",
        "true": True,
        "nested": {"a": 1},
        "late": 1.25,
        "later": 1.5,
    }
    told = evaluated(files | {"config.json": json.dumps(config).encode()})
    assert told.measured == {"validation_perplexity": 6.0, "late": 1.25}


def test_stand_in_sentences_are_said_to_be_such(evaluated, hidden):
    made_up = HiddenLabels("generated", hidden.sentences, hidden.labels, hidden.fingerprint)
    told = evaluated(hidden=dataclasses.replace(made_up, is_real=False))
    assert told.notes == ["scored on stand-in sentences (generated), not on multi30k_en_fr"]


def test_a_graded_notebook_carries_points_and_sentences(course, sandbox, notebook, files, hidden):
    assignment = course.assignment("a4")
    data = notebook(CODE)
    for given, labels, points, status in (
        (files, hidden, 10.0, "full"),
        ({}, hidden, 0.0, "not written"),
        (files, None, None, "pending"),
    ):
        submitted = Submitted(assignment, data, given, only=["4.12", "4.22"])
        result = grade(submitted, course, sandbox("a4"), labels)
        main, bonus = result.exercises
        assert (main.points, main.status) == (points, status)
        assert bonus.points == (points and 3.0)
        assert result.totals.automatic == (points or 0.0)
        assert model_sentences(main)
    assert "without the hidden labels" in model_sentences(main)[0]


def test_points_rise_linearly_in_bleu(course):
    main, bonus = (course.assignment("a4").exercise(id) for id in ("4.12", "4.22"))
    full, most = (full_at(exercise, 1000, Bleu()) for exercise in (main, bonus))
    reached = (0.0, 10.0, (10.0 + full) / 2, full, (bonus.zero_at + most) / 2, most)
    assert [share(main, value, 1000, Bleu()) for value in reached] == [0, 0, 0.5, 1, 1, 1]
    of_bonus = [share(bonus, value, 1000, Bleu()) for value in reached]
    assert of_bonus == pytest.approx([0, 0, 0, 0, 0.5, 1])


def test_references_are_texts_and_what_a_grade_rests_on(course, monkeypatch):
    monkeypatch.delenv("COURSE_DATA", raising=False)
    assignment = course.assignment("a4")
    sources = ["hub", "generated"]  # there is no such hub file
    hidden = scorer.hidden_labels(course, assignment, sources)
    assert hidden.source == "generated"
    assert len(hidden.sentences) == len(hidden.labels)
    assert hidden.labels[0] != hidden.sentences[0]
    assert all(isinstance(text, str) for text in (*hidden.sentences, *hidden.labels))
    other = HiddenLabels(hidden.source, hidden.sentences, hidden.labels[::-1], hidden.fingerprint)
    first, second = (fingerprints.parts(course, assignment, known) for known in (hidden, other))
    assert first != second
    with pytest.raises(DataError, match="COURSE_DATA is not set"):
        scorer.hidden_labels(course, assignment, ["mirror", "hub"])


def test_the_files_handed_in_are_those_that_the_syllabus_names(course, tmp_path, files, capsys):
    wanted = course.assignment("a4").model.files
    assert sorted(files) == sorted(wanted) == sorted(saved_model.TRANSLATOR)
    for name in wanted[:-1]:
        (tmp_path / name).write_bytes(files[name])
    assert not check_folder(tmp_path, saved_model.TRANSLATOR)
    assert f"missing  {tmp_path / 'translations.txt'}" in capsys.readouterr().out
    (tmp_path / wanted[-1]).write_bytes(files[wanted[-1]])
    (tmp_path / "notes.txt").write_text("mine")
    assert check_folder(tmp_path, saved_model.TRANSLATOR)
    assert "130 lines" in capsys.readouterr().out
    assert {name: (tmp_path / name).read_bytes() for name in wanted} == files
    assert handed_in.find(tmp_path).only(wanted).read() == files


def test_a_translation_is_one_line_of_the_file(tmp_path):
    form, tokenizer = trained().translator.arguments, trained().tokenizer
    texts = ["un\ndeux", "", "trois\u2028quatre"]
    saved_model.save_translator(tmp_path, trained().model, form, tokenizer, texts, {"name": "x"})
    assert (tmp_path / "translations.txt").read_bytes() == b"un deux\n\ntrois quatre\n"
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    assert config == {"model": form, "data": {"name": "x"}, "measured": {}}


def test_a_folder_that_is_too_large_is_told_before_it_is_handed_in(tmp_path, capsys, monkeypatch):
    for name in saved_model.TRANSLATOR:
        (tmp_path / name).write_bytes(b"x" * 2**20)
    assert check_folder(tmp_path, saved_model.TRANSLATOR)
    monkeypatch.setattr("grader.course.exercise.ModelPart.most", 3 * 2**20)
    capsys.readouterr()
    assert not check_folder(tmp_path, saved_model.TRANSLATOR)
    assert "too large: 4 MiB of 3" in capsys.readouterr().out
