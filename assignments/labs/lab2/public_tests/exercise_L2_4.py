"""The visible checks of exercise L2.4: a class for a text."""

import numpy as np
import torch

from grader.checking.question import question, refusal

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=2, pad_id=3)"
)
TEXTS = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 3]])


def _drawn(module):
    """The module with weights from here, because those that it begins with are nearly 0."""
    random, state = np.random.RandomState(1), sorted(module.state_dict().items())
    drawn = {name: torch.from_numpy(random.randn(*one.shape)).float() for name, one in state}
    module.load_state_dict(drawn)
    module.eval()
    return module


def _logits(its, *more, **how):
    return _drawn(its.TextClassifier(its.make(ENCODER), n_classes=3, **how))(TEXTS, *more)[0]


@question("L2.4", advice="tanh(x₀ W + b)", read="Devlin et al. 2019, section 3.2")
def test_pooler(its):
    """tanh of a linear layer, of the first token's vector."""
    return _drawn(its.Pooler(4))(torch.arange(24.0).reshape(2, 3, 4) / 24)


@question("L2.4", advice="masked_mean of the vectors with the padding mask", read="exercise L2.4")
def test_mean(its):
    """With pooling "mean", the mean of the real tokens goes into the linear layer."""
    return _logits(its, pooling="mean")


@question("L2.4", after=["Pooler"], advice="pool, dropout, the linear layer", read="exercise L2.4")
def test_cls(its):
    """With pooling "cls", the default, the pooler's vector goes into it; segments are passed on."""
    segments = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]])
    return {"logits": _logits(its), "with segments": _logits(its, segments)}


@question("L2.4", beside=["test_mean"], advice="a ValueError that names both", read="exercise L2.4")
def test_unknown(its):
    """Another pooling is refused."""
    return refusal(lambda: its.TextClassifier(its.make(ENCODER), pooling="max"))
