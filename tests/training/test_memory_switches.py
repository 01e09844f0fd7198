"""When memory runs out: each switch of a training gives the result of training without it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_training import Batches, Fixed, parts, plain
from torch import nn

from course_lib.classifier import EncoderClassifier
from course_lib.data.packed_texts import PackedTexts, fill_rows
from course_lib.families.language_model import LanguageModel
from course_lib.families.packing import block_mask, restarted_positions
from course_lib.families.recurrent import RecurrentLanguageModel
from course_lib.fast.forms import fast_model
from course_lib.recipes.language_profiles import profile
from course_lib.recipes.profiles import fit_by
from course_lib.training.classification_loss import classification_loss
from course_lib.training.classification_step import training_step
from course_lib.training.language_losses import language_loss, packed_language_loss, packed_tokens
from course_lib.training.recompute import recomputed
from course_lib.training.translation_loss import real_targets, translation_loss
from course_lib.transformer import Transformer

END = 3
SIZES = {"n_layers": 2, "d_model": 16, "n_heads": 2, "d_ff": 32}
LEARNED = ("learned", "sinusoidal", "rotary")


def language_model(positions="rotary", dropout=0.0):
    torch.manual_seed(0)
    model = fast_model(LanguageModel, 30, **SIZES, dropout=dropout, positions=positions)
    for parameter in model.parameters():  # GPT-2's small weights would hide a difference
        parameter.data += 0.1 * torch.randn_like(parameter)
    return model


def gradients(model, loss, batch, seed=1):
    torch.manual_seed(seed)
    model.train().zero_grad()
    value, _ = loss(model, *batch)
    value.backward()
    return value.item(), [p.grad.clone() for p in model.parameters() if p.grad is not None]


def kept_bytes(compute):
    """What autograd keeps for the backward pass of `compute()`."""
    kept = {}

    def keep(tensor):
        kept[tensor.data_ptr()] = tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        compute()
    return sum(kept.values())


def cases():
    torch.manual_seed(0)
    ids, pairs = torch.randint(1, 30, (6, 9)), torch.randint(1, 30, (2, 5, 8))
    labels = torch.tensor([0, 1, 0, 1, 1, 0])
    sizes = {**SIZES, "dropout": 0.3}
    return [
        (fast_model(EncoderClassifier, 30, 2, **sizes), classification_loss, (ids, labels)),
        (EncoderClassifier(30, 2, **sizes), classification_loss, (ids, labels)),
        (fast_model(Transformer, 30, **sizes), translation_loss, tuple(pairs)),
        *((language_model(kind, 0.3), language_loss, (ids,)) for kind in LEARNED),
    ]


# Gradient checkpointing.


@pytest.mark.parametrize(("model", "loss", "batch"), cases())
def test_layers_computed_again_give_the_same_gradients_with_dropout(model, loss, batch):
    names = set(model.state_dict())
    wanted, plainly = gradients(model, loss, batch)
    with recomputed(model):
        found, again = gradients(model, loss, batch)
    assert found == wanted
    torch.testing.assert_close(again, plainly, rtol=1e-5, atol=1e-7)
    other_draw, _ = gradients(model, loss, batch, seed=2)
    assert other_draw != wanted  # dropout was there
    assert set(model.state_dict()) == names
    assert all("forward" not in vars(part) for part in model.modules())


def test_it_keeps_less_and_the_more_layers_the_less():
    shares = []
    for n_layers in (1, 6):
        model = EncoderClassifier(30, 2, **{**SIZES, "n_layers": n_layers}).train()
        ids = torch.randint(1, 30, (8, 32))
        plainly = kept_bytes(lambda model=model, ids=ids: model(ids))
        with recomputed(model):
            shares.append(kept_bytes(lambda model=model, ids=ids: model(ids)) / plainly)
    assert shares[1] < 0.35
    assert shares[1] < shares[0] < 0.8


@pytest.mark.parametrize("how", [{"loss": classification_loss}, {"step": training_step}])
def test_a_training_with_it_ends_with_the_same_weights(how):
    ended = []
    for recompute in (False, True):
        model = parts(dropout=0.3)[0]
        torch.manual_seed(1)
        rows = plain(Batches(3), model, recompute=recompute, **how)
        ended.append(([row["loss"] for row in rows], model.state_dict()))
    (losses, weights), (wanted, target) = ended
    assert losses == pytest.approx(wanted, rel=1e-5)
    torch.testing.assert_close(weights, target, rtol=1e-5, atol=1e-6)


def test_it_needs_a_list_of_layers():
    model = RecurrentLanguageModel(30, "gru")
    with (
        pytest.raises(ValueError, match="RecurrentLanguageModel has no nn.ModuleList"),
        recomputed(model),
    ):
        pass


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, x):
        return sum(head(x) for head in self.heads)


def test_lists_within_layers_are_computed_again_once():
    model = nn.ModuleDict({"layers": nn.ModuleList([Heads(), Heads()])})
    with recomputed(model):
        assert sum("forward" in vars(part) for part in model.modules()) == 2


# Gradient accumulation (of classifiers: test_train.py).


def test_a_mean_over_tokens_accumulates_by_tokens():
    """Sentences of other lengths: weighting the batches by sentences would be off by percents."""
    torch.manual_seed(0)
    pairs = [tuple(torch.randint(1, 30, (2, 4, n))) for n in (3, 12)]
    padded = [nn.functional.pad(side, (0, 9)) for side in pairs[0]]
    union = tuple(torch.cat(sides) for sides in zip(padded, pairs[1], strict=True))
    found = []
    for batches, settings in ((pairs, {"accumulate": 2}), ([union], {})):
        torch.manual_seed(0)
        model = fast_model(Transformer, 30, **SIZES, dropout=0.0)
        (row,) = plain(Fixed(batches), model, loss=translation_loss, count=real_targets, **settings)
        found.append((row["loss"], model.state_dict()))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    torch.testing.assert_close(found[0][1], found[1][1], rtol=1e-5, atol=1e-6)
    by_sentences = sum(translation_loss(model, *batch)[0].item() for batch in pairs) / 2
    by_tokens = translation_loss(model, *union)[0].item()
    assert abs(by_sentences - by_tokens) > 1e-3


# Packing.


def texts_of(lengths):
    generator = torch.Generator().manual_seed(0)
    return [torch.randint(4, 30, (n,), generator=generator).tolist() for n in lengths]


@pytest.mark.parametrize("positions", LEARNED)
@pytest.mark.parametrize("recompute", [False, True])
def test_packed_texts_have_the_loss_and_gradients_of_texts_alone(positions, recompute):
    texts = texts_of([5, 11, 2, 7, 1, 3])
    (packed,) = PackedTexts(texts, END, length=16, batch_size=9)
    assert packed.texts.max() > 1
    longest = max(map(len, texts)) + 2
    alone = torch.zeros(len(texts), longest, dtype=torch.long)
    for row, text in zip(alone, texts, strict=True):
        row[: len(text) + 2] = torch.tensor([END, *text, END])

    def unpacked_loss(model, token_ids):
        logits = model(token_ids[:, :-1])
        targets = token_ids[:, 1:]
        return nn.functional.cross_entropy(logits.mT, targets, ignore_index=0), {}

    model = language_model(positions)
    wanted, wanted_gradients = gradients(model, unpacked_loss, (alone,))
    if recompute:
        with recomputed(model):
            found, found_gradients = gradients(model, packed_language_loss, packed)
    else:
        found, found_gradients = gradients(model, packed_language_loss, packed)
    assert found == pytest.approx(wanted, abs=1e-5)
    torch.testing.assert_close(found_gradients, wanted_gradients, rtol=1e-4, atol=1e-6)
    forgotten, _ = gradients(model, packed_language_loss, packed._replace(texts=1 + 0 * packed[2]))
    assert abs(forgotten - wanted) > 1e-3  # one text a row, so each reads those before it


def test_masks_and_positions_of_packed_rows():
    texts = torch.tensor([[1, 1, 2, 2, 2, 0], [1, 2, 3, 0, 0, 0]])
    assert restarted_positions(texts)[:, :5].tolist() == [[0, 1, 0, 1, 2], [0, 0, 0, 0, 1]]
    mask = block_mask(texts)[:, 0]
    assert mask[0].int().tolist() == [
        [1, 1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 0],
        [0, 0, 1, 1, 1, 0],
        [0, 0, 0, 0, 0, 0],
    ]
    assert mask[1].sum() == 3


def test_packed_rows_hold_every_text_once_an_epoch_and_little_padding():
    texts = texts_of(np.random.default_rng(0).integers(1, 40, size=200))
    batches = PackedTexts(texts, END, length=16, batch_size=4)
    wanted = sorted(label for text in texts for label in [*text, END])
    orders = []
    for epoch in range(2):
        batches.set_epoch(epoch)
        found = list(batches)
        assert len(found) == len(batches)
        assert (
            sorted(x for batch in found for x in batch.labels[batch.texts > 0].tolist()) == wanted
        )
        assert sum(packed_tokens(batch) for batch in found) == batches.n_tokens == len(wanted)
        orders.append([batch.labels.tolist() for batch in found])
    assert orders[0] != orders[1]
    assert batches.waste < 0.05


def test_rows_are_filled_whatever_the_order_and_nothing_too_long_goes_in():
    lengths = np.random.default_rng(1).integers(1, 17, size=300)
    rows = fill_rows(lengths, 16)
    assert sorted(i for row in rows for i in row) == list(range(300))
    assert all(sum(lengths[i] for i in row) <= 16 for row in rows)
    assert len(fill_rows(lengths[::-1], 16)) == len(rows)
    with pytest.raises(ValueError, match="a text of 17 tokens does not fit into a row of 16"):
        fill_rows(np.array([3, 17]), 16)


# Sixteen bits.


@pytest.mark.parametrize("kind", ["language", "translation"])
def test_bf16_is_close_but_not_equal(kind):
    """By how much: losses to three digits, the direction of the gradient to a few percent."""
    torch.manual_seed(0)
    if kind == "language":
        model, loss, batch = language_model(), language_loss, (torch.randint(1, 30, (8, 16)),)
    else:
        model = fast_model(Transformer, 30, **SIZES, dropout=0.0)
        loss, batch = translation_loss, tuple(torch.randint(1, 30, (2, 8, 16)))
    wanted, exact = gradients(model, loss, batch)
    with torch.autocast("cpu", torch.bfloat16):
        found, rounded = gradients(model, loss, batch)
    assert 1e-6 < abs(found / wanted - 1) < 2e-2
    exact, rounded = (torch.cat([g.flatten() for g in of]) for of in (exact, rounded))
    assert nn.functional.cosine_similarity(exact, rounded, dim=0) > 0.98
    assert rounded.dtype == torch.float32


# All of them, by the profile.


def test_a_profile_with_every_switch_ends_with_the_same_weights():
    texts = texts_of([3, 5, 2, 9, 4, 7, 1, 6] * 4)
    settings = replace(profile("tiny"), epochs=2, learning_rate=1e-3)
    switches = [{}, {"accumulate": 2, "recompute": True}]
    switches.append({**switches[1], "precision": "bf16"})
    ended = []
    for switch in switches:
        rows = 4 // switch.get("accumulate", 1)
        batches, model = PackedTexts(texts, END, 16, rows), language_model()
        history = fit_by(
            replace(settings, **switch),
            model,
            batches,
            packed_language_loss,
            evaluate=lambda model: {},
            progress=False,
            folder=None,
            count=packed_tokens,
        )
        ended.append((history[-2]["loss"], model.state_dict()))
    (wanted, target), (found, weights), (rounded, _) = ended
    assert found == pytest.approx(wanted, rel=1e-4)
    torch.testing.assert_close(weights, target, rtol=1e-3, atol=1e-4)
    assert 1e-6 < abs(rounded / wanted - 1) < 0.05
