"""The visible checks of exercise 4.4: the decoder."""

import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalization without gain and bias."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-6)


SOURCE_MASK = torch.tensor([[True, True, False], [True, True, True]])[:, None, None, :]
INPUTS = [draw(0, 2, 4, 8), draw(1, 2, 3, 8), torch.ones(4, 4).tril().bool()[None, None],
          SOURCE_MASK]


@exercise("4.4")
def test_layers_of_their_own(student):
    """Every layer has its own parameters, all registered with the model."""
    each = 26  # eight projections, two linear layers, three norms; a weight and a bias each
    for norm_first, more in ((False, 0), (True, 2)):
        count = len(student.Decoder(3, 8, 2, 12, norm_first=norm_first).parameters())
        hints = {each + more: "the same layer three times: create a new one each time",
                 more: "layers in a plain list are not registered: use nn.ModuleList",
                 3 * each + 2 - more: "each post-norm layer already ends with a norm: only "
                                      "pre-norm needs one more at the end"}
        expect.equal(count, 3 * each + more, read="§3.1", otherwise=hints.get(count, ""),
                     what=f"parameter tensors in three layers, norm_first={norm_first},")


@exercise("4.4")
def test_layer_after_layer(student):
    """Each layer reads the previous one's output, and all read the same memory."""
    x, *rest = INPUTS
    for norm_first in (False, True):
        decoder = student.Decoder(2, 8, 2, 12, dropout=0.0, norm_first=norm_first)
        first = decoder.get("layers.0")(x, *rest)[0]
        second = decoder.get("layers.1")(first, *rest)[0]
        want = plain_norm(second) if norm_first else second
        output, weights = expect.parts(decoder(x, *rest), 2, read="exercise 4.4",
                                       otherwise="return (output, weights)")
        expect.close(
            output, want, atol=1e-5, what=f"output of two layers, norm_first={norm_first},",
            causes={"every layer reads the decoder's input": decoder.get("layers.1")(
                        x, *rest)[0],
                    "the second layer is not used": first,
                    "the masks do not reach the layers": decoder.get("layers.1")(
                        decoder.get("layers.0")(x, rest[0])[0], rest[0])[0],
                    "the last norm is missing" if norm_first else "there is one norm too many":
                        second if norm_first else plain_norm(second)},
            read="§3.1",
            otherwise="x goes through the layers in turn; memory and masks stay the same")
        expect.equal(weights, None, what="weights with need_weights=False", read="exercise 4.4")


@exercise("4.4")
def test_weights_of_each_layer(student):
    """With `need_weights`, a list of one tensor per layer."""
    _, weights = expect.parts(student.Decoder(3, 8, 2, 12)(*INPUTS, need_weights=True), 2)
    for layer in expect.parts(weights, 3, otherwise="collect them layer by layer",
                              read="exercise 4.4"):
        expect.shape(layer, (2, 2, 4, 3), what="weights of a layer", read="exercise 4.4")
