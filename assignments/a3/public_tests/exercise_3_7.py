"""The visible checks of exercise 3.7: pooling and classifier."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second
REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])
MASK = REAL[:, None, None, :]


@exercise("3.7")
def test_mean_of_real_tokens(student):
    """Padding counts neither in the sum nor in the divisor, whatever its values."""
    x = torch.arange(16.0).reshape(2, 4, 2)
    want = torch.stack([x[0].mean(0), x[1, :2].mean(0)])
    sums = torch.stack([x[0].sum(0), x[1, :2].sum(0)])
    expect.close(
        student.masked_mean(x, MASK), want,
        otherwise="the sum over real tokens, divided by their number", read="exercise 3.7")
    x[1, 2:] = math.nan
    expect.close(
        student.masked_mean(x, MASK), want, what="the mean with NaN at the padding",
        otherwise="0 · NaN is NaN: fill the padding with 0 instead of multiplying it",
        read="exercise 3.7")


@exercise("3.7")
def test_mean_of_nothing(student):
    """A sentence without any real token gives zeros."""
    mask = torch.tensor([[True, False], [False, False]])[:, None, None, :]
    expect.close(
        student.masked_mean(torch.ones(2, 2, 3), mask), [[1.0] * 3, [0.0] * 3],
        otherwise="zeros where there is no real token", read="exercise 3.7")


SMALL = {"n_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 12}


@exercise("3.7", weight=2, after=["masked_mean"])
def test_padding_changes_nothing(student):
    """A sentence has the same logits alone and padded, with either pooling."""
    alone, padded = torch.tensor([[4, 8]]), torch.tensor([[4, 8, 0, 0, 0]])
    for pooling in ("mean", "cls"):
        model = student.EncoderClassifier(9, pooling=pooling, **SMALL)
        model.eval()
        logits, _ = expect.parts(model(alone), 2, otherwise="return the logits and the weights")
        expect.shape(logits, (1, 2), what="the logits of one sentence", read="exercise 3.7")
        expect.close(
            model(padded)[0], logits, atol=1e-5,
            what=f"the logits of the padded sentence, pooling {pooling!r}",
            otherwise="the padding mask goes to the encoder and to masked_mean",
            read="exercise 3.7")


@exercise("3.7", after=["masked_mean"])
def test_logits_as_they_are(student):
    """Logits, not probabilities: the linear layer's output, here only its bias."""
    model = student.EncoderClassifier(9, **SMALL)
    bias = torch.tensor([5.0, -3.0])
    state = model.state_dict()
    model.load_state_dict({**state, "output.weight": torch.zeros(2, 8), "output.bias": bias})
    expect.close(
        expect.parts(model(SENTENCES), 2)[0], bias.expand(2, 2), what="the logits",
        otherwise="output(dropout(…)), and nothing after it", read="exercise 3.7")


@exercise("3.7", after=["masked_mean"])
def test_dropout_of_the_classifier(student):
    """Dropout is applied to the pooled vector: with dropout 1 only the output's bias is left."""
    model = student.EncoderClassifier(9, dropout=1.0, **SMALL)
    state = model.state_dict()
    norms = {name: torch.ones(8) for name in state if name.endswith("norm.bias")}
    model.load_state_dict({**state, **norms})  # so that something is there to drop
    expect.close(
        expect.parts(model(SENTENCES), 2)[0], state["output.bias"].expand(2, 2), atol=1e-5,
        what="the logits in training mode, dropout = 1",
        otherwise="the classifier's own dropout, before the linear layer",
        read="exercise 3.7")


@exercise("3.7", after=["masked_mean"])
def test_what_goes_on_to_the_embedding(student):
    """`pad_id` and `position_scale` reach the embedding."""
    model = student.EncoderClassifier(9, pad_id=4, position_scale=0.5, **SMALL)
    zero = [i for i, row in enumerate(model.state_dict()["embedding.tokens.weight"])
            if not row.any()]
    expect.equal(zero, [4], what="the rows that are zero, with pad_id = 4,",
                 read="exercise 3.7")
    places = []
    for own in (model, student.EncoderClassifier(9, **SMALL)):
        own.load_state_dict({name: value * ("tokens" not in name)
                             for name, value in own.state_dict().items()})
        own.eval()
        places.append(own.get("embedding")(SENTENCES))  # of words that are zero: the positions
    expect.close(
        places[0], places[1] / 2, what="the positions with position_scale = 0.5",
        read="exercise 3.7")
    model = student.EncoderClassifier(9, pad_id=4, **SMALL)
    model.eval()
    alone, padded = torch.tensor([[5, 8]]), torch.tensor([[5, 8, 4, 4]])
    expect.close(
        model(padded)[0], model(alone)[0], atol=1e-5, what="the logits with padding of pad_id = 4",
        otherwise="build the mask with `pad_id`", read="exercise 3.7")


@exercise("3.7", after=["masked_mean"])
def test_parts_of_the_classifier(student):
    """The parts have the required names; an unknown pooling raises a ValueError."""
    state = student.EncoderClassifier(9, **SMALL).state_dict()
    parts = sorted({name.split(".")[0] for name in state})
    expect.equal(parts, ["embedding", "encoder", "output"], what="parts with parameters",
                 otherwise="embedding, encoder, dropout, output", read="exercise 3.7")
    expect.raises(lambda: student.EncoderClassifier(9, pooling="max", **SMALL), mentions=["max"],
                  otherwise="pooling is 'mean' or 'cls'", read="exercise 3.7")
