"""The visible check of exercise L2.6: begin with what was read."""

import torch

from grader.checking.question import question

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0)"
)


@question("L2.6", advice="copy.deepcopy the encoder; pass the settings on", read="exercise L2.6")
def test_begins_with_the_weights(its):
    """The classifier begins with the encoder's weights, and what it learns does not change them."""
    encoder = its.make(ENCODER)
    before = {name: one.clone() for name, one in encoder.state_dict().items()}
    model = its.classifier_from(encoder, n_classes=3, pooling="mean")
    after = model.state_dict()
    model.load_state_dict({name: value + 1 for name, value in after.items()})
    now = encoder.state_dict()
    return {
        "it begins alike": all(
            torch.equal(after[f"encoder.{n}"], one) for n, one in before.items()
        ),
        "weights of a pooler": [name for name in after if name.startswith("pooler")],
        "shape of output.weight": after["output.weight"].shape,
        "the encoder is as before": all(torch.equal(now[n], one) for n, one in before.items()),
    }
