"""The visible check of exercise L3.3: a vector for a sentence."""

import numpy as np
import torch

from grader.checking.question import question

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0, pad_id=3)"
)
TEXTS = torch.tensor([[4, 8, 9, 5], [4, 11, 5, 3], [4, 0, 5, 3]])


@question("L3.3", advice="masked_mean, then F.normalize(…, dim=-1)", read="exercise L3.3")
def test_vectors(its):
    """A text's vector is the mean over its real tokens, divided by its length."""
    encoder = its.make(ENCODER)
    random, state = np.random.RandomState(3), sorted(encoder.state_dict().items())
    encoder.load_state_dict(
        {name: torch.from_numpy(random.randn(*w.shape)).float() for name, w in state}
    )
    encoder.eval()
    vectors = its.sentence_vectors(encoder, TEXTS)
    return {"the vectors": vectors, "their lengths": vectors.norm(dim=-1)}
