"""The visible checks of exercise 4.3: a layer, against torch's, and the stack."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


# Two sentences of four targets and three source tokens; the second source ends with padding.
X, MEMORY = draw(97, 2, 4, 8), draw(98, 2, 3, 8)
REAL_SOURCE = torch.tensor([[True, True, True], [True, True, False]])
SOURCE_MASK = REAL_SOURCE[:, None, None, :]
TARGET_MASK = torch.ones(4, 4).tril().bool()[None, None]
TORCH_NAMES = {"self_attn": "self_attention", "multihead_attn": "cross_attention",
               "linear1": "feed_forward.w_1", "linear2": "feed_forward.w_2",
               "norm1": "self_attention_residual.norm", "norm2": "cross_attention_residual.norm",
               "norm3": "feed_forward_residual.norm"}


def ours(drawn):
    """torch's weights under the names of the course."""
    state = {}
    for name, value in drawn.items():
        first, _, rest = name.partition(".")
        part, kind = TORCH_NAMES[first], rest.rpartition(".")[2]
        if "in_proj" in rest:
            kind = kind.removeprefix("in_proj_")
            for letter, block in zip("qkv", value.chunk(3), strict=True):
                state[f"{part}.w_{letter}.{kind}"] = block
        else:
            state[f"{part}.w_o.{kind}" if "out_proj" in rest else f"{part}.{kind}"] = value
    return state


def torch_layer(norm_first):
    """Our state dict, and the outputs of torch's layer: correct, and without either mask."""
    layer = torch.nn.TransformerDecoderLayer(
        8, 2, 12, dropout=0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=norm_first)
    drawn = {name: draw(i, *p.shape) / 2 for i, (name, p) in enumerate(layer.named_parameters())}
    layer.load_state_dict(drawn)
    later, pads = {"tgt_mask": ~TARGET_MASK[0, 0]}, {"memory_key_padding_mask": ~REAL_SOURCE}
    made = [layer(X, MEMORY, **options).detach() for options in (later | pads, pads, later)]
    return ours(drawn), *made


def misfit(mask, *scores):
    """Two calls that raise if `mask` meets scores of these sizes: our attention, and torch's."""
    def ours():
        raise ValueError(f"a mask {tuple(mask.shape)} does not broadcast to the scores "
                         f"{(2, 2, *scores)}")
    return ours, lambda: mask.expand(2, 2, *scores)


# Four targets and three source tokens: a mask that meets the other keys does not fit.
MISFITS = {
    f"{name}{more}": call for name, mask, scores in (
        ("target_mask is given to the cross-attention", TARGET_MASK, (4, 3)),
        ("the roles are swapped: queries come from the memory, keys from x", SOURCE_MASK, (3, 4)),
        ("source_mask meets the targets: it is given to the self-attention, or the "
         "cross-attention reads x instead of the memory", SOURCE_MASK, (4, 4)))
    for more, call in zip(("", ": it does not fit"), misfit(mask, *scores), strict=True)}
# Computed here, before any exercise forbids torch's layer.
POST, PRE = torch_layer(norm_first=False), torch_layer(norm_first=True)


def compare(student, norm_first):
    state, want, future_open, pads_open = PRE if norm_first else POST
    other = (POST if norm_first else PRE)[1]
    layer = student.DecoderLayer(8, 2, 12, dropout=0.0, norm_first=norm_first)
    layer.load_state_dict(state)
    with expect.raising(MISFITS, read="§3.2.3",
                        otherwise="which mask and which keys belong to which attention?"):
        made = layer(X, MEMORY, TARGET_MASK, SOURCE_MASK)
    output, weights = expect.parts(made, 2, otherwise="return (output, weights)",
                                   read="exercise 4.3")
    expect.close(
        output, want, atol=1e-4, what="the output",
        otherwise="three sub-layers as in Figure 1; where do queries, keys, values come from?",
        read="§3.1, §3.2.3")
    expect.equal(weights, None, what="the weights with need_weights=False", read="exercise 4.3")


@exercise("4.3")
def test_names_of_the_parts(student):
    """Two attentions, a feed-forward network, and a residual connection for each."""
    names = sorted(student.DecoderLayer(8, 2, 12).state_dict())
    missing = sorted(set(POST[0]) - set(names))
    expect.true(not missing, expected="the parameter names of the handout",
                got=f"missing {', '.join(missing[:3])}",
                otherwise="each of the three sub-layers has its own residual connection",
                read="exercise 4.3")
    expect.equal(names, sorted(POST[0]), what="the parameter names", read="exercise 4.3")


@exercise("4.3", weight=2)
def test_post_norm_parity(student):
    """The paper's order: equal to torch's layer with the same weights and masks."""
    compare(student, norm_first=False)


@exercise("4.3")
def test_pre_norm_parity(student):
    """With `norm_first`: equal to torch's layer with the same weights and masks."""
    compare(student, norm_first=True)


@exercise("4.3")
def test_weights_to_the_source(student):
    """With `need_weights`, each head's weights on the source, 0 at its padding."""
    layer = student.DecoderLayer(8, 2, 12, dropout=0.0)
    _, weights = expect.parts(layer(X, MEMORY, TARGET_MASK, SOURCE_MASK, need_weights=True), 2)
    expect.shape(
        weights, (2, 2, 4, 3), what="the weights: batch, heads, targets, source",
        otherwise="return the cross-attention's weights, not the self-attention's",
        read="exercise 4.3")
    expect.close((weights * SOURCE_MASK).sum(-1), torch.ones(2, 2, 4), atol=1e-5,
                 what="row sums over real source tokens", read="§3.2.3")


@exercise("4.3")
def test_dropout(student):
    """At a rate of 1, in training, nothing is added to x, and attention returns its output bias."""
    layer = student.DecoderLayer(8, 2, 12, dropout=1.0, norm_first=True)
    layer.train()
    output, _ = expect.parts(layer(X, MEMORY), 2, read="exercise 4.3")
    expect.below(float((output - X).abs().max()), 1e-4, expected="x itself", read="§5.4",
                 because="not everything is dropped: pass `dropout` on to the residual connections")
    for name in ("self_attention", "cross_attention"):
        bias = layer.state_dict()[f"{name}.w_o.bias"]
        made = layer.get(name)(X, MEMORY, MEMORY)[0]
        expect.below(float((made - bias).abs().max()), 1e-4, expected=f"the bias of {name}.w_o",
                     because=f"not every weight is dropped: pass `dropout` on to `{name}`",
                     read="exercise 4.3")


def plain_norm(x):
    """Layer normalization without gain and bias."""
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered * centered).mean(-1, keepdim=True) + 1e-6)


STACK_INPUTS = [draw(0, 2, 4, 8), draw(1, 2, 3, 8), TARGET_MASK, SOURCE_MASK]


@exercise("4.3", after=["DecoderLayer"])
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


@exercise("4.3", after=["DecoderLayer"])
def test_layer_after_layer(student):
    """Each layer reads the previous one's output, and all read the same memory."""
    x, *rest = STACK_INPUTS
    for norm_first in (False, True):
        decoder = student.Decoder(2, 8, 2, 12, dropout=0.0, norm_first=norm_first)
        first = decoder.get("layers.0")(x, *rest)[0]
        second = decoder.get("layers.1")(first, *rest)[0]
        want = plain_norm(second) if norm_first else second
        output, weights = expect.parts(decoder(x, *rest), 2, read="exercise 4.3",
                                       otherwise="return (output, weights)")
        expect.close(
            output, want, atol=1e-5, what=f"output of two layers, norm_first={norm_first},",
            read="§3.1",
            otherwise="x goes through the layers in turn; memory and masks stay the same")
        expect.equal(weights, None, what="weights with need_weights=False", read="exercise 4.3")


@exercise("4.3", after=["DecoderLayer"])
def test_weights_of_each_layer(student):
    """With `need_weights`, a list of one tensor per layer."""
    _, weights = expect.parts(student.Decoder(3, 8, 2, 12)(*STACK_INPUTS, need_weights=True), 2)
    for layer in expect.parts(weights, 3, otherwise="collect them layer by layer",
                              read="exercise 4.3"):
        expect.shape(layer, (2, 2, 4, 3), what="weights of a layer", read="exercise 4.3")
