"""Reading before labelling: pre-training fills gaps, fine-tuning needs no more than labels."""

import dataclasses

import pytest
import torch
from small_training import Fixed
from torch.nn.functional import cross_entropy

from course_lib.data import datasets, registry
from course_lib.data.cycled import CycledExamples
from course_lib.data.masking import IGNORED
from course_lib.data.segments import marked
from course_lib.data.tokenization import TextTokenizer
from course_lib.evaluation.gaps import gap_measures
from course_lib.families.masked_language_model import BertEncoder, MaskedLanguageModel
from course_lib.recipes import masked_language
from course_lib.recipes.masked_language import fine_tune, pretrain, unlabelled
from course_lib.recipes.masked_language_profiles import PROFILES, profile
from course_lib.training.language_losses import masked_language_loss

pytestmark = [
    pytest.mark.xdist_group("masked_language_recipe"),  # its model is trained once
    pytest.mark.usefixtures("without_shape_checks"),
]
CLS, SEP, MASK = TextTokenizer.CLS, TextTokenizer.SEP, TextTokenizer.MASK


@pytest.fixture(scope="module")
def pretrained():
    settings = profile("tiny")
    return pretrain(*unlabelled(settings), settings, seed=0)


def test_the_tiny_profile_learns_to_fill_gaps(pretrained):
    measured = [row for row in pretrained.history if "gap_perplexity" in row]
    assert len(measured) == profile("tiny").epochs
    assert measured[-1]["gap_perplexity"] < measured[0]["gap_perplexity"] / 2 < 50
    assert measured[-1]["gap_accuracy"] > 0.3


def test_accumulated_pre_training_is_that_of_the_whole_batch(monkeypatch):
    """Parts with 1, 3 and 8 gaps weigh as many, and not a third each."""
    ids, targets = torch.randint(5, 11, (6, 8)), torch.full((6, 8), IGNORED)
    for row, gaps in enumerate((1, 0, 3, 0, 4, 4)):
        targets[row, :gaps] = ids[row, :gaps]
    whole = Fixed([(ids, targets)])
    parts = Fixed(zip(ids.split(2), targets.split(2), strict=True))
    settings = profile("tiny")
    sizes = dataclasses.replace(settings.model, dropout=0.0)
    losses = []
    for accumulate, batches in ((1, whole), (3, parts)):
        changed = dataclasses.replace(settings, accumulate=accumulate, epochs=4, model=sizes)
        monkeypatch.setattr(masked_language, "_gaps", lambda *_, batches=batches: batches)
        made = pretrain(["a film of the few ."] * 9, ["a film ."], changed, seed=0)
        losses.append([row["loss"] for row in made.history if "loss" in row])
    assert len(losses[0]) == 4
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_validation_texts_without_a_gap_end_no_training(pretrained):
    nothing = Fixed([(torch.tensor([[CLS, 7, SEP]]), torch.full((1, 3), IGNORED))])
    found = gap_measures(pretrained.model, nothing)
    assert set(found) == {"gap_accuracy", "gap_perplexity"}
    assert all(value != value for value in found.values())


def test_a_gap_gets_words_that_fit(pretrained):
    [first, second] = pretrained.fill("the [MASK] was [MASK] .", k=3)
    assert len(first) == len(second) == 3
    assert not {"was", ".", "the"} & {first[0], second[0]}
    assert pretrained.fill("[MASK]", k=1)


def test_fine_tuning_learns_its_sentences_and_leaves_the_pretrained_model_alone(pretrained):
    before = {name: p.clone() for name, p in pretrained.model.state_dict().items()}
    examples = datasets.load("generated_sentences")["train"][:24]
    settings = dataclasses.replace(profile("tiny"), steps=60)
    tuned = fine_tune(pretrained, examples, settings, seed=0)
    again = fine_tune(pretrained, examples, settings, seed=0)
    alone = fine_tune(pretrained.tokenizer, examples, settings, seed=0)
    for one in (tuned, alone):
        assert one.accuracy(examples) > 90
        assert len([row for row in one.history if "loss" in row]) == settings.steps
    assert all(map(torch.equal, tuned.model.parameters(), again.model.parameters()))
    for name, weight in pretrained.model.state_dict().items():
        assert torch.equal(weight, before[name]), name
    start = tuned.model.encoder.tokens.weight - pretrained.model.encoder.tokens.weight
    assert start.abs().mean() < 0.3 * pretrained.model.encoder.tokens.weight.abs().mean()


def test_few_examples_are_seen_equally_often_in_the_steps_that_were_asked_for():
    examples = CycledExamples([[2, n, 3] for n in range(5, 12)], range(7), rows=4, n_steps=14)
    orders = set()
    for epoch in (0, 1, 0):
        examples.set_epoch(epoch)
        batches = list(examples)
        assert len(batches) == len(examples) == 14
        labels = torch.cat([batch.labels for batch in batches])
        assert torch.bincount(labels).tolist() == [8] * 7
        assert torch.equal(torch.cat([b.token_ids for b in batches])[:, 1] - 5, labels)
        orders.add(tuple(labels.tolist()))
    assert len(orders) == 2
    for sequences, given in (([], []), ([[2]], [0, 1])):
        with pytest.raises(ValueError, match="labels: give some, with one each"):
            CycledExamples(sequences, given, 4, 1)


def test_texts_have_their_marks_whatever_is_cut():
    assert marked([7, 8, 9], 10) == [CLS, 7, 8, 9, SEP]
    assert marked([7, 8, 9], 4) == [CLS, 7, 8, SEP]


def test_the_loss_is_that_of_the_hidden_words_and_of_the_next_sentence():
    torch.manual_seed(0)
    encoder = BertEncoder(19, n_layers=1, d_model=16, n_heads=2, d_ff=32)
    model = MaskedLanguageModel(encoder, next_sentence=True).eval()
    ids = torch.tensor([[CLS, MASK, 7, SEP, 8, SEP], [CLS, 9, SEP, MASK, SEP, 0]])
    targets = torch.full_like(ids, IGNORED)
    targets[0, 1], targets[1, 3] = 11, 12
    segments = torch.tensor([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 0]])
    unrelated = torch.tensor([0, 1])
    logits, follows = model(ids, segments)
    words = cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
    alone, measures = masked_language_loss(model, ids, targets, segments)
    torch.testing.assert_close(alone, words)
    assert list(measures) == ["accuracy"]
    both, measures = masked_language_loss(model, ids, targets, segments, unrelated)
    torch.testing.assert_close(both, words + cross_entropy(follows, unrelated))
    assert set(measures) == {"accuracy", "next_accuracy"}
    model.norm = torch.nn.Identity()  # which would warn of no rows
    nothing, _ = masked_language_loss(model, ids, torch.full_like(ids, IGNORED), segments)
    assert nothing.item() == 0  # a short batch in which no word was chosen


def test_every_profile_names_its_data():
    known = {entry.name for entry in registry.read(registry.REGISTRY).datasets}
    for name, settings in PROFILES.items():
        assert settings.name == name
        assert {settings.dataset, *settings.unlabelled} <= known
    with pytest.raises(ValueError, match="choose one of tiny, cpu"):
        profile("huge")
