"""Hidden tests of exercise 4.6: label-smoothed cross-entropy without padding."""

from functools import partial

import torch

from grader.checking.question import question

ask = partial(question, "4.6", read="§5.4, Label Smoothing; exercise 4.6")
WAY = "−(1 − ε) · log p(true token) − ε · the mean of all log probabilities; real tokens only"


def draw(rng, *shape, pad_id=0, dtype="float32"):
    """Logits of nine tokens, and targets of which about a third are padding."""
    logits = torch.from_numpy(2 * rng.normal(size=(*shape, 9)).astype(dtype))
    targets = torch.from_numpy(rng.integers(0, 9, size=shape))
    padded = torch.from_numpy(rng.random(size=shape) < 0.35)
    padded.view(-1)[0], padded.view(-1)[-1] = False, True
    return logits, targets.where(targets != pad_id, 8).masked_fill(padded, pad_id)


@ask(weight=3, advice=f"{WAY}; any leading shape: use the last axis", atol=1e-6, rtol=1e-6)
def test_equal_to_torch(its, rng):
    """Equal to torch's to 1e-6 in double precision, with any smoothing and any leading shape."""
    drawn = [draw(rng, *shape, dtype="float64") for shape in ((4, 6), (7,), (2, 3, 4))]
    drawn.append((drawn[1][0][:1], torch.tensor([5])))
    found = {f"targets of shape {tuple(t.shape)}": its.label_smoothed_loss(x, t) for x, t in drawn}
    return found | {
        f"smoothing={s}": its.label_smoothed_loss(*drawn[0], smoothing=s) for s in (0.3, 0.0)
    }


@ask(weight=2, advice=WAY, atol=1e-5, rtol=1e-5)
def test_padding(its, rng):
    """Padding counts neither in the sum nor in the divisor, whatever its logits are."""
    found = {}
    for pad_id in (0, 4):
        logits, targets = draw(rng, 3, 8, pad_id=pad_id)
        targets[0, 0] = pad_id or 1  # if it is 4, then 0 is an ordinary token
        targets[0, 1] = 4 - pad_id
        extreme = logits.masked_fill((targets == pad_id)[..., None], 50.0)
        for name, one in {"": logits, ", extreme logits at the padding": extreme}.items():
            found[f"pad_id={pad_id}{name}"] = its.label_smoothed_loss(one, targets, pad_id=pad_id)
    return found


@ask(needs_one_of=["test_equal_to_torch", "test_padding"], advice="0, not 0/0", corner=True)
def test_no_real_target(its, rng):
    """Without real targets the loss and its gradients are 0, never NaN."""
    logits, nothing = draw(rng, 2, 3)[0], torch.zeros(2, 3, dtype=torch.long)
    found = its.vjp(its.label_smoothed_loss, logits, nothing)
    return {"the loss": found.value, "the gradient": found.arguments[0]}


@ask(weight=1.5, advice="`log_softmax` works with logarithms throughout", atol=1e-3)
def test_unlikely_targets(its, rng):
    """Targets whose probability underflows have a large but finite loss."""
    logits, targets = draw(rng, 3, 5)
    return its.label_smoothed_loss(100 * logits, targets)


@ask(advice="(softmax − smoothed label) / number of real tokens", atol=1e-5, rtol=1e-5)
def test_gradients(its, rng):
    """The gradients of the logits equal torch's, and are 0 at the padding."""
    found = its.vjp(its.label_smoothed_loss, *draw(rng, 3, 5), smoothing=0.2)
    return {"the loss": found.value, "the gradient of the logits": found.arguments[0]}
