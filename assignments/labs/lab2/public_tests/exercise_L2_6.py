"""The visible checks of exercise L2.6: begin with what was read."""

import torch

from grader.checking.question import question

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0)"
)


@question("L2.6", advice="copy.deepcopy the encoder; pass the settings on", read="exercise L2.6")
def test_begins_with_the_weights(its):
    """The classifier's encoder has the weights of the one that was given, and its settings."""
    encoder = its.make(ENCODER)
    after = its.classifier_from(encoder, n_classes=3, pooling="mean").state_dict()
    same = (
        torch.equal(after[f"encoder.{name}"], one) for name, one in encoder.state_dict().items()
    )
    pooler = [name for name in after if name.startswith("pooler")]
    found = {"the weights are those of the encoder": all(same), "weights of a pooler": pooler}
    return found | {"shape of output.weight": after["output.weight"].shape}


@question(
    "L2.6", beside=["test_begins_with_the_weights"], advice="a deep copy", read="exercise L2.6"
)
def test_leaves_the_encoder(its):
    """What the classifier learns does not change the encoder that was given."""
    encoder = its.make(ENCODER)
    before, model = encoder.state_dict()["tokens.weight"].clone(), its.classifier_from(encoder)
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})
    return {"it is as before": bool(torch.equal(encoder.state_dict()["tokens.weight"], before))}
