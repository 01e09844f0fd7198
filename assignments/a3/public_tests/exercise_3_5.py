"""The visible checks of exercise 3.5: the encoder, a layer and the stack."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])
TORCH_NAMES = {"out_proj": "attention.w_o", "linear1": "feed_forward.w_1",
               "linear2": "feed_forward.w_2", "norm1": "attention_residual.norm",
               "norm2": "feed_forward_residual.norm"}


def torch_layer(norm_first):
    """torch's encoder layer with drawn weights: our state, input, output, and wrong outputs."""
    layer = torch.nn.TransformerEncoderLayer(
        8, 2, 12, dropout=0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=norm_first)
    drawn = {name: draw(i, *p.shape) / 2 for i, (name, p) in enumerate(layer.named_parameters())}
    layer.load_state_dict(drawn)
    ours = {}
    for name, value in drawn.items():
        part, kind = name.removeprefix("self_attn.").replace("in_proj_", "in_proj.").split(".")
        if part == "in_proj":
            blocks = zip("qkv", value.chunk(3), strict=True)
            ours |= {f"attention.w_{letter}.{kind}": block for letter, block in blocks}
        else:
            ours[f"{TORCH_NAMES[part]}.{kind}"] = value
    x = draw(99, 2, 4, 8)
    want = layer(x, src_key_padding_mask=~REAL).detach()
    wrong = {"the mask is not passed to the attention": layer(x).detach()}
    if norm_first:  # in post-norm the residual connection passes x itself
        for name, query in (("the attention gets x, not what the residual connection passes",
                             x),
                            ("keys and values are made from x, not from what the residual "
                             "connection passes", layer.norm1(x))):
            seen = x + layer.self_attn(query, x, x, key_padding_mask=~REAL)[0]
            wrong[name] = (seen + layer.linear2(layer.linear1(layer.norm2(seen)).relu())).detach()
    exchanged = {"norm1": "norm2", "norm2": "norm1"}
    layer.load_state_dict({
        ".".join([exchanged.get(name.split(".")[0], name.split(".")[0]), *name.split(".")[1:]]): v
        for name, v in drawn.items()})
    wrong["the norms are swapped: attention_residual comes first"] = layer(
        x, src_key_padding_mask=~REAL).detach()
    return ours, x, want, {name: output[REAL] for name, output in wrong.items()}


# Computed here, before any exercise forbids torch's layer.
POST, PRE = torch_layer(norm_first=False), torch_layer(norm_first=True)
MASK = REAL[:, None, None, :]


def compare_layer(student, norm_first):
    state, x, want, wrong = PRE if norm_first else POST
    instead = (POST if norm_first else PRE)[2]
    module = student.EncoderLayer(8, 2, 12, dropout=0.0, norm_first=norm_first)
    names = sorted(module.state_dict())
    expect.equal(
        names, sorted(state), what="the parameters' names",
        otherwise="attention, attention_residual, feed_forward, feed_forward_residual",
        read="exercise 3.5")
    module.load_state_dict(state)
    output, weights = expect.parts(
        module(x, MASK), 2, otherwise="return the output and the weights", read="exercise 3.5")
    order = "pre-norm" if not norm_first else "post-norm"
    expect.close(
        output[REAL], want[REAL], atol=1e-4, what="output at real tokens",
        otherwise="first enter and leave `attention_residual`, then `feed_forward_residual`",
        read="§3.1")
    expect.equal(weights, None, what="the weights with need_weights=False", read="exercise 3.5")


@exercise("3.5", weight=2)
def test_post_norm_parity(student):
    """The paper's order: equal to torch's layer with the same weights."""
    compare_layer(student, norm_first=False)


@exercise("3.5")
def test_pre_norm_parity(student):
    """With `norm_first`: equal to torch's layer with the same weights."""
    compare_layer(student, norm_first=True)


@exercise("3.5")
def test_layer_weights(student):
    """With `need_weights`, one map per head, whose rows sum to 1 over real tokens."""
    module = student.EncoderLayer(8, 2, 12, dropout=0.0)
    _, weights = expect.parts(module(draw(0, 2, 4, 8), MASK, need_weights=True), 2)
    expect.shape(weights, (2, 2, 4, 4), what="the weights", read="exercise 3.5")
    expect.close(
        (weights * MASK).sum(-1), torch.ones(2, 2, 4), atol=1e-5, what="row sums over real tokens",
        otherwise="pass the mask to the attention", read="§3.2.3")


@exercise("3.5")
def test_layer_dropout(student):
    """`dropout` reaches the attention and both residual connections."""
    module = student.EncoderLayer(8, 2, 12, dropout=1.0, norm_first=True)
    x = draw(0, 2, 4, 8)
    expect.close(
        expect.parts(module(x), 2)[0], x, atol=1e-5, what="pre-norm in training mode, dropout = 1",
        otherwise="every sub-layer's output is dropped: pass `dropout` to both residuals",
        read="§5.4")
    inner, bias = module.get("attention"), module.state_dict()["attention.w_o.bias"]
    expect.close(
        expect.parts(inner(x, x, x), 2)[0], bias.expand_as(x), atol=1e-5,
        what="its attention, dropout = 1", otherwise="pass `dropout` to the attention",
        read="exercise 3.5")


def plain_norm(x):
    """Layer normalization without gain and bias."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-6)


@exercise("3.5", after=["EncoderLayer"])
def test_own_parameters(student):
    """Each layer has its own parameters, all registered with the model."""
    names = student.Encoder(3, 8, 2, 12).parameters()
    each = 16  # four projections, two linear layers, two norms; a weight and a bias each
    expect.equal(
        len(names), 3 * each, what="the number of parameter tensors of three layers",
        otherwise="three layers, and no norm at the end of post-norm", read="§3.1")


@exercise("3.5", after=["EncoderLayer"])
def test_one_after_the_other(student):
    """The layers follow one another; in pre-norm order a LayerNorm ends the stack."""
    x = draw(0, 2, 4, 8)
    for norm_first in (False, True):
        module = student.Encoder(2, 8, 2, 12, dropout=0.0, norm_first=norm_first)
        first = module.get("layers.0")(x, MASK)[0]
        both = module.get("layers.1")(first, MASK)[0]
        output, _ = expect.parts(module(x, MASK), 2, read="exercise 3.5")
        ends = {"the last LayerNorm is missing" if norm_first else
                "one LayerNorm too many: only pre-norm needs one at the end":
                    both if norm_first else plain_norm(both)}
        expect.close(
            output, plain_norm(both) if norm_first else both, atol=1e-5,
            what=f"output with norm_first={norm_first}",
            otherwise="x goes through all layers in turn, with the mask", read="exercise 3.5")


@exercise("3.5", after=["EncoderLayer"])
def test_weights_of_every_layer(student):
    """With `need_weights`, a list with one tensor per layer."""
    module, x = student.Encoder(3, 8, 2, 12, dropout=0.0), draw(0, 2, 4, 8)
    _, weights = expect.parts(module(x, MASK, True), 2)
    expect.parts(weights, 3, otherwise="append the weights of every layer", read="exercise 3.5")
    first = expect.parts(module.get("layers.0")(x, MASK, True), 2)[1]
    expect.close(
        weights[0], first, atol=1e-5, what="the first layer's",
        otherwise="from the input up: the first layer's weights come first", read="exercise 3.5")
    expect.equal(
        expect.parts(module(x, MASK), 2)[1], None, what="the weights with need_weights=False",
        read="exercise 3.5")


@exercise("3.5", after=["EncoderLayer"])
def test_dropout_of_the_layers(student):
    """`dropout` reaches every layer."""
    rates = [student.Encoder(2, 8, 2, 12, dropout=0.7).get(
        f"layers.{i}.attention.dropout.p") for i in (0, 1)]
    expect.close(rates, [0.7, 0.7], what="the rate in the attention of each layer",
                 otherwise="pass `dropout` to every layer", read="exercise 3.5")
