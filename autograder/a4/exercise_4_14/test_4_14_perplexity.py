"""Hidden tests of exercise 4.14: perplexity over batches of different sizes."""

import torch
from torch.nn.functional import cross_entropy

from autograder.a3.answers import answered, normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§6.2, Table 3; the docstring of 4.14"
VOCAB = 7
# Logits from the token read and the mean of the source; dropout reveals the mode.
MODEL = (
    "type('Model', (torch.nn.ModuleDict,), {'forward': lambda self, source_ids, read: "
    "(modes.append(self.training), (self['dropout'](self['read'](read) + self['source'](source_ids)"
    ".mean(1, keepdim=True)), None))[1]})({'read': torch.nn.Embedding(7, 7), "
    "'source': torch.nn.Embedding(7, 7), 'dropout': torch.nn.Dropout(0.5)})"
)


class Model:
    """A model on the student's side, and its logits on the judge's side."""

    def __init__(self, student, rng):
        self.modes = student.make("[]")
        self.there = student.make(MODEL, modes=self.modes)
        self.read, self.source = 2 * normal(rng, VOCAB, VOCAB), normal(rng, VOCAB, VOCAB)
        weights = {"read.weight": self.read, "source.weight": self.source}
        self.there.load_state_dict(weights)

    def losses(self, source_ids, target_ids, smoothing=0.0):
        """The cross-entropy of every label, including padding, and the labels."""
        logits = self.read[target_ids[:, :-1]] + self.source[source_ids].mean(1, keepdim=True)
        wanted = target_ids[:, 1:]
        loss = cross_entropy(
            logits.transpose(1, 2), wanted, reduction="none", label_smoothing=smoothing
        )
        return loss, wanted


def pairs(rng, lengths, pad_id=0):
    """A batch of targets START … END of these lengths, padded with `pad_id`."""
    tokens = [token for token in range(VOCAB) if token not in (pad_id, 2, 3)]
    n = max(lengths) + 2
    target = torch.full((len(lengths), n), pad_id)
    for row, length in enumerate(lengths):
        inner = [int(token) for token in rng.choice(tokens, length)]
        target[row, : length + 2] = torch.tensor([2, *inner, 3])
    return torch.from_numpy(rng.choice(tokens, (len(lengths), 4))), target


def smoothing_shows(model, batches):
    """Whether label smoothing would change the loss clearly: by chance it may not."""
    made = []
    for smoothing in (0.0, 0.1):
        parts = [model.losses(*batch, smoothing=smoothing) for batch in batches]
        made.append(torch.cat([loss[wanted != 0] for loss, wanted in parts]).mean())
    return abs(made[0] - made[1]) > 0.02


def perplexity_of(student, model, batches, kinds=None, **options):
    return answered(
        lambda: student.perplexity(model.there, batches, **options),
        "`model(source_ids, read)` returns (logits, weights)",
        READ,
        kinds=kinds,
    )


def compare(found, model, batches, pad_id=0):
    parts = [model.losses(*batch) for batch in batches]
    smoothed = [model.losses(*batch, smoothing=0.1) for batch in batches]
    real = [(loss[wanted != pad_id]) for loss, wanted in parts]
    mean = torch.cat(real).mean()
    default = [loss[wanted != 0] for loss, wanted in parts]
    wanted = mean.exp()
    causes = {
        MISTAKE.perplexity_mean_of_means: torch.stack([loss.mean() for loss in real]).mean().exp(),
        "the mean of the batches' perplexities": torch.stack(
            [loss.mean().exp() for loss in real]
        ).mean(),
        MISTAKE.perplexity_smoothed: torch.cat(
            [loss[wanted != pad_id] for loss, wanted in smoothed]
        )
        .mean()
        .exp(),
        MISTAKE.perplexity_counts_padding: torch.cat([loss.flatten() for loss, _ in parts])
        .mean()
        .exp(),
        "divided by all tokens, the padding too": (
            torch.cat(real).sum() / sum(wanted.numel() for _, wanted in parts)
        ).exp(),
        MISTAKE.perplexity_without_exponential: mean,
        "2 to the power of the loss: the loss is in nats, so use e": 2**mean,
        "e to the power of the sum of all losses, not of their mean": torch.cat(real).sum().exp(),
        MISTAKE.perplexity_pad_id_ignored: torch.cat(default).mean().exp(),
        "only the last batch": real[-1].mean().exp(),
    }
    expect.close(
        found,
        wanted,
        atol=1e-4,
        rtol=1e-4,
        otherwise="exp(the sum of all real tokens' losses / the number of real tokens)",
        read=READ,
        what="the perplexity",
    )


@exercise("4.14", weight=2)
def test_batches(student, rng):
    """Every real token has the same weight in any batch; padding has none."""
    for lengths in ([[3, 1, 4]], [[5, 2], [1, 1, 1, 3], [2]]):
        model = Model(student, rng)
        model.there.eval()
        batches = [pairs(rng, own) for own in lengths]
        while not smoothing_shows(model, batches):
            batches = [pairs(rng, own) for own in lengths]
        compare(perplexity_of(student, model, batches), model, batches)
    certain = {"read.weight": 200 * torch.eye(VOCAB).roll(1, 1), "source.weight": 0 * model.source}
    model.there.load_state_dict(certain)  # that 3, the end, follows 2, the start
    refused = {"ValueError": MISTAKE.perplexity_of_certainty_refused}
    found = perplexity_of(student, model, [pairs(rng, [0])], refused)
    expect.close(found, 1.0, read=READ, what="the perplexity of a model that is certain and right")


@exercise("4.14")
def test_pad_id(student, rng):
    """Another id of the padding token."""
    model = Model(student, rng)
    model.there.eval()
    batches = [pairs(rng, own, pad_id=5) for own in ([4, 1, 2], [1, 3])]
    compare(perplexity_of(student, model, batches, pad_id=5), model, batches, 5)


@exercise("4.14")
def test_mode(student, rng):
    """The model is run in evaluation mode, without dropout, and its mode is restored."""
    for mode in ("train", "eval"):
        model = Model(student, rng)
        getattr(model.there, mode)()
        found = perplexity_of(student, model, batches := [pairs(rng, [3, 2]), pairs(rng, [1])])
        expect.true(
            not any(model.modes.get()),
            expected="a model in evaluation mode",
            got="a model in training mode",
            read=READ,
        )
        compare(found, model, batches)
        expect.equal(
            model.there.get("training"),
            mode == "train",
            read=READ,
            what=f"`model.training` of a model after `model.{mode}()`",
        )


@exercise("4.14", weight=0.5, beside=["test_batches", "test_pad_id", "test_mode"])
def test_no_token(student, rng):
    """No pairs, or only padding, raise a ValueError."""
    model = Model(student, rng)
    padding = torch.zeros(2, 3, dtype=torch.long)
    for batches in ([], [(pairs(rng, [1, 2])[0], padding)]):
        expect.raises(
            lambda batches=batches: student.perplexity(model.there, batches),
            because="" if batches else MISTAKE.perplexity_of_nothing,
            otherwise="batches of only padding are accepted: without a real token there is no mean",
            read=READ,
        )
