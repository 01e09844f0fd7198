"""The visible check of exercise L2.4: a class for a text."""

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
    module.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})
    module.eval()
    return module


@question("L2.4", advice="pool (tanh(x₀ W + b)), dropout, the linear layer", read="exercise L2.4")
def test_cls(its):
    """The linear layer gets the pooler's vector by default, the mean of real tokens for "mean"."""

    def logits(*more, pooling="cls"):
        return _drawn(its.TextClassifier(its.make(ENCODER), 3, pooling=pooling))(TEXTS, *more)[0]

    return {
        "of a pooler": _drawn(its.Pooler(4))(torch.arange(24.0).reshape(2, 3, 4) / 24),
        "logits": logits(),
        "with segments": logits(torch.tensor([[0, 0, 1, 1], [0, 1, 1, 0]])),
        "with pooling = mean": logits(pooling="mean"),
        "pooling = max": refusal(lambda: logits(pooling="max")),
    }
