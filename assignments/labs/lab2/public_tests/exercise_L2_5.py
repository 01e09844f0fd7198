"""The visible checks of exercise L2.5: tokens and spans."""

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


def head_of(module):
    """The module's own linear layer of the encoder's vectors, with weights from here."""
    generator, state = torch.Generator().manual_seed(1), module.state_dict()
    module.load_state_dict(
        {name: torch.randn(state[name].shape, generator=generator) for name in sorted(state)})
    module.eval()
    x, state = module.method("encoder", TEXTS)[0], module.state_dict()
    return x @ state["output.weight"].T + state["output.bias"]


@exercise("L2.5", step="TokenClassifier")
def test_tokens(student):
    """A row of logits for each token, the same linear layer for all."""
    model = student.TokenClassifier(student.make(ENCODER), 3)
    want = head_of(model)
    expect.close(model(TEXTS), want, atol=1e-4, what="logits", read="exercise L2.5",
                 otherwise="the linear layer of every vector, after dropout")


@exercise("L2.5", step="SpanFinder", weight=2)
def test_spans(student):
    """Two numbers for each token: begins here, ends here; −∞ at padding."""
    model = student.SpanFinder(student.make(ENCODER))
    raw = head_of(model)
    want = raw.masked_fill((TEXTS == 0)[..., None], -1e9)  # −∞, in a form that is subtracted
    found = expect.parts(model(TEXTS), 2, otherwise="return (starts, ends)", read="exercise L2.5")
    for i, name in enumerate(("starts", "ends")):
        expect.close(
            found[i].clamp(min=-1e9), want[..., i], atol=1e-4, what=name,
            read="Devlin et al. 2019, section 4.2",
            otherwise="two outputs a token, taken apart along the last dimension")
