"""The visible checks of exercise 4.5: the Transformer."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

SMALL = {"n_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 12}
SOURCE = torch.tensor([[5, 9, 4, 6], [8, 7, 0, 0]])
TARGET = torch.tensor([[2, 6, 4], [2, 9, 7]])


def made(student, **options):
    model = student.Transformer(11, **SMALL, **options)
    model.eval()
    return model


@exercise("4.5", weight=2)
def test_one_matrix(student):
    """Source, target and output share one embedding matrix."""
    model = made(student)
    shapes = {name: tuple(model.state_dict()[name].shape) for name in model.parameters()}
    of_words = [name for name, shape in shapes.items() if 11 in shape]
    expect.equal(len(of_words), 1, what="parameters with a row for every word",
                 otherwise="the output projection has no parameters of its own: §3.4",
                 read="§3.4")
    expect.equal(sorted({n.partition(".")[0] for n in shapes if n not in of_words}),
                 ["decoder", "encoder"], what="other parts with parameters", read="exercise 4.5")
    x = torch.linspace(-1, 1, 24).reshape(3, 8)
    words = model.state_dict()["embedding.tokens.weight"]
    expect.close(
        model.method("logits", x), x @ words.T, atol=1e-5, what="logits(x)",
        otherwise="the dot product with each word's embedding", read="§3.4")


@exercise("4.5")
def test_memory_and_mask(student):
    """`encode` returns a vector for every source token, and the mask of the real ones."""
    memory, mask = expect.parts(made(student).method("encode", SOURCE), 2, read="exercise 4.5",
                                otherwise="return (memory, source_mask)")
    expect.shape(memory, (2, 4, 8), what="the memory", read="exercise 4.5",
                 otherwise="the encoder returns (output, weights): the output is the memory")
    expect.shape(mask, (2, 1, 1, 4), what="source_mask", read="exercise 4.5")
    expect.close(mask[:, 0, 0], SOURCE != 0, what="source_mask", read="§3.2.3",
                 )


@exercise("4.5", weight=2)
def test_what_scores_depend_on(student):
    """Logits depend on every source token, but not on later targets or on padding."""
    model = made(student)
    logits, weights = expect.parts(model(SOURCE, TARGET), 2, read="exercise 4.5",
                                   otherwise="return (logits, weights)")
    expect.shape(logits, (2, 3, 11), what="the logits", otherwise="batch, targets, vocabulary",
                 read="exercise 4.5")
    expect.equal(weights, None, what="weights with need_weights=False", read="exercise 4.5")
    later = TARGET.clone()
    later[:, 2] = 3
    expect.close(model(SOURCE, later)[0][:, :2], logits[:, :2], atol=1e-4, read="§3.2.3",
                 what="logits at positions 0 and 1 after a change at position 2",
                 otherwise="the decoder needs a mask over its own tokens")
    expect.close(model(SOURCE[1:, :2], TARGET[1:])[0], logits[1:], atol=1e-4, read="§3.2.3",
                 what="logits of the second sentence without its padding",
                 otherwise="encoder and decoder both need the source mask")
    other = SOURCE.clone()
    other[0, 3] = 10
    changed = (model(other, TARGET)[0] - logits).abs().amax((1, 2))
    expect.above(float(changed[0]), 1e-4, expected="different logits after a change in the source",
                 got="the same", otherwise="does the decoder get the memory?", read="§3.1")


@exercise("4.5")
def test_padding_has_its_own_number(student):
    """`pad_id` reaches the embedding and both masks."""
    model = made(student, pad_id=1)
    source, target = torch.tensor([[5, 9, 1]]), torch.tensor([[2, 6, 1]])
    words = model.state_dict()["embedding.tokens.weight"]
    expect.close(words[1], torch.zeros(8), what="the embedding of the padding, pad_id=1,",
                 otherwise="pass pad_id on to the embedding", read="exercise 4.5")
    expect.close(model(source, target)[0][:, :2], model(source[:, :2], target[:, :2])[0], atol=1e-4,
                 what="logits with padding after both sentences, pad_id=1,",
                 otherwise="pass pad_id on to the masks", read="exercise 4.5")
