"""The visible checks of exercise 3.18: tell broken models apart."""

import torch

from grader.checking.question import question

PATIENT = """__import__('course_lib.diagnosis.broken_classifiers', fromlist=['x']
    ).broken_classifier(fault, seed).train(training)"""
PADDED = torch.tensor([[7, 7, 7, 7, 7], [8, 8, 30, 2, 0], [11, 3, 42, 7, 19]])


def diagnosed(its, seed, *faults, ids=PADDED, training=False):
    """The diagnosis of a model with each fault, and the mode that each is left in."""
    found = {}
    for fault in faults:
        model = its.make(PATIENT, fault=fault, seed=seed, training=training)
        found[f"a model that is '{fault}'"] = its.diagnose(model, ids)
        found[f"training mode after '{fault}'"] = model.get("training")
    return found


@question("3.18", weight=2, advice="which symptom has only this fault?", read="exercise 3.18")
def test_three_patients(its):
    """A healthy model, one without positions and one that pools its padding."""
    return diagnosed(its, 1, "healthy", "no positions", "pads pooled")


@question(
    "3.18", weight=2, advice="evaluation mode; restore the mode afterwards", read="exercise 3.18"
)
def test_in_training_mode(its):
    """Models that arrive in training mode: dropout there is not a fault."""
    return diagnosed(its, 2, "healthy", "dropout in evaluation", training=True)


@question("3.18", advice="add padding of your own", read="exercise 3.18")
def test_sentences_without_padding(its):
    """Attention to padding is found even if the sentences have no padding."""
    return diagnosed(its, 3, "pads attended", ids=PADDED[2:])


@question("3.18", advice="torch.no_grad()", read="exercise 3.18")
def test_without_gradients(its):
    """The model is called without recording gradients."""
    model, log = its.make(PATIENT, fault="healthy", seed=4, training=False), its.make("[]")
    watch = "model.register_forward_pre_hook(lambda *_: log.append(torch.is_grad_enabled()))"
    its.make(watch, model=model, log=log)
    its.diagnose(model, PADDED)
    return {"whether a forward pass records gradients": sorted({*log.get()})}
