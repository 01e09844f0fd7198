"""The visible checks of exercise L2.4: a class for a text."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0)"
)
TEXTS = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 0]])
REAL = (TEXTS != 0).float()[..., None]


def drawn(module):
    """Give a module weights from here: those that it begins with are nearly 0."""
    generator, state = torch.Generator().manual_seed(1), module.state_dict()
    module.load_state_dict(
        {name: torch.randn(state[name].shape, generator=generator) for name in sorted(state)})
    module.eval()


def made(student, **how):
    model = student.TextClassifier(student.make(ENCODER), n_classes=3, **how)
    drawn(model)
    return model


def classified(model, pooled):
    state = model.state_dict()
    return pooled @ state["output.weight"].T + state["output.bias"]


@exercise("L2.4")
def test_pooler(student):
    """tanh of a linear layer, of the first token's vector."""
    pooler = student.Pooler(4)
    drawn(pooler)
    state, x = pooler.state_dict(), torch.arange(24.0).reshape(2, 3, 4) / 24

    def pooled(vectors):
        return vectors @ state["linear.weight"].T + state["linear.bias"]

    expect.close(
        pooler(x), pooled(x[:, 0]).tanh(), atol=1e-5, what="the pooled vectors",
        otherwise="tanh(x₀ W + b)", read="Devlin et al. 2019, section 3.2")


@exercise("L2.4")
def test_mean(student):
    """With pooling "mean", the mean of the real tokens goes into the linear layer."""
    model = made(student, pooling="mean")
    x = model.method("encoder", TEXTS)[0]
    means = (x * REAL).sum(1) / REAL.sum(1)
    logits = expect.parts(model(TEXTS), 2, otherwise="return (logits, weights)",
                          read="exercise L2.4")[0]
    expect.close(
        logits, classified(model, means), atol=1e-4, what="logits",
        otherwise="masked_mean of the vectors with the padding mask", read="exercise L2.4")


@exercise("L2.4", after=["Pooler"])
def test_cls(student):
    """With pooling "cls", the default, the pooler's vector goes into it."""
    model = made(student)
    x = model.method("encoder", TEXTS)[0]
    expect.close(
        model(TEXTS)[0], classified(model, model.method("pooler", x)), atol=1e-4, what="logits",
        otherwise="pool, then dropout, then the linear layer", read="exercise L2.4")


@exercise("L2.4", beside=["test_mean"])
def test_unknown(student):
    """Another pooling is refused."""
    expect.raises(lambda: student.TextClassifier(student.make(ENCODER), pooling="max"),
                  otherwise="raise a ValueError that names the two", read="exercise L2.4")
