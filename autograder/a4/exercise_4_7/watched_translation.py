"""A logged training step on sentence pairs: `watched_training` of assignment 3, with two inputs.

The model lives on the student's side; `gradient` and `stepped` compute the expected results.
"""

import torch
from torch.nn.functional import cross_entropy

from autograder.a3 import watched_training
from autograder.a3.answers import answered
from autograder.a3.watched_training import RATE

READ = "§3.1, §5.3, §5.4; exercise 4.7"
SOURCE = torch.tensor([[5, 1, 6], [4, 7, 0], [1, 0, 0]])
TARGET = torch.tensor([[2, 5, 6, 7, 3], [2, 4, 3, 0, 0], [2, 1, 7, 3, 0]])
VOCAB = 8
# The logits are the row of each word read, plus the mean over the source's rows; the model
# logs its mode.
MODEL = (
    "type('Model', (torch.nn.Embedding,), {'forward': lambda self, source_ids, target_ids: "
    "(events.append('training mode' if self.training else 'evaluation mode'), "
    "(torch.nn.Embedding.forward(self, target_ids) + "
    "torch.nn.Embedding.forward(self, source_ids).mean(1, keepdim=True), None))[1]})(8, 8)"
)


class Run(watched_training.Run):
    """The same for `translation_step`."""

    model_source, shape = MODEL, (VOCAB, VOCAB)

    def step(self, source=SOURCE, target=TARGET, explained=True, **options):
        """The result of the student's step; errors are explained with advice if `explained`."""

        def call():
            return self.student.translation_step(
                self.model, source, target, self.optimizer, self.schedule, **options
            )

        if not explained:
            return call()
        return answered(
            call,
            "`model(source_ids, read)` returns (logits, weights); `clip(parameters, max_norm)` the "
            "norm; read and wanted have one token fewer than the targets",
            READ,
        )


def shifted(target):
    """The tokens the decoder reads, and the tokens it should predict."""
    return target[:, :-1], target[:, 1:]


def unshifted(target):
    """The mistake: the decoder is to predict the tokens it reads."""
    return target[:, :-1], target[:, :-1]


def forgotten(target):
    """The mistake: no shift at all."""
    return target, target


def shifted_by_two(target):
    return target[:, :-2], target[:, 2:]


def started_late(target):
    """The mistake: the start token is not read."""
    return target[:, 1:-1], target[:, 2:]


def gradient(
    weight, target=TARGET, smoothing=0.1, pad_id=0, *, shift=shifted, source=SOURCE, total=None
):
    """The loss, its gradient and the logits. `total` replaces the divisor of the mean."""
    leaf = weight.clone().requires_grad_()
    read, wanted = shift(target)
    logits = leaf[read] + leaf[source].mean(1, keepdim=True)
    ignored = -100 if pad_id is None else pad_id
    loss = cross_entropy(
        logits.flatten(0, 1),
        wanted.flatten(),
        label_smoothing=smoothing,
        reduction="sum",
        ignore_index=ignored,
    )
    loss = loss / (total or int((wanted != ignored).sum()))
    (found,) = torch.autograd.grad(loss, leaf)
    return loss.detach(), found, logits.detach()


def stepped(weight, max_norm, rate=RATE, **options):
    """The weights after one step."""
    _, found, _ = gradient(weight, **options)
    return weight - rate * found * min(1.0, max_norm / float(found.norm()))
