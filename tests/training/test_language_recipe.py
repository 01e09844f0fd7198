"""Training a language model: blocks of one stream, and what it must beat."""

import math
from contextlib import nullcontext
from dataclasses import replace

import pytest
import torch
from small_training import Fixed as Epochs

from course_lib.data import datasets, registry
from course_lib.data.token_blocks import TokenBlocks, stream
from course_lib.evaluation import perplexity as translation
from course_lib.evaluation.gaps import gap_measures
from course_lib.evaluation.language import perplexity
from course_lib.evaluation.ngrams import NgramModel
from course_lib.families.recurrent import RecurrentLanguageModel, recurrent_width
from course_lib.recipes.classifier import likely_labels
from course_lib.recipes.language import streams, train_language_model
from course_lib.recipes.language_profiles import PROFILES, profile

pytestmark = [
    pytest.mark.xdist_group("language_recipe"),  # its model is trained once
    pytest.mark.usefixtures("without_shape_checks"),
]


@pytest.fixture(scope="module")
def data():
    return datasets.load("grammar_en_fr")


@pytest.fixture(scope="module")
def trained(data):
    return train_language_model(data, profile("tiny"), seed=0)


def test_the_tiny_profile_beats_what_only_counts(data, trained):
    tokenizer, train, validation = streams(data, profile("tiny"))
    counted = NgramModel(train.tolist(), tokenizer.vocab_size, order=3)
    reached = trained.history[-1]["validation_perplexity"]
    assert reached < counted.perplexity(validation.tolist()) < tokenizer.vocab_size / 10
    assert reached == pytest.approx(perplexity(trained.model, validation, 32), rel=1e-4)


def test_packed_rows_hold_the_same_texts(data):
    settings = replace(profile("tiny"), train_limit=200, epochs=1, packed=True)
    trained = train_language_model(data, settings, seed=0)
    _, stream, _ = streams(data, settings)
    assert trained.tokens == len(stream) - 1
    assert trained.history[-1]["validation_perplexity"] < trained.tokenizer.vocab_size


def test_it_goes_on_writing_in_the_words_of_its_texts(trained):
    [written] = trained.write(["The"], max_new_tokens=12, temperature=0)
    assert written.startswith("The ")
    assert len(written.split()) > 2
    again = trained.write(["The", "A"], max_new_tokens=12, temperature=0)
    assert again[0] == written


@pytest.mark.parametrize("n", [2, 3, 64, 65, 66])
def test_a_short_text_has_a_perplexity(n):
    model = RecurrentLanguageModel(20, "gru", 1, 8)
    tokens = torch.arange(n) % 20
    logits = model.eval()(tokens[None, :-1])[0]
    wanted = math.exp(torch.nn.functional.cross_entropy(logits, tokens[1:]))
    if n <= 65:
        assert perplexity(model, tokens, 64) == pytest.approx(wanted, rel=1e-5)
    assert perplexity(model, tokens, 65) == pytest.approx(wanted, rel=1e-5)
    with pytest.raises(ValueError, match="1 tokens: give at least 2"):
        perplexity(model, tokens[:1], 64)


class Fixed(torch.nn.Module):
    """A model that gives every token these logits, and raises without any."""

    def __init__(self, logits=None):
        super().__init__()
        self.logits = torch.nn.Parameter(torch.zeros(2) if logits is None else logits)
        self.raises = logits is None

    def forward(self, token_ids, segment_ids=None, asked=None):
        if self.raises:
            raise RuntimeError("out of memory")
        logits = self.logits.expand(*token_ids.shape, -1)
        if segment_ids is not None:  # a decoder's tokens
            return self.logits.expand(*segment_ids.shape, -1), None
        return logits if asked is None else (logits[asked], None)


ZEROS = torch.zeros(1, 3, dtype=torch.long)
MEASURES = {
    "translation": lambda model: translation.perplexity(model, [(ZEROS, ZEROS)], pad_id=1),
    "language": lambda model: perplexity(model, ZEROS[0], 2),
    "gaps": lambda model: gap_measures(model, Epochs([(ZEROS, ZEROS)]))["gap_perplexity"],
}


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("training", [True, False])
def test_a_measure_leaves_the_mode_as_it_was_even_when_the_model_raises(name, training):
    for model in (Fixed().train(training), Fixed(torch.tensor([0.0, 1000.0])).train(training)):
        with pytest.raises(RuntimeError, match="memory") if model.raises else nullcontext():
            assert MEASURES[name](model) == math.inf  # e^1000
        assert model.training == training


class Classifier(Fixed):
    """The same logits for every text, without weights."""

    def forward(self, token_ids):
        return super().forward(token_ids, token_ids[:, 0])


@pytest.mark.parametrize("training", [True, False])
def test_labels_are_read_in_evaluation_mode_and_the_mode_stays(training):
    for logits in (None, torch.tensor([0.0, 1.0])):
        model = Classifier(logits).train(training)
        with pytest.raises(RuntimeError, match="memory") if model.raises else nullcontext():
            assert likely_labels(model, [[5, 6]]) == [1]
        assert model.training == training


def test_a_stream_has_an_end_around_every_text():
    assert stream([[5, 6], [7]], end=3).tolist() == [3, 5, 6, 3, 7, 3]
    assert stream([], end=3).tolist() == [3]


def test_blocks_hold_every_token_but_the_rest_once_an_epoch():
    blocks = TokenBlocks(torch.arange(1000), length=7, batch_size=4)
    seen = set()
    for epoch in range(2):
        blocks.set_epoch(epoch)
        batches = [batch for (batch,) in blocks]
        assert len(batches) == len(blocks) == (1000 - 8) // 28
        rows = torch.cat(batches)
        assert rows.shape == (4 * len(blocks), 8)
        assert (rows[:, 1:] - rows[:, :-1] == 1).all()
        read = rows[:, :-1].flatten().tolist()
        assert len(set(read)) == len(read)
        seen.add(tuple(read))
    assert len(seen) == 2
    blocks.set_epoch(0)
    assert tuple(torch.cat([batch for (batch,) in blocks])[:, :-1].flatten().tolist()) in seen
    with pytest.raises(ValueError, match="20 tokens do not fill a batch: give more than 35"):
        TokenBlocks(torch.arange(20), length=7, batch_size=4)


def test_ngrams_are_a_distribution_and_know_what_follows():
    tokens = [0, 1, 2, 0, 1, 3, 0, 1, 2, 0, 4]
    for order in (1, 2, 3):
        model = NgramModel(tokens, vocab_size=6, order=order)
        for context in ([], [0], [0, 1], [5, 5]):
            total = sum(model.probability(context, token) for token in range(6))
            assert total == pytest.approx(1.0)
    assert model.probability([0, 1], 2) > model.probability([0, 1], 3) > 0
    assert model.probability([0, 1], 5) > 0
    some = [0, 1, 2]
    by_hand = model.probability([0], 1) * model.probability([0, 1], 2)
    assert model.perplexity(some) == pytest.approx(math.exp(-math.log(by_hand) / 2))
    with pytest.raises(ValueError, match="1 tokens: give at least 2"):
        model.perplexity([0])
    with pytest.raises(ValueError, match="order = 0: give 1 or more"):
        NgramModel(tokens, 6, order=0)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_recurrent_model_has_the_size_that_was_asked_for_and_reads_forward(cell):
    width = recurrent_width(cell, 2, 500, 400_000)
    model = RecurrentLanguageModel(500, cell, 2, width).eval()
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == pytest.approx(400_000, rel=0.1)
    ids = torch.randint(500, (2, 9))
    other = ids.clone()
    other[:, 5:] = 1
    torch.testing.assert_close(model(ids)[:, :5], model(other)[:, :5])
    with pytest.raises(ValueError, match="'rnn': choose lstm or gru"):
        RecurrentLanguageModel(500, "rnn")


def test_every_profile_names_its_data():
    known = {entry.name: entry.columns for entry in registry.read(registry.REGISTRY).datasets}
    for settings in PROFILES.values():
        assert settings.text in known[settings.dataset]
