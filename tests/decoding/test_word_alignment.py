"""Words found by attention, and the command that shows them."""

import json
import random
from functools import partial
from unittest.mock import Mock

import in_process
import numpy as np
import proofs
import pytest
import torch
from checkout import ROOT
from in_process import one_sentence
from no_shape_checks import no_shape_checks

from course_lib.analysis.translator_alignment import align, error_rate
from course_lib.config import TransformerConfig
from course_lib.data.datasets import LoadedData, load
from course_lib.data.grammar.sentence_pairs import pairs, words
from course_lib.data.word_spans import word_numbers
from course_lib.recipes.translation import train_translator
from course_lib.recipes.translation_profiles import TranslationProfile
from grader.student import program

pytestmark = [
    pytest.mark.xdist_group("word_alignment"),
    pytest.mark.long,
]  # its model is trained once

SMALL = TranslationProfile(
    "small",
    "grammar_en_fr",
    TransformerConfig(n_layers=2, d_model=32, n_heads=4, d_ff=64, dropout=0.0),
    vocab_size=1200,
    epochs=3,
    train_limit=6000,
    learning_rate=1e-2,
    sample=20,
)
NURSE = "The proud nurse does not know the old garden."


@pytest.fixture(scope="module")
def translator():
    torch.set_num_threads(1)
    data: LoadedData = load("grammar_en_fr")
    with no_shape_checks():
        return train_translator(data, SMALL, seed=0).translator


@pytest.fixture(scope="module")
def folder(translator, tmp_path_factory):
    return translator.save(tmp_path_factory.mktemp("translator"))


@pytest.fixture
def run(monkeypatch):
    """Runs `student translate` in the course's folder."""
    monkeypatch.chdir(ROOT)
    return partial(in_process.run, program.main, "translate")


def test_every_token_of_a_word_has_its_number(translator):
    for english, french, _ in random.Random(0).sample(pairs("test"), 30):
        for text in (english, french):
            numbers = word_numbers(translator.tokenizer, text)
            assert len(numbers) == len(translator.tokenizer.encode([text])[0])
            assert sorted(set(numbers)) == list(range(len(words(text))))
            assert numbers == sorted(numbers)


def test_a_trained_models_attention_finds_more_words_than_chance(translator):
    some = pairs("validation")[:100]
    found = error_rate(translator, some)
    others = [
        (english, french, gold)
        for (english, french, _), (_, _, gold) in zip(some, some[1:] + some[:1], strict=True)
    ]
    assert found < error_rate(translator, others) - 0.05, "no better than for others' links"


@pytest.mark.parametrize("training", [True, False])
def test_rows_are_shares_and_the_model_stays_in_its_mode(translator, training, monkeypatch):
    translator.model.train(training)
    seen = align(translator, NURSE, "L'infirmière fière ne connaît pas le vieux jardin.")
    assert translator.model.training is training
    assert seen.source == NURSE.replace(".", " .").split()
    assert seen.target[:2] == ["L'", "infirmière"]
    assert seen.weights.shape == (len(seen.target), len(seen.source))
    np.testing.assert_allclose(seen.weights.sum(axis=1), 1, atol=1e-4)
    again = align(translator, NURSE, "L'infirmière fière ne connaît pas le vieux jardin.")
    np.testing.assert_array_equal(seen.weights, again.weights)
    monkeypatch.setattr(translator.model, "forward", Mock(side_effect=MemoryError))
    with pytest.raises(MemoryError):
        align(translator, NURSE, "Elle dort.")
    assert translator.model.training is training


UNWRITTEN = "def word_weights(weights, target_words, source_words):\n    raise NotImplementedError"


def test_translate_prints_what_the_translator_gives(translator, folder, run):
    wanted = translator.translate([NURSE, "They sleep."])
    assert run("--model", folder, NURSE, "They sleep.").stdout.splitlines() == wanted
    assert run("--model", folder, text=f"{NURSE}\n\nThey sleep.\n").stdout.splitlines() == wanted
    greedy = translator.translate([NURSE], width=1)
    assert run("--model", folder, "--width", 1, NURSE).stdout.splitlines() == greedy


def test_translate_shows_the_beam_and_the_words(translator, folder, run):
    lines = run("--model", folder, "--best", 3, "--words", NURSE).stdout.splitlines()
    hypotheses = translator.search([NURSE], n_best=3)[0]
    assert lines[0] == NURSE
    best = translator.tokenizer.decode(hypotheses[0].tokens)
    assert [line.split()[0] for line in lines[1:4]] == [f"{h.score:.3f}" for h in hypotheses]
    assert lines[1].endswith(best)
    assert [line.split()[0] for line in lines[4:]] == words(best)
    told = json.loads(run("--model", folder, "--json", "--words", NURSE).stdout)
    assert told["source"] == NURSE
    assert told["translations"][0]["text"] == best
    assert [row["word"] for row in told["words"]] == words(best)


def test_translate_refuses_in_one_sentence(folder, run):
    one_sentence(run("--model", "nowhere", "x"), 2, "nowhere has no usable translator")
    one_sentence(run("--best", "9", "x"), 2, "give a --width at least as large")
    one_sentence(run("--model", folder, text="\n  \n"), 2, "nothing to translate")
    one_sentence(run("--model", folder, "\udcff bad"), 2, "is not UTF-8")
    one_sentence(run("--width", "100000", "x"), 2, "'100000' is not a number from 1 to 1000")
    one_sentence(run("--length-penalty", "1000", "x"), 2, "is not a number from 0 to 100")


def test_the_widest_beam_and_the_largest_penalty_translate(translator, folder, run):
    extremes = ("--width", 1000, "--length-penalty", 100, "--json")
    told = run("--model", folder, *extremes, "They sleep. " * 200)
    assert json.loads(told.stdout)["translations"], told.stderr
    assert "were cut to 512 tokens" in told.stderr


def test_the_functions_of_a_students_own_notebook_translate(translator, folder, tmp_path, run):
    path = tmp_path / "a4.ipynb"
    path.write_bytes(proofs.notebook("a4", "solution"))
    done = run("--model", folder, "--notebook", path, "--width", 1, NURSE)
    assert done.stdout.splitlines() == translator.translate([NURSE], width=1), done.stderr
    asked = ("--model", folder, "--width", 1, "--words", "--json", NURSE)
    own = json.loads(run("--notebook", path, *asked).stdout)
    assert own["words"] == json.loads(run(*asked).stdout)["words"]  # the course's own translator
    stub = {"course_lib.analysis.attention_alignment:word_weights": UNWRITTEN}
    path.write_bytes(proofs.notebook("a4", "solution", stub))
    one_sentence(run("--notebook", path, *asked), 2, "--words", "`word_weights`", "leave --words")
    path.write_bytes(proofs.notebook("a4", "starter"))
    unwritten = run("--model", folder, "--notebook", path, NURSE)
    one_sentence(unwritten, 2, "cannot translate", "A4.")
