"""The visible check of exercise L3.5: adapters in an encoder."""

import numpy as np
import torch

from grader.checking.question import question, refusal

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=2, d_model=4, n_heads=2, d_ff=6, dropout=0.0, n_segments=0)"
)
IDS = torch.tensor([[4, 8, 9, 5]])


@question("L3.5", advice="freeze all, then replace the layers named", read="exercise L3.5")
def test_add_low_rank(its):
    """Adapters replace every layer so named, and everything else stays as it is."""
    encoder = its.make(ENCODER)
    encoder.eval()
    before = encoder(IDS)[0]
    its.add_low_rank(encoder, 2, alpha=6.0, names=["w_k", "w_o"])
    begins = bool(torch.allclose(encoder(IDS)[0], before, atol=1e-5))
    learns = sorted(name for name, learning in encoder.parameters().items() if learning)
    random, state = np.random.RandomState(4), sorted(encoder.state_dict().items())
    encoder.load_state_dict(
        {name: torch.from_numpy(random.randn(*w.shape)).float() for name, w in state}
    )
    usual = its.make(ENCODER)
    its.add_low_rank(usual, 1)
    return {
        "it begins at the encoder": begins,
        "what learns": learns,
        "the vectors": encoder(IDS)[0],
        "what learns by default": sorted(n for n, yes in usual.parameters().items() if yes),
        "no such layer": refusal(lambda: its.add_low_rank(its.make(ENCODER), 1, names=["w_9"])),
    }
