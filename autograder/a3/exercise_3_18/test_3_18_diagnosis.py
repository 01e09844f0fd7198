"""Hidden tests of exercise 3.18: diagnose models with one fault each by their behavior."""

import torch

from autograder.a3.answers import answered
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "the docstring of 3.18"
FAULTS = (
    "dropout in evaluation",
    "mask after softmax",
    "pads attended",
    "pads pooled",
    "future hidden",
    "no positions",
)
PATIENT = (
    "__import__('course_lib.diagnosis.broken_classifiers', fromlist=['x'])"
    ".broken_classifier({!r}, {})"
)
HINTS = {
    "healthy": "a healthy model is reported as faulty: does the measurement disturb it? Evaluation "
    "mode, the same number of real tokens, a tolerance for rounding",
    "dropout in evaluation": "call it twice in evaluation mode: a healthy model repeats its logits",
    "mask after softmax": "weights that were masked after the softmax no longer sum to 1",
    "pads attended": "look for weights of real queries on padding keys, with padding added",
    "pads pooled": "a model that pools padding changes its logits when padding is added",
    "future hidden": "a model that hides the future has no weight on later tokens",
    "no positions": "without positions the order of the tokens does not matter",
}


def ids_of(rng, padded):
    """Three sentences of distinct tokens, of equal length or padded."""
    ids = torch.stack([torch.from_numpy(rng.permutation(49)[:7] + 1) for _ in range(3)])
    if padded:
        ids[1, 5:], ids[2, 4:] = 0, 0
    return ids


def diagnosed(student, fault, seed, ids, training=False):
    """The diagnosis of one model, and the model."""
    model = student.make(PATIENT.format(fault, seed))
    if training:
        model.train()
    else:
        model.eval()
    got = answered(
        lambda: student.diagnose(model, ids),
        "`model(token_ids, need_weights=True)` returns (logits, [weights of each layer])",
        READ,
    )
    return got, model


def check(student, fault, seed, ids, training=False, because=None):
    """`because` maps a wrong answer to the mistake that a second call has established."""
    got, model = diagnosed(student, fault, seed, ids, training)
    mode = "training" if training else "evaluation"
    expect.equal(
        got,
        fault,
        because=because(got) if because else "",
        otherwise=HINTS[fault],
        read=READ,
        what=f"the diagnosis of model {seed}, given in {mode} mode",
    )
    return model


@exercise("3.18", weight=3)
def test_every_fault(student, rng):
    """Each fault is named, in post-norm and in pre-norm models."""
    ids = ids_of(rng, padded=True)
    answers = {(f, seed): diagnosed(student, f, seed, ids)[0] for f in FAULTS for seed in (20, 21)}
    said = set(map(str, answers.values()))
    same = (
        MISTAKE.saying(f"always {next(iter(said))}, whatever the model does")
        if len(said) == 1
        else ""
    )
    for (fault, seed), got in answers.items():
        expect.equal(
            got,
            fault,
            because=same,
            otherwise=HINTS[fault],
            read=READ,
            what=f"the diagnosis of model {seed}",
        )


@exercise("3.18")
def test_healthy(student, rng):
    """A healthy model is called healthy, in either mode."""
    ids = ids_of(rng, padded=True)
    for seed, training in ((4, False), (5, True), (6, True)):

        def by_mode(got, seed=seed, training=training):
            other, _ = diagnosed(student, "healthy", seed, ids, not training)
            if other == "healthy" and training:
                return MISTAKE.diagnosis_in_training_mode
            return ""

        check(student, "healthy", seed, ids, training, by_mode)


@exercise("3.18", weight=2)
def test_without_padding(student, rng):
    """Faults with padding are found even if the given sentences have no padding."""
    hidden = MISTAKE.diagnosis_needs_padding
    padded = ids_of(rng, padded=True)
    for fault in (*FAULTS, "healthy"):

        def by_padding(got, fault=fault):
            return hidden if diagnosed(student, fault, 8, padded)[0] == fault != "healthy" else ""

        check(student, fault, 8, ids_of(rng, padded=False), because=by_padding)


@exercise("3.18")
def test_mode_is_restored(student, rng):
    """The model's mode is restored."""
    for training in (True, False):
        for fault in ("pads pooled", "healthy"):
            ids = ids_of(rng, padded=True)
            model = check(student, fault, 31, ids, training)
            expect.equal(
                model.get("training"),
                training,
                otherwise="restore the mode the model was in",
                read=READ,
                what="training mode afterwards",
            )


@exercise("3.18")
def test_without_gradients(student, rng):
    """The model is never called with gradients enabled."""
    model = student.make(PATIENT.format("healthy", 12))
    log = student.make("[]")
    student.make(
        "model.register_forward_pre_hook(lambda *_: log.append(torch.is_grad_enabled()))",
        model=model,
        log=log,
    )
    student.diagnose(model, ids_of(rng, padded=True))
    recorded = log.get()
    expect.true(
        bool(recorded) and not any(recorded),
        expected="forward passes without gradients",
        got=f"{len(recorded)} forward passes, {sum(recorded)} of them with gradients",
        otherwise="call the model: its outputs show the fault",
        read=READ,
    )


@exercise("3.18")
def test_rounding_is_no_fault(student, rng):
    """A healthy model whose logits differ by 1e-6 from call to call is healthy."""
    ids = ids_of(rng, padded=True)
    plain, model = diagnosed(student, "healthy", 14, ids)
    student.make(
        "model.register_forward_hook(lambda m, given, out: "
        "(out[0] + 1e-6 * torch.randn_like(out[0]), out[1]))",
        model=model,
    )
    rounded = student.diagnose(model, ids)
    noise = "dropout in evaluation"  # the diagnosis if two calls differ
    expect.equal(
        rounded,
        "healthy",
        otherwise=HINTS["healthy"],
        read=READ,
        what="the diagnosis of a healthy model whose logits vary by 1e-6",
    )
