"""Hidden tests of exercise 4.6: label-smoothed cross-entropy without padding."""

import math

import torch
from torch.nn.functional import cross_entropy

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§5.4, Label Smoothing; exercise 4.6"
NOTHING = MISTAKE.loss_nan_without_targets
UNDERFLOW = "the logarithm of a softmax, not `log_softmax`: the softmax underflows"
WAY = "−(1 − ε) · log p(true token) − ε · the mean of all log probabilities; real tokens only"


def wanted(logits, targets, smoothing, pad_id):
    """torch's own loss; 0 without real targets."""
    loss = cross_entropy(
        logits.flatten(0, -2),
        targets.flatten(),
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction="sum",
    )
    return loss / max(1, int((targets != pad_id).sum()))


def spread(logits, targets, smoothing, pad_id, over):
    """The mean loss over real tokens with ε spread over `over` (a boolean row per target)."""
    real = targets != pad_id
    true = torch.nn.functional.one_hot(targets, logits.shape[-1]).to(logits)
    label = (1 - smoothing) * true + smoothing * over / over.sum(-1, keepdim=True)
    return -(label * logits.log_softmax(-1)).sum(-1)[real].mean()


def mistakes(logits, targets, smoothing, pad_id):
    """The losses that likely mistakes would give."""
    logs, real = logits.log_softmax(-1), targets != pad_id
    true = logs.gather(-1, targets[..., None])[..., 0]
    vocab_size = logits.shape[-1]
    is_true = torch.nn.functional.one_hot(targets, vocab_size).bool()
    is_pad = (torch.arange(vocab_size) == pad_id).expand_as(is_true)
    every = -((1 - smoothing) * true + smoothing * logs.mean(-1))
    total = every[real].sum()
    right = total / real.sum()
    sums = -((1 - smoothing) * true + smoothing * logs.sum(-1))
    entropy = -sum(
        p * math.log(p) * count
        for p, count in (
            (1 - smoothing + smoothing / vocab_size, 1),
            (smoothing / vocab_size, vocab_size - 1),
        )
        if p > 0
    )
    causes = {
        MISTAKE.loss_counts_padding: every.mean(),
        MISTAKE.loss_mean_over_all_positions: total / targets.numel(),
        MISTAKE.loss_sum: total,
        MISTAKE.loss_not_smoothed: -true[real].mean(),
        MISTAKE.loss_always_smoothed_by_a_tenth: wanted(logits, targets, 0.1, pad_id),
        MISTAKE.loss_smoothing_without_the_true_token: spread(
            logits, targets, smoothing, pad_id, ~is_true
        ),
        "ε is not spread to the padding token: spread it over the whole vocabulary": spread(
            logits, targets, smoothing, pad_id, ~is_pad
        ),
        MISTAKE.loss_smoothing_not_to_padding: (
            spread(logits, targets, smoothing, pad_id, ~is_true & ~is_pad)
        ),
        MISTAKE.loss_smoothing_not_divided: sums[real].mean(),
        "1 − ε and ε are swapped": -(smoothing * true + (1 - smoothing) * logs.mean(-1))[
            real
        ].mean(),
        MISTAKE.loss_of_probabilities: -(
            (1 - smoothing) * logs.exp().gather(-1, targets[..., None])[..., 0]
            + smoothing * logs.exp().mean(-1)
        )[real].mean(),
        "logits, not log probabilities: the softmax is missing": -(
            (1 - smoothing) * logits.gather(-1, targets[..., None])[..., 0]
            + smoothing * logits.mean(-1)
        )[real].mean(),
        "in bits: use natural logarithms": right / math.log(2),
        MISTAKE.loss_sign_missing: -right,
        "the entropy of the smoothed labels is subtracted: this is the KL divergence": right
        - entropy,
    }
    if targets.ndim > 1:
        rows = [row[own].mean() for row, own in zip(every, real, strict=True) if own.any()]
        causes[MISTAKE.loss_mean_of_sentences] = torch.stack(rows).mean()
    if pad_id:
        causes[MISTAKE.loss_pad_id_ignored] = wanted(logits, targets, smoothing, 0)
    return causes


def compare(student, logits, targets, smoothing=0.1, pad_id=0, atol=1e-5):
    """Compare the loss; options are passed only if they differ from the default."""
    options = {"smoothing": smoothing} if smoothing != 0.1 else {}
    options |= {"pad_id": pad_id} if pad_id else {}
    call = answered(
        lambda: student.call(student.label_smoothed_loss, logits, targets, **options), WAY, READ
    )
    expect.unchanged(call.changed)
    expect.shape(call.value, (), what="the loss", otherwise="one number: a mean", read=READ)
    has_real = bool((targets != pad_id).any())
    expect.close(
        call.value,
        wanted(logits, targets, smoothing, pad_id),
        atol=atol,
        rtol=1e-6 if atol < 1e-5 else 1e-5,
        otherwise=WAY if has_real else "0 by definition",
        read=READ,
        what=f"the loss with smoothing={smoothing}, pad_id={pad_id}",
    )


def draw(rng, *shape, vocab_size=9, pad_id=0, dtype="float32"):
    """Logits, and targets of which about a third are padding."""
    logits = torch.from_numpy(2 * rng.normal(size=(*shape, vocab_size)).astype(dtype))
    targets = torch.from_numpy(rng.integers(0, vocab_size, size=shape))
    padded = torch.from_numpy(rng.random(size=shape) < 0.35)
    padded.view(-1)[0], padded.view(-1)[-1] = False, True
    targets[(targets == pad_id) & ~padded] = vocab_size - 1
    return logits, targets.masked_fill(padded, pad_id)


@exercise("4.6", weight=2)
def test_equal_to_torch(student, rng):
    """Equal to torch's cross-entropy to 1e-6 in double precision, with any smoothing."""
    logits, targets = draw(rng, 4, 6, dtype="float64")
    for smoothing in (0.1, 0.3, 0.0):
        compare(student, logits, targets, smoothing, atol=1e-6)
    single, targets = draw(rng, 3, 7)
    compare(student, single, targets)


@exercise("4.6", weight=2)
def test_padding(student, rng):
    """Padding counts neither in the sum nor in the divisor, whatever its logits are."""
    for pad_id in (0, 4):
        logits, targets = draw(rng, 3, 8, pad_id=pad_id)
        if pad_id:
            targets[0, 0] = 0  # now an ordinary token
        compare(student, logits, targets, pad_id=pad_id)
        other = logits.masked_fill((targets == pad_id)[..., None], 50.0)
        other[..., 1] -= 30.0 * (targets == pad_id)
        compare(student, other, targets, pad_id=pad_id)


@exercise("4.6")
def test_shapes(student, rng):
    """Any leading shape: tokens, sentences of tokens, batches of them."""
    for shape in ((7,), (2, 5), (2, 3, 4)):
        compare(student, *draw(rng, *shape))


@exercise("4.6", beside=["test_equal_to_torch", "test_padding"])
def test_no_real_target(student, rng):
    """Without real targets the loss and its gradients are 0, never NaN."""
    logits, _ = draw(rng, 2, 3)
    nothing = torch.zeros(2, 3, dtype=torch.long)
    compare(student, logits, nothing)
    got = student.vjp(student.label_smoothed_loss, logits, nothing).arguments.get(0)
    expect.close(
        torch.zeros_like(logits) if got is None else got,
        torch.zeros_like(logits),
        read=READ,
        what="the gradient without real targets",
    )


@exercise("4.6")
def test_unlikely_targets(student, rng):
    """Targets whose probability underflows have a large but finite loss."""
    logits, targets = draw(rng, 3, 5)
    call = answered(lambda: student.label_smoothed_loss(100 * logits, targets), WAY, READ)
    expect.close(
        call,
        wanted(100 * logits, targets, 0.1, 0),
        atol=1e-3,
        otherwise="`log_softmax` works with logarithms throughout, so nothing underflows",
        read=READ,
        what="the loss of logits in the hundreds",
    )


@exercise("4.6")
def test_gradients(student, rng):
    """The gradients of the logits equal torch's, and are 0 at the padding."""
    logits, targets = draw(rng, 3, 5)
    compare(student, logits, targets, 0.2)
    got = student.vjp(student.label_smoothed_loss, logits, targets, smoothing=0.2).arguments
    leaf = logits.clone().requires_grad_()
    (want,) = torch.autograd.grad(wanted(leaf, targets, 0.2, 0), leaf)
    found = got.get(0)
    expect.close(
        torch.zeros_like(logits) if found is None else found,
        want,
        atol=1e-5,
        otherwise="(softmax − smoothed label) / number of real tokens, and 0 at the padding",
        read=READ,
        what="the gradient of the logits",
    )
