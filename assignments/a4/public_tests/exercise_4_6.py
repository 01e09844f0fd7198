"""The visible checks of exercise 4.6: label smoothing."""

import torch

from grader.checking.question import question

# Four probabilities of each token; one, two, three and four tenths.
LOGITS = torch.tensor([[1.0, 2, 3, 4], [4, 3, 2, 1], [1, 1, 4, 4], [4, 1, 3, 2]]).log()
TARGETS = torch.tensor([3, 1, 2, 0])


@question("4.6", weight=2, advice="0.85 for the true token, 0.05 for each other", read="§5.4")
def test_one_token_by_hand(its):
    """Probabilities of 0.1 to 0.4, the last is the target, ε is 0.2; one 200 below the largest."""
    return {
        "the loss": its.label_smoothed_loss(LOGITS[:1], TARGETS[:1], smoothing=0.2),
        "an unlikely target": its.label_smoothed_loss(torch.tensor([[200.0, 0]]), TARGETS[1:2]),
    }


@question("4.6", weight=2, advice="the sum over real tokens, divided by their number")
def test_padding_does_not_count(its):
    """A mean over three real tokens of four, with ε = 0.1; also as two sentences of two."""
    moved = torch.where(TARGETS == 0, 2, TARGETS)
    return {
        "the loss": its.label_smoothed_loss(LOGITS, TARGETS),
        "of two sentences": its.label_smoothed_loss(LOGITS.view(2, 2, 4), TARGETS.view(2, 2)),
        "with pad_id=2": its.label_smoothed_loss(LOGITS, moved, pad_id=2),
        "with pad_id=1": its.label_smoothed_loss(LOGITS, TARGETS, pad_id=1),
    }


@question(
    "4.6", needs_one_of=["test_one_token_by_hand", "test_padding_does_not_count"], corner=True
)
def test_nothing_but_padding(its):
    """Without any real target the loss is 0, not NaN, and so are its gradients."""
    found = its.vjp(its.label_smoothed_loss, LOGITS, torch.zeros(4, dtype=torch.long))
    return {"the loss": found.value, "the gradient": found.arguments[0]}
