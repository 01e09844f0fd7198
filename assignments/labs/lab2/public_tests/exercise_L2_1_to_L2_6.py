"""The visible checks of lab 2."""

import numpy as np
import torch

from grader.checking.question import question, refusal

SPECIAL, MASK, VOCAB = 5, 4, 45  # ids below 5 are special tokens, 4 is [MASK]
TEXTS = torch.from_numpy(np.random.RandomState(1).randint(SPECIAL, VOCAB, size=(200, 60)))
TEXTS[:, 0], TEXTS[:, -1], TEXTS[100:, 40:] = 2, 3, 0
WORDS = TEXTS >= SPECIAL
SHARES = "0.8, 0.1 and 0.1 of the chosen ones: compare one draw with 0.8 and 0.9 · share"


def _masked(its, share):
    generator = its.make("torch.Generator().manual_seed(1)")
    return its.call(its.mask_tokens, TEXTS, VOCAB, generator, share)


@question(
    "L2.1",
    atol=0.03,
    advice="choose ids from 5 on, by `generator`",
    read="Devlin et al. 2019, section 3.1",
)
def test_what_is_asked(its):
    """A share of the words is asked for, no special tokens; the target is what stood there."""
    called = _masked(its, 0.15)
    inputs, targets = called.value
    asked = targets != -100
    refused = {f"share = {share}": refusal(lambda: _masked(its, share)) for share in (0.0, 1.0)}  # noqa: B023
    return refused | {
        "share of words that are asked for": asked[WORDS].float().mean(),
        "special tokens asked for": int(asked[~WORDS].sum()),
        "targets are the chosen words": torch.equal(targets[asked], TEXTS[asked]),
        "other inputs are as before": torch.equal(inputs[~asked], TEXTS[~asked]),
        "the same gaps with the same seed": torch.equal(_masked(its, 0.15).value[1], targets),
        "arguments that it changed": called.changed,
    }


@question("L2.1", atol=0.04, advice=SHARES, read="Devlin et al. 2019, section 3.1")
def test_80_10_10(its):
    """Of the chosen words, 80 % become [MASK], 10 % a random word, 10 % stay."""
    inputs, targets = _masked(its, 0.5).value
    read, wanted = inputs[targets != -100], TEXTS[targets != -100]
    return {
        "share of [MASK]": (read == MASK).float().mean(),
        "share of the same word": (read == wanted).float().mean(),
        "other words are ordinary ones": bool((read[read != MASK] >= SPECIAL).all()),
    }


LOOKUP = "lambda ids, segments=None, at=None: (table[ids][... if at is None else at], follows)"
TABLE = torch.from_numpy(np.random.RandomState(1).randn(9, 9)).float()
TOKENS = torch.tensor([[4, 7, 6, 8, 5], [4, 6, 6, 8, 5]])
BEST = int(TABLE[7].argmax())  # so that one gap is filled rightly
TARGETS = torch.tensor([[-100, BEST, 8, -100, -100], [-100, -100, 0, -100, -100]])
FOLLOWS = torch.tensor([[2.0, -1.0], [0.5, 0.0]])


@question("L2.2", advice="tokens whose target is not below 0; divide by at least 1", read="§3.4")
def test_gaps_alone(its):
    """The mean cross-entropy of the gaps, 0 without any; with `unrelated`, a second loss."""
    model = its.make(LOOKUP, table=TABLE, follows=FOLLOWS)
    cases = {"gaps": [TARGETS], "no gap": [torch.full_like(TARGETS, -100)]}
    cases["gaps and sentences"] = [TARGETS, torch.zeros_like(TOKENS), torch.tensor([0, 1])]
    found = {name: its.masked_language_loss(model, TOKENS, *case) for name, case in cases.items()}
    losses = {f"loss of {name}": loss for name, (loss, _) in found.items()}
    return losses | {name: found[name][1] for name in ("gaps", "gaps and sentences")}


# One table: logits of each token, with dropout in training; and batches that know their epoch.
MODEL = (
    "type('Model', (torch.nn.Embedding,), {'forward': lambda self, ids, segments=None, at=None: "
    "(lambda logits: (logits if at is None else logits[at], None))(torch.nn.functional.dropout("
    "torch.nn.functional.embedding(ids, self.weight), 0.5, self.training))}"
    ").from_pretrained(table)"
)
BATCHES = (
    "(lambda made: (setattr(made, 'epoch', 3), made)[1])(type('Batches', (list,), {"
    "'set_epoch': lambda self, epoch: setattr(self, 'epoch', epoch)})(batches))"
)
FIRST = torch.tensor([[-100, BEST, 8, 8, -100], [-100, 6, 6, 7, -100]])
SECOND = torch.tensor([[-100, 6, -100, -100, -100], [-100] * 5])


@question("L2.3", advice="weight each batch by its gaps; epoch 0, dropout off", read="§6.2")
def test_every_gap_once(its):
    """Every gap counts once, in epoch 0 and without dropout; then the model is as it was."""
    model = its.make(MODEL, table=TABLE)
    batches = its.make(BATCHES, batches=[(TOKENS, FIRST), (TOKENS, SECOND)])
    return its.gap_measures(model, batches) | {
        "epoch of the batches": batches.get("epoch"),
        "in training mode afterwards": model.get("training"),
    }


ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments={}, pad_id={})"
)
PADDED_BY_3 = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 3]])


def _drawn(module):
    """The module with weights from here, because those that it begins with are nearly 0."""
    random, state = np.random.RandomState(1), sorted(module.state_dict().items())
    module.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})
    module.eval()
    return module


@question("L2.4", advice="pool (tanh(x₀ W + b)), dropout, the linear layer", read="exercise L2.4")
def test_cls(its):
    """The linear layer gets the pooler's vector by default, the mean of real tokens for "mean"."""

    def logits(*more, pooling="cls"):
        model = its.TextClassifier(its.make(ENCODER.format(2, 3)), 3, pooling=pooling)
        return _drawn(model)(PADDED_BY_3, *more)[0]

    return {
        "of a pooler": _drawn(its.Pooler(4))(torch.arange(24.0).reshape(2, 3, 4) / 24),
        "logits": logits(),
        "with segments": logits(torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]])),
        "with pooling = mean": logits(pooling="mean"),
        "pooling = max": refusal(lambda: logits(pooling="max")),
    }


TASKS = "Devlin et al. 2019, section 4"
PADDED_BY_0 = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 0]])


@question("L2.5", step="TokenClassifier", advice="of every vector, after dropout", read=TASKS)
def test_tokens(its):
    """A row of logits for each token, the same linear layer for all."""
    return _drawn(its.TokenClassifier(its.make(ENCODER.format(0, 0)), 3))(PADDED_BY_0)


@question("L2.5", step="SpanFinder", weight=2, advice="two outputs per token", read=TASKS)
def test_spans(its):
    """Two numbers for each token: begins here, ends here; −∞ at padding."""
    starts, ends = _drawn(its.SpanFinder(its.make(ENCODER.format(0, 0))))(PADDED_BY_0)
    return {"starts": starts.clamp(min=-1e9), "ends": ends.clamp(min=-1e9)}


@question("L2.6", advice="copy.deepcopy the encoder; pass the settings on", read="exercise L2.6")
def test_begins_with_the_weights(its):
    """The classifier begins with the encoder's weights, and what it learns does not change them."""
    encoder = its.make(ENCODER.format(0, 0))
    before = {name: one.clone() for name, one in encoder.state_dict().items()}
    model = its.classifier_from(encoder, n_classes=3, pooling="mean")
    after = model.state_dict()
    model.load_state_dict({name: value + 1 for name, value in after.items()})
    now = encoder.state_dict()
    return {
        "it begins alike": all(
            torch.equal(after[f"encoder.{n}"], one) for n, one in before.items()
        ),
        "weights of a pooler": [name for name in after if name.startswith("pooler")],
        "shape of output.weight": after["output.weight"].shape,
        "the encoder is as before": all(torch.equal(now[n], one) for n, one in before.items()),
    }
