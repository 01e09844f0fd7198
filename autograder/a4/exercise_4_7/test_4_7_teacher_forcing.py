"""Hidden tests of exercise 4.7: shifted targets, and one training step on pairs."""

import functools
import inspect

import torch

from autograder.a3.answers import answered
from autograder.a3.watched_training import (
    called_in_order,
    cleared,
    in_training_mode,
    returned,
)
from autograder.a4.exercise_4_7.watched_translation import (
    RATE,
    READ,
    SOURCE,
    TARGET,
    VOCAB,
    Run,
    forgotten,
    gradient,
    shifted,
    shifted_by_two,
    started_late,
    stepped,
    unshifted,
)
from course_lib.training.losses import label_smoothed_loss
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

SHIFT = "all but the last token are read, all but the first are wanted: [:, :-1] and [:, 1:]"
DOCSTRING = "the docstring of 4.7"
NOT_SMOOTHED = MISTAKE.translation_no_label_smoothing
NOT_CLIPPED = "the gradients are clipped after the optimizer's step, or not at all"
ALWAYS_1 = "max_norm is not used: it is always 1.0"
NOT_SHIFTED = MISTAKE.translation_shift_forgotten
# Unwrapped: with shape checks on, the checker would raise before torch does.
PLAIN_LOSS = inspect.unwrap(label_smoothed_loss)
HALF_SHIFTED = {
    MISTAKE.translation_reads_whole_targets: (
        lambda: PLAIN_LOSS(torch.zeros(*TARGET.shape, VOCAB), TARGET[:, 1:])
    ),
    "the shift is forgotten in what is wanted: the loss of `wanted`, not of the whole targets": (
        lambda: PLAIN_LOSS(torch.zeros(*TARGET[:, 1:].shape, VOCAB), TARGET)
    ),
}


@exercise("4.7", weight=2)
def test_shift(student, rng):
    """All but the last token are read, all but the first are wanted."""
    for shape in ((3, 6), (2, 2), (1, 9)):
        ids = torch.from_numpy(rng.permutation(100)[: shape[0] * shape[1]].reshape(shape) + 4)
        call = answered(lambda ids=ids: student.call(student.shift_targets, ids), SHIFT, READ)
        expect.unchanged(call.changed)
        got = expect.parts(
            call.value, 2, otherwise="return (decoder_input, labels)", read=DOCSTRING
        )
        first, last = ids[:, :-1], ids[:, 1:]
        of_two = {} if shape[1] < 3 else {"by two: the decoder skips a token": ids[:, 2:]}
        for name, found, want, other in (
            ("read", got[0], first, last),
            ("wanted", got[1], last, first),
        ):
            causes = {
                MISTAKE.targets_exchanged if name == "read" else MISTAKE.targets_not_shifted: other,
                MISTAKE.targets_rolled: ids,
                "rolled in the wrong direction": ids.roll(1, 1),
                "rolled: the start token follows END": ids.roll(-1, 1),
                **(
                    {f"the targets are shifted {what}": value for what, value in of_two.items()}
                    if name == "wanted"
                    else {}
                ),
                **(
                    {
                        MISTAKE.targets_shifted_by_two: ids[:, :-2],
                        MISTAKE.targets_start_shifted_away: ids[:, 1:-1],
                    }
                    if name == "read" and of_two
                    else {}
                ),
            }
            expect.close(found, want, otherwise=SHIFT, read=READ, what=f"`{name}`")


def mistakes(before, max_norm, smoothing=0.1):
    """The weights after one step with each likely mistake."""
    made = functools.partial(stepped, before, max_norm, smoothing=smoothing)
    real = int((TARGET[:, 1:] != 0).sum())
    found = {
        NOT_SMOOTHED: stepped(before, max_norm, smoothing=0.0),
        "the targets are not shifted: the model learns to copy what it reads": made(
            shift=unshifted
        ),
        NOT_SHIFTED: made(shift=forgotten),
        "the targets are shifted by two": made(shift=shifted_by_two),
        MISTAKE.targets_start_shifted_away: made(shift=started_late),
        MISTAKE.translation_reads_what_is_wanted: made(shift=lambda ids: (ids[:, 1:], ids[:, 1:])),
        "read and wanted are swapped": made(shift=lambda ids: shifted(ids)[::-1]),
        "the padding of the targets is counted": made(pad_id=None),
        "the mean runs over all positions: padding is counted": made(total=TARGET[:, 1:].numel()),
        "the loss is a sum, not a mean": made(total=1),
        NOT_CLIPPED: stepped(before, float("inf"), smoothing=smoothing),
        ALWAYS_1: stepped(before, 1.0, smoothing=smoothing),
        MISTAKE.translation_schedule_first: made(rate=RATE / 2),
        "the weights have not changed: call `optimizer.step()`": before,
        "the step follows the gradient uphill": 2 * before - made(),
        "the loss is a mean over the sentences": made(total=real / len(TARGET)),
    }
    if torch.allclose(found[ALWAYS_1], found[NOT_CLIPPED], atol=1e-3):
        del found[ALWAYS_1]  # with a norm below 1 both give the same weights
    return found


def check_weights(run, wanted, before, max_norm, what, smoothing=0.1):
    expect.close(
        run.model.state_dict()["weight"],
        wanted,
        atol=1e-4,
        otherwise="shift, loss, backward, clip, optimizer, schedule, zero_grad: each once",
        read=READ,
        what=what,
    )


@exercise("4.7", weight=2, after=["shift_targets"])
def test_one_step(student, rng):
    """The weights after one step, with a max_norm that clips and one that does not."""
    for max_norm in (0.05, 100.0):
        run = Run(student, rng)
        call = answered(
            lambda run=run, m=max_norm: student.call(
                student.translation_step,
                run.model,
                SOURCE,
                TARGET,
                run.optimizer,
                run.schedule,
                max_norm=m,
            ),
            f"`model(source_ids, read)` returns (logits, weights); {SHIFT}",
            READ,
        )
        wanted = stepped(run.weight, max_norm)
        check_weights(run, wanted, run.weight, max_norm, f"the weights with max_norm={max_norm}")
        expect.unchanged(call.changed)


@exercise("4.7", after=["shift_targets"])
def test_label_smoothing(student, rng):
    """The loss uses `label_smoothing`, 0.1 by default."""
    for options, smoothing in [({}, 0.1), ({"label_smoothing": 0.3}, 0.3)]:
        run = Run(student, rng)
        result = returned(run.step(**options), DOCSTRING)
        expect.close(
            result["loss"],
            gradient(run.weight, smoothing=smoothing)[0],
            atol=1e-5,
            otherwise="label_smoothed_loss(logits, wanted, label_smoothing, pad_id)",
            read="§5.4, Label Smoothing",
            what=f"the loss with label_smoothing={smoothing}",
        )


@exercise("4.7", after=["shift_targets"])
def test_two_steps(student, rng):
    """A second step uses only its own gradients and the schedule's next rate."""
    run = Run(student, rng)
    run.step(max_norm=100.0)
    middle = stepped(run.weight, 100.0)
    check_weights(run, middle, run.weight, 100.0, "the weights after the first step")
    run.step(max_norm=100.0)
    (_, first, _), (_, second, _) = gradient(run.weight), gradient(middle)
    expect.close(
        run.model.state_dict()["weight"],
        middle - RATE / 2 * second,
        atol=1e-4,
        otherwise="clear the gradients once per step, but not between backward and the optimizer",
        read=READ,
        what="the weights after the second step",
    )


@exercise("4.7", after=["shift_targets"])
def test_order(student, rng):
    """backward, clip, optimizer, schedule, each once; the given functions are used."""
    run = Run(student, rng)
    run.step(**run.watched())
    seen = run.seen()
    called_in_order(seen, READ)


@exercise("4.7", after=["shift_targets"])
def test_training_mode(student, rng):
    """The step puts the model into training mode, even after an evaluation."""
    run = Run(student, rng)
    run.model.eval()
    run.step()
    in_training_mode(run.seen(), READ)


def accuracy(logits, target, pad_id):
    """The correct positions, the real ones, and the accuracy over the real ones."""
    wanted = target[:, 1:]
    right, real = logits.argmax(-1) == wanted, wanted != pad_id
    return right, real, float((right & real).sum() / real.sum())


def check_accuracy(got, logits, target):
    right, real, share = accuracy(logits, target, 0)
    expect.close(
        got,
        share,
        otherwise="the fraction of real tokens whose largest logit is the wanted one",
        read=DOCSTRING,
        what="accuracy",
    )


@exercise("4.7", weight=2, after=["shift_targets"])
def test_returned_values(student, rng):
    """Loss, gradient norm before clipping, this step's rate and the accuracy, as floats."""
    run = Run(student, rng)
    result = returned(run.step(max_norm=0.05, explained=False), DOCSTRING)
    loss, found, _ = gradient(run.weight)
    other = {
        "the targets are not shifted: the model learns to copy what it reads": unshifted,
        NOT_SHIFTED: forgotten,
        "the targets are shifted by two": shifted_by_two,
        MISTAKE.targets_start_shifted_away: started_late,
    }
    expect.close(
        result["loss"],
        loss,
        atol=1e-5,
        otherwise="return the smoothed loss, the mean over the real tokens",
        read=READ,
        what="loss",
    )
    expect.close(
        result["gradient_norm"],
        found.norm(),
        atol=1e-4,
        otherwise="`clip` returns the norm of the gradients before clipping",
        read=DOCSTRING,
        what="gradient_norm",
    )
    expect.close(
        result["learning_rate"],
        RATE,
        otherwise='`optimizer.param_groups[0]["lr"]`, before the schedule steps',
        read=DOCSTRING,
        what="learning_rate",
    )


@exercise("4.7", after=["shift_targets"])
def test_accuracy(student, rng):
    """The fraction of real tokens with the largest logit; padding is left out entirely."""
    run = Run(student, rng)
    # here each word has a most likely successor, and that of padding is padding
    successor = torch.tensor([0, 3, 5, 0, 7, 6, 7, 3])
    weight = 0.1 * run.weight + 4.0 * torch.nn.functional.one_hot(successor, VOCAB)
    run.model.load_state_dict({"weight": weight})
    source, target = often_right(rng, successor)
    result = returned(run.step(source, target), DOCSTRING)
    check_accuracy(result["accuracy"], gradient(weight, target, source=source)[2], target)


def often_right(rng, successor, rows=24, longest=9):
    """Sources, and padded targets in which about half of the words follow `successor`.

    Many, so that no two mistakes have the same accuracy by chance.
    """
    target = torch.zeros(rows, longest + 2, dtype=torch.long)
    for row in target:
        row[0], length = 2, int(rng.integers(1, longest + 1))
        for i in range(1, length + 1):
            known, drawn = int(successor[row[i - 1]]), int(rng.integers(4, VOCAB))
            row[i] = known if known > 3 and rng.random() < 0.5 else drawn
        row[length + 1] = 3
    return torch.from_numpy(rng.integers(4, VOCAB, (rows, 3))), target


@exercise("4.7", after=["shift_targets"])
def test_another_pad_id(student, rng):
    """`pad_id` is passed on: padding counts neither in the loss nor in the accuracy."""
    run = Run(student, rng)
    target = torch.where(TARGET == 0, 6, torch.where(TARGET == 6, 0, TARGET))
    result = returned(run.step(target=target, max_norm=100.0, pad_id=6), DOCSTRING)
    loss, _, logits = gradient(run.weight, target, pad_id=6)
    expect.close(
        result["loss"],
        loss,
        atol=1e-5,
        otherwise="label_smoothed_loss(logits, wanted, label_smoothing, pad_id)",
        read=READ,
        what="the loss with pad_id = 6",
    )
    share, usual = (accuracy(logits, target, pad_id)[2] for pad_id in (6, 0))
    expect.close(
        result["accuracy"],
        share,
        otherwise="the fraction of real tokens whose largest logit is the wanted one",
        read=DOCSTRING,
        what="accuracy with pad_id = 6",
    )


@exercise(
    "4.7",
    weight=0.5,
    after=["shift_targets"],
    beside=["test_one_step", "test_returned_values", "test_label_smoothing"],
)
def test_no_gradient_is_left(student, rng):
    """The gradients are cleared at the end of the step."""
    run = Run(student, rng)
    run.step(max_norm=100.0)
    left = run.model.get("weight.grad")
    middle = run.model.state_dict()["weight"]
    run.step(max_norm=100.0)
    second = middle - RATE / 2 * gradient(middle)[1]
    unfelt = torch.allclose(run.model.state_dict()["weight"], second, atol=1e-3)
    cleared(left, unfelt, READ)
