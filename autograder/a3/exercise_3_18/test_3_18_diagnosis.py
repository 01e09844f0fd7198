"""Hidden tests of exercise 3.18: diagnose models with one fault each by their behavior."""

import torch

from grader.checking.question import question

READ = "the docstring of 3.18"
FAULTS = (
    *("dropout in evaluation", "mask after softmax", "pads attended", "pads pooled"),
    *("future hidden", "no positions"),
)
HEALTHY = "evaluation mode, the same number of real tokens, a tolerance for rounding"
PATIENT = """__import__('course_lib.diagnosis.broken_classifiers', fromlist=['x']
    ).broken_classifier(fault, seed).train(training)"""
HOOK = "model.register_forward_hook(lambda _, given, out: ({}, out[1]))"
# Padding keeps its weights in one layer and head only.
IN_ONE_PLACE = """model.register_forward_hook(lambda _, given, out: (out[0], [torch.where(
    torch.tensor([[layer, head] == place for head in (0, 1)])[:, None, None], weights,
    torch.nn.functional.normalize(weights * (given[0] != 0)[:, None, None], p=1, dim=-1))
    for layer, weights in enumerate(out[1])]))"""
WATCH = "model.register_forward_pre_hook(lambda *_: log.append(torch.is_grad_enabled()))"
# Padding is 8 for this model.
SWAPPED = """model.register_forward_pre_hook(lambda _, given: (torch.where(
    given[0] == 8, 0, torch.where(given[0] == 0, 8, given[0])),))"""


def sentences(rng, padded=True):
    """Three sentences of distinct tokens, of equal length or padded."""
    ids = torch.stack([torch.from_numpy(rng.permutation(49)[:7] + 1) for _ in range(3)])
    if padded:
        ids[1, 5:], ids[2, 4:] = 0, 0
    return ids


def patient(its, fault, seed, training=False, hook="", **data):
    model = its.make(PATIENT, fault=fault, seed=seed, training=training)
    if hook:
        its.make(hook, model=model, **data)
    return model


@question("3.18", weight=4, advice="one symptom for each fault; which comes first?", read=READ)
def test_every_fault(its, rng):
    """Each fault is named, in post-norm and pre-norm models, with and without padding."""
    found = {}
    for seed, padded in ((20, True), (21, True), (8, False)):
        ids = sentences(rng, padded)
        for i, fault in enumerate((*FAULTS, "healthy")):
            found[f"model {i} of {seed}"] = its.diagnose(patient(its, fault, seed), ids)
    return found


@question("3.18", weight=2, advice=HEALTHY, read=READ)
def test_healthy(its, rng):
    """A healthy model is called healthy, in either mode, which is restored."""
    ids, found, noise = sentences(rng), {}, HOOK.format("out[0] + 1e-6 * torch.randn_like(out[0])")
    for seed, training, hook in ((4, False, ""), (5, True, ""), (6, True, ""), (14, False, noise)):
        model = patient(its, "healthy", seed, training, hook)
        found[f"model {seed}, training mode {training}"] = its.diagnose(model, ids)
        found[f"training mode of model {seed} afterwards"] = model.get("training")
    model, log = patient(its, "healthy", 4), its.make("[]")
    its.make(WATCH, model=model, log=log)
    its.diagnose(model, ids)
    return found | {"whether a forward pass records gradients": sorted({*log.get()})}


@question(
    "3.18",
    weight=2,
    corner=True,
    advice="look at all layers, heads and sentences, with `pad_id`",
    read=READ,
)
def test_every_place(its, rng):
    """A fault is found in any layer, head or sentence, with any padding and small logits."""
    ids, places = sentences(rng), [[layer, head] for layer in (0, 1) for head in (0, 1)]
    models = [patient(its, "pads attended", 20, hook=IN_ONE_PLACE, place=p) for p in places]
    found = {
        f"layer, head = {p}": its.diagnose(m, ids) for p, m in zip(places, models, strict=True)
    }
    equal, turned = torch.tensor([[5, 5, 5], [5, 6, 7]]), torch.tensor([[5, 5, 6]])
    small = patient(its, "pads pooled", 22, hook=HOOK.format("out[0] / 50"))
    other = patient(its, "healthy", 44, hook=SWAPPED)
    return found | {
        "one sentence of equal tokens": its.diagnose(patient(its, "healthy", 44), equal),
        "a sentence that starts with equal tokens": its.diagnose(
            patient(its, "healthy", 44), turned
        ),
        "small logits": its.diagnose(small, ids),
        "pad_id = 8": its.diagnose(
            other, torch.where(ids == 8, 9, ids).masked_fill(ids == 0, 8), 8
        ),
    }
