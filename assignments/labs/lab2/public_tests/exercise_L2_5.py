"""The visible checks of exercise L2.5: tokens and spans."""

import numpy as np
import torch

from grader.checking.question import question

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0)"
)
READ = "Devlin et al. 2019, section 4"
TEXTS = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 0]])


def _drawn(module):
    """The module with weights from here, because those that it begins with are nearly 0."""
    random, state = np.random.RandomState(1), sorted(module.state_dict().items())
    module.load_state_dict({n: torch.from_numpy(random.randn(*w.shape)).float() for n, w in state})
    module.eval()
    return module


@question("L2.5", step="TokenClassifier", advice="of every vector, after dropout", read=READ)
def test_tokens(its):
    """A row of logits for each token, the same linear layer for all."""
    return _drawn(its.TokenClassifier(its.make(ENCODER), 3))(TEXTS)


@question("L2.5", step="SpanFinder", weight=2, advice="two outputs per token", read=READ)
def test_spans(its):
    """Two numbers for each token: begins here, ends here; −∞ at padding."""
    starts, ends = _drawn(its.SpanFinder(its.make(ENCODER)))(TEXTS)
    return {"starts": starts.clamp(min=-1e9), "ends": ends.clamp(min=-1e9)}
