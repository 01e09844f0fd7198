"""The loss of a batch of text without labels, for `fit(…, loss=…)`: the text itself is the answer.

Each gives `(loss, measures)`.
"""

from collections.abc import Sequence

from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F


def language_loss(
    model: nn.Module, token_ids: Int[Tensor, "batch n"], label_smoothing: float = 0.0
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a language model that predicts every token of a block after the first.

    A block has no padding.
    """
    logits = model(token_ids[:, :-1])
    loss = F.cross_entropy(
        logits.flatten(0, 1), token_ids[:, 1:].flatten(), label_smoothing=label_smoothing
    )
    return loss, {}


def packed_language_loss(
    model: nn.Module,
    token_ids: Int[Tensor, "batch n"],
    labels: Int[Tensor, "batch n"],
    texts: Int[Tensor, "batch n"],
    label_smoothing: float = 0.0,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a `LanguageModel` on packed rows: that of every text alone in a row."""
    logits, real = model(token_ids, texts=texts), texts != 0
    loss = F.cross_entropy(logits[real], labels[real], label_smoothing=label_smoothing)
    return loss, {}


def packed_tokens(batch: tuple[Tensor, Tensor, Tensor]) -> int:
    """How many tokens `packed_language_loss` of a batch is the mean of: the `count` for `fit`."""
    return int((batch[2] != 0).sum())


def masked_language_loss(
    model: nn.Module,
    token_ids: Int[Tensor, "batch n"],
    targets: Int[Tensor, "batch n"],
    segment_ids: Int[Tensor, "batch n"] | None = None,
    unrelated: Int[Tensor, " batch"] | None = None,
    label_smoothing: float = 0.0,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a `MaskedLanguageModel` on hidden tokens, and the share of them that is right.

    A target below 0 is not asked for. With `unrelated`, 1 where the second segment does not follow
    the first, the loss of telling so is added, as in BERT.
    """
    asked = targets >= 0
    logits, next_logits = model(token_ids, segment_ids, asked)
    wanted, n_asked = targets[asked], asked.sum().clamp(min=1)
    total = F.cross_entropy(logits, wanted, reduction="sum", label_smoothing=label_smoothing)
    measures = {"accuracy": (logits.argmax(dim=-1) == wanted).sum() / n_asked}
    loss = total / n_asked
    if unrelated is None:
        return loss, measures
    measures["next_accuracy"] = (next_logits.argmax(dim=-1) == unrelated).float().mean()
    return loss + F.cross_entropy(next_logits, unrelated), measures


def hidden_tokens(batch: Sequence[Tensor]) -> int:
    """How many tokens `masked_language_loss` of a batch is the mean of: the `count` for `fit`.

    It suits batches without `unrelated`, whose loss is the mean over pairs.
    """
    return int((batch[1] >= 0).sum())
