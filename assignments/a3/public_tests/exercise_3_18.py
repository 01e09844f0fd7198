"""The visible checks of exercise 3.18: tell broken models apart."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

PATIENT = (
    "__import__('course_lib.diagnosis.broken_classifiers', fromlist=['x'])"
    ".broken_classifier({!r}, {})"
)
PADDED = torch.tensor([[11, 3, 42, 7, 19, 5], [8, 30, 2, 0, 0, 0]])


def check_patient(student, fault, seed, token_ids, training=False):
    patient = student.make(PATIENT.format(fault, seed))
    patient.train() if training else patient.eval()
    expect.equal(student.diagnose(patient, token_ids), fault, what="the diagnosis",
                 read="exercise 3.18")
    expect.equal(patient.get("training"), training, what="model.training afterwards",
                 because="the model's mode was not restored", read="exercise 3.18")


@exercise("3.18")
def test_three_patients(student):
    """A healthy model, one without positions and one that pools its padding."""
    for fault in ("healthy", "no positions", "pads pooled"):
        check_patient(student, fault, 1, PADDED)


@exercise("3.18")
def test_in_training_mode(student):
    """Models that arrive in training mode: dropout there is not a fault."""
    for fault in ("healthy", "dropout in evaluation"):
        check_patient(student, fault, 2, PADDED, training=True)


@exercise("3.18")
def test_sentences_without_padding(student):
    """Attention to padding is found even if the sentences have no padding."""
    check_patient(student, "pads attended", 3, PADDED[:1])


@exercise("3.18")
def test_without_gradients(student):
    """The model is called without recording gradients."""
    patient = student.make(PATIENT.format("healthy", 4))
    log = student.make("[]")
    student.make("model.register_forward_pre_hook(lambda *_: log.append(torch.is_grad_enabled()))",
                 model=patient, log=log)
    student.diagnose(patient, PADDED)
    expect.equal(sorted(set(log.get())), [False], what="whether gradients were recorded",
                 read="exercise 3.18")


@exercise("3.18")
def test_rounding_is_no_fault(student):
    """A healthy model stays healthy when its logits differ by 1e-6 from call to call."""
    patient = student.make(PATIENT.format("healthy", 5))
    patient.eval()
    student.make("model.register_forward_hook(lambda model, given, out: (out[0] + 1e-6 * "
                 "torch.randn_like(out[0]), out[1]))", model=patient)
    expect.equal(student.diagnose(patient, PADDED), "healthy", what="the diagnosis",
                 otherwise="compare with a tolerance", read="exercise 3.18")
