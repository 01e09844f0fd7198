"""The visible checks of exercise L2.6: begin with what was read."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

ENCODER = (
    "__import__('importlib').import_module('course_lib.families.masked_language_model').BertEncoder("
    "12, n_layers=1, d_model=8, n_heads=2, d_ff=16, dropout=0.0, n_segments=0)"
)


@exercise("L2.6")
def test_begins_with_the_weights(student):
    """The classifier's encoder has the weights of the one that was given, and its settings."""
    encoder = student.make(ENCODER)
    model = student.classifier_from(encoder, n_classes=3, pooling="mean")
    before, after = encoder.state_dict(), model.state_dict()
    same = all(torch.equal(after[f"encoder.{name}"], value) for name, value in before.items())
    expect.true(same, expected="the weights of the encoder", got="others", read="exercise L2.6",
                otherwise="copy the encoder with its weights: copy.deepcopy")
    expect.shape(after["output.weight"], (3, 8), what="output.weight", read="exercise L2.6")
    expect.equal([name for name in after if name.startswith("pooler")], [], read="exercise L2.6",
                 what="weights of a pooler with pooling=\"mean\"",
                 otherwise="pass n_classes, dropout and pooling on")


@exercise("L2.6", beside=["test_begins_with_the_weights"])
def test_leaves_the_encoder(student):
    """What the classifier learns does not change the encoder that was given."""
    encoder = student.make(ENCODER)
    before = encoder.state_dict()["tokens.weight"].clone()
    model = student.classifier_from(encoder)
    model.load_state_dict({name: value + 1 for name, value in model.state_dict().items()})
    after = encoder.state_dict()["tokens.weight"]
    expect.close(after, before, what="the encoder's weights, after the classifier's have changed",
                 read="exercise L2.6")
