"""The visible checks of assignment 3: what `check("A3.5")` runs in a notebook.

Values are written in, follow from a property, or come from plain tensor operations or torch's own
modules. The hidden suite adds fresh inputs, edge cases and the pinned conventions of the handout.
"""

import math

import numpy as np
import torch

from course_lib.checking import expect
from course_lib.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def plain_norm(x):
    """Layer normalisation without gain and bias."""
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-6)


def drawn_state(module, seed=0):
    """Random values for everything a module of the student's holds."""
    state = module.state_dict()
    return {name: draw(seed + i, *state[name].shape) / 2 for i, name in enumerate(sorted(state))}


SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second
REAL = torch.tensor([[True, True, True, True], [True, True, False, False]])

# ------------------------------------------------------------------------------- 3.1


@exercise("3.1")
def test_small_table(student):
    """Three positions of four features, as in the formula."""
    def table(function):
        return [[function(p, k) for k in range(4)] for p in range(3)]

    waves = (math.sin, math.cos)
    want = table(lambda p, k: waves[k % 2](p / 100 ** (k // 2)))
    halves = table(lambda p, k: waves[k // 2](p / 100 ** (k % 2)))
    expect.close(
        student.sinusoidal_positions(3, 4), want,
        causes={"sine and cosine are exchanged: even features are sines":
                    table(lambda p, k: waves[1 - k % 2](p / 100 ** (k // 2))),
                "all sines first, then all cosines: the paper interleaves them": halves,
                "feature 2i + 1 has an angle of its own here: it shares that of feature 2i":
                    table(lambda p, k: waves[k % 2](p / 100 ** (k / 2))),
                "the exponent is twice too large: 2i is already the number of the even feature":
                    table(lambda p, k: waves[k % 2](p / 10000 ** (k // 2))),
                "the first position is taken for 1: they count from 0":
                    table(lambda p, k: waves[k % 2]((p + 1) / 100 ** (k // 2)))},
        otherwise="sin(pos / 10000^(2i/d_model)) in feature 2i, the cosine beside it", read="§3.5")


@exercise("3.1")
def test_odd_width(student):
    """An odd width ends with a sine, and the table is float32."""
    too_many = "an odd width has one cosine less than sines"

    def as_many():
        torch.empty(2, 3)[:, 1::2] = torch.ones(2, 2)

    with expect.raising({too_many: as_many}, expected="a table of shape (2, 3)",
                        read="exercise 3.1"):
        got = student.sinusoidal_positions(2, 3)
    expect.dtype(got, "float32", what="the table", read="exercise 3.1")
    last = math.sin(10000 ** (-2 / 3)), math.cos(10000 ** (-2 / 3))
    start = [math.sin(1), math.cos(1)]
    expect.close(
        got, [[0, 1, 0], [*start, last[0]]],
        causes={too_many: [[0, 1, 0, 1], [*start, *last]],
                "it ends with a sine; here it ends before": [[0, 1], start]},
        otherwise="one sine more than cosines", read="exercise 3.1")


# ------------------------------------------------------------------------------- 3.2


@exercise("3.2")
def test_real_tokens(student):
    """True at real tokens, False at padding, with axes for heads and queries."""
    mask = student.padding_mask(SENTENCES)
    expect.shape(
        mask, (2, 1, 1, 4), what="the mask",
        causes={"the mask is about keys: theirs is the last axis": (2, 1, 4, 1),
                "the axes of heads and queries are missing": (2, 4)},
        otherwise="two axes of size 1 between batch and keys", read="exercise 3.2")
    expect.dtype(mask, "bool", what="the mask", read="exercise 3.2")
    expect.close(
        mask[:, 0, 0], REAL,
        causes={"True and False are exchanged: True means may attend": ~REAL},
        otherwise="a token is real if it is not pad_id", read="exercise 3.2")


@exercise("3.2")
def test_other_padding(student):
    """`pad_id` says which id is padding."""
    expect.close(
        student.padding_mask(SENTENCES, pad_id=7)[:, 0, 0], SENTENCES != 7,
        causes={"0 is taken for padding whatever `pad_id` is": REAL},
        otherwise="compare with pad_id", read="exercise 3.2")


# ------------------------------------------------------------------------------- 3.3


def sum_explained(n, longest):
    """Name what makes a sum of n embeddings and a table of `longest` positions fail."""
    words, table = torch.zeros(2, n, 4), torch.zeros(longest, 4)
    name = ("the table is longer than the sentence: take its first n rows" if n < longest else
            "the table ends at max_length: make a longer one when it is needed")
    return expect.raising({name: lambda: words + table, f"{name}.": lambda: table + words},
                          expected="a sum of embeddings and positions", read="exercise 3.3")


@exercise("3.3")
def test_sum(student):
    """Embeddings × √d_model, plus the table's rows."""
    module = student.TransformerEmbedding(9, 4, dropout=0.0)
    words = draw(0, 9, 4)
    module.load_state_dict({"tokens.weight": words})
    x, places = words[SENTENCES], module.get("positions")[:4]
    with sum_explained(4, 512):
        got = module(SENTENCES)
    expect.shape(
        got, (2, 4, 4), what="the output",
        otherwise="positions are added to the embeddings, not put beside them", read="§3.5")
    expect.close(
        got, 2 * x + places, atol=1e-5,
        causes={"the embeddings are not multiplied by √d_model": x + places,
                "the positions are missing": 2 * x,
                "the sum is multiplied by √d_model: only the embeddings are": 2 * (x + places),
                "multiplied by d_model instead of its root": 4 * x + places},
        otherwise="tokens(token_ids) · √d_model + the first n rows of positions", read="§3.4")


@exercise("3.3")
def test_longer_than_the_table(student):
    """An input longer than `max_length` is no error; its positions are scaled as well."""
    module = student.TransformerEmbedding(9, 4, dropout=0.0, max_length=3, position_scale=0.5)
    module.load_state_dict({"tokens.weight": torch.zeros(9, 4)})
    with sum_explained(5, 3):
        got = module(torch.ones(2, 5, dtype=torch.long))
    expect.shape(got, (2, 5, 4), what="five tokens, table of three,", read="exercise 3.3")
    whole = student.TransformerEmbedding(9, 4, dropout=0.0, max_length=5).get("positions")
    expect.close(
        got[0], whole / 2, what="what is added to five words, with position_scale=0.5",
        causes={"the longer table is not scaled: `self.table(n)` is": whole},
        otherwise="self.positions = self.table(n)", read="exercise 3.3")
    expect.equal(
        sorted(module.state_dict()), ["tokens.weight"], what="what is saved",
        causes={"the longer table is saved: put it in the place of `self.positions`":
                    ["positions", "tokens.weight"]}, read="exercise 3.3")


@exercise("3.3")
def test_dropout_on_the_sum(student):
    """Dropout falls on the sum of both: with dropout 1 nothing is left."""
    module = student.TransformerEmbedding(9, 4, dropout=1.0)
    expect.close(
        module(SENTENCES), torch.zeros(2, 4, 4),
        causes={"dropout spares the positions": module.get("positions")[:4].expand(2, 4, 4)},
        otherwise="self.dropout(…) around the sum", read="§5.4")
    module.eval()
    whole = module.state_dict()["tokens.weight"][SENTENCES] * 2 + module.get("positions")[:4]
    expect.close(
        module(SENTENCES), whole, atol=1e-5, what="the same in evaluation mode",
        causes={"dropout goes on in evaluation mode": torch.zeros(2, 4, 4)},
        otherwise="the module's own `dropout` switches itself off", read="§5.4")


# ------------------------------------------------------------------------------- 3.4


@exercise("3.4")
def test_names(student):
    """Two linear layers with the pinned names."""
    state = student.FeedForward(4, 6).state_dict()
    shapes = {name: tuple(value.shape) for name, value in state.items()}
    want = {"w_1.weight": (6, 4), "w_1.bias": (6,), "w_2.weight": (4, 6), "w_2.bias": (4,)}
    expect.equal(shapes, want, what="names and shapes",
                 otherwise="w_1 leads to d_ff features, w_2 back", read="§3.3")


@exercise("3.4")
def test_two_layers_by_hand(student):
    """max(0, x W₁ + b₁) W₂ + b₂, with values written in."""
    module = student.FeedForward(4, 6)
    state = drawn_state(module)
    module.load_state_dict(state)
    x = draw(9, 2, 3, 4)
    inner = x @ state["w_1.weight"].T + state["w_1.bias"]

    def out(hidden):
        return hidden @ state["w_2.weight"].T + state["w_2.bias"]

    expect.close(
        module(x), out(inner.clamp(min=0)), atol=1e-5,
        causes={"there is no max(0, …) between the layers": out(inner),
                "max(0, …) falls on the output too": out(inner.clamp(min=0)).clamp(min=0),
                "that is GELU: the paper has max(0, …)": out(torch.nn.functional.gelu(inner))},
        otherwise="w_1, then max(0, …), then w_2; no dropout inside", read="§3.3, Eq. 2")


@exercise("3.4")
def test_no_dropout_inside(student):
    """In training mode, too, every call gives the same; each position by itself."""
    module = student.FeedForward(4, 256)
    module.train()
    x = draw(1, 8, 4)
    first, second = (student.call(module, x, seed=seed).value for seed in (1, 2))
    expect.true(torch.equal(first, second), expected="two calls that agree in training mode",
                got="two that differ", because="there is a dropout inside: the residual "
                "connection drops, this network does not", read="§5.4")
    moved = x.clone()
    moved[3] += 1
    others = [row for row in range(8) if row != 3]
    expect.close(module(moved)[others], first[others], atol=1e-5, what="the rows but 3, after x[3] "
                 "has changed", otherwise="each position by itself", read="§3.3")


# ------------------------------------------------------------------------------- 3.5

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
    wrong = {"the mask is not handed on to the attention": layer(x).detach()}
    if norm_first:  # in post-norm the residual connection hands over x itself
        for name, query in (("the attention gets x, not what the residual connection hands over",
                             x),
                            ("keys and values are made from x, not from what the residual "
                             "connection hands over", layer.norm1(x))):
            seen = x + layer.self_attn(query, x, x, key_padding_mask=~REAL)[0]
            wrong[name] = (seen + layer.linear2(layer.linear1(layer.norm2(seen)).relu())).detach()
    exchanged = {"norm1": "norm2", "norm2": "norm1"}
    layer.load_state_dict({
        ".".join([exchanged.get(name.split(".")[0], name.split(".")[0]), *name.split(".")[1:]]): v
        for name, v in drawn.items()})
    wrong["the norms have changed places: attention_residual comes first"] = layer(
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
        causes={f"that is {order}: hand `norm_first` on": instead[REAL], **wrong},
        otherwise="attention_residual(x, …), then feed_forward_residual(x, feed_forward)",
        read="§3.1")
    expect.equal(weights, None, what="the weights, when nobody needs them", read="exercise 3.5")


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
    """With `need_weights`, one map a head, whose rows sum to one over real tokens."""
    module = student.EncoderLayer(8, 2, 12, dropout=0.0)
    _, weights = expect.parts(module(draw(0, 2, 4, 8), MASK, need_weights=True), 2)
    expect.shape(weights, (2, 2, 4, 4), what="the weights", read="exercise 3.5")
    expect.close(
        (weights * MASK).sum(-1), torch.ones(2, 2, 4), atol=1e-5, what="row sums over real tokens",
        otherwise="hand the mask on to the attention", read="§3.2.3")


@exercise("3.5")
def test_layer_dropout(student):
    """`dropout` goes on to the attention and to both residual connections."""
    module = student.EncoderLayer(8, 2, 12, dropout=1.0, norm_first=True)
    x = draw(0, 2, 4, 8)
    expect.close(
        expect.parts(module(x), 2)[0], x, atol=1e-5, what="pre-norm in training mode, dropout = 1",
        otherwise="nothing of a sub-layer remains: hand `dropout` on to both residual connections",
        read="§5.4")
    inner, bias = module.get("attention"), module.state_dict()["attention.w_o.bias"]
    expect.close(
        expect.parts(inner(x, x, x), 2)[0], bias.expand_as(x), atol=1e-5,
        what="its attention, dropout = 1", otherwise="hand `dropout` on to the attention",
        read="exercise 3.5")


# ------------------------------------------------------------------------------- 3.6


@exercise("3.6")
def test_own_parameters(student):
    """Each layer has parameters of its own, and the model knows them all."""
    names = student.Encoder(3, 8, 2, 12).parameters()
    each = 16  # four projections, two linear layers, two norms; a weight and a bias each
    expect.equal(
        len(names), 3 * each, what="the number of parameter tensors of three layers",
        causes={"the same layer three times: make a new one for every place": each,
                "layers in a plain list are no part of the module: nn.ModuleList": 0,
                "a norm at the end of post-norm": 3 * each + 2},
        otherwise="three layers, and no norm at the end of post-norm", read="§3.1")


@exercise("3.6")
def test_one_after_the_other(student):
    """The layers follow one another; in pre-norm order a LayerNorm ends the stack."""
    x = draw(0, 2, 4, 8)
    for norm_first in (False, True):
        module = student.Encoder(2, 8, 2, 12, dropout=0.0, norm_first=norm_first)
        first = module.get("layers.0")(x, MASK)[0]
        both = module.get("layers.1")(first, MASK)[0]
        output, _ = expect.parts(module(x, MASK), 2, read="exercise 3.6")
        ends = {"the last LayerNorm is missing" if norm_first else
                "a LayerNorm too many: only pre-norm needs one at the end":
                    both if norm_first else plain_norm(both)}
        expect.close(
            output, plain_norm(both) if norm_first else both, atol=1e-5,
            what=f"output with norm_first={norm_first}",
            causes={"only the first layer is used": first, **ends},
            otherwise="x goes through all layers in turn, with the mask", read="exercise 3.6")


@exercise("3.6")
def test_weights_of_every_layer(student):
    """With `need_weights`, a list with one tensor a layer."""
    module, x = student.Encoder(3, 8, 2, 12, dropout=0.0), draw(0, 2, 4, 8)
    _, weights = expect.parts(module(x, MASK, True), 2)
    expect.parts(weights, 3, otherwise="append the weights of every layer", read="exercise 3.6")
    first = expect.parts(module.get("layers.0")(x, MASK, True), 2)[1]
    expect.close(
        weights[0], first, atol=1e-5, what="the first of them",
        otherwise="from the input up: the first layer's come first", read="exercise 3.6")
    expect.equal(
        expect.parts(module(x, MASK), 2)[1], None, what="the weights, when nobody needs them",
        causes={"a list of None is not None": [None] * 3}, read="exercise 3.6")


@exercise("3.6")
def test_dropout_of_the_layers(student):
    """`dropout` reaches every layer."""
    rates = [student.Encoder(2, 8, 2, 12, dropout=0.7).get(
        f"layers.{i}.attention.dropout.p") for i in (0, 1)]
    expect.close(rates, [0.7, 0.7], what="the rate in the attention of each layer",
                 causes={"`dropout` is not handed on: that is the default": [0.1, 0.1]},
                 otherwise="hand `dropout` on to every layer", read="exercise 3.6")


# ------------------------------------------------------------------------------- 3.7


@exercise("3.7")
def test_mean_of_real_tokens(student):
    """Padding counts neither in the sum nor in the number, whatever stands there."""
    x = torch.arange(16.0).reshape(2, 4, 2)
    want = torch.stack([x[0].mean(0), x[1, :2].mean(0)])
    sums = torch.stack([x[0].sum(0), x[1, :2].sum(0)])
    expect.close(
        student.masked_mean(x, MASK), want,
        causes={"the padding is averaged too": x.mean(1),
                "the sum is right, but it is divided by the padded length": sums / 4,
                "that is the sum": sums},
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
        causes={"0 / 0 is NaN: divide by at least 1": [[1.0] * 3, [math.nan] * 3]},
        otherwise="zeros where there is no real token", read="exercise 3.7")


SMALL = {"n_layers": 1, "d_model": 8, "n_heads": 2, "d_ff": 12}


@exercise("3.7", weight=2)
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


@exercise("3.7")
def test_logits_as_they_are(student):
    """Logits, no probabilities: what the linear layer gives, here its bias alone."""
    model = student.EncoderClassifier(9, **SMALL)
    bias = torch.tensor([5.0, -3.0])
    state = model.state_dict()
    model.load_state_dict({**state, "output.weight": torch.zeros(2, 8), "output.bias": bias})
    expect.close(
        expect.parts(model(SENTENCES), 2)[0], bias.expand(2, 2), what="the logits",
        causes={"probabilities: cross-entropy wants the logits": bias.softmax(-1).expand(2, 2),
                "log probabilities: return the logits": bias.log_softmax(-1).expand(2, 2)},
        otherwise="output(dropout(…)), and nothing behind it", read="exercise 3.7")


@exercise("3.7")
def test_dropout_of_the_classifier(student):
    """Dropout falls on the pooled vector: with dropout 1 only the output's bias is left."""
    model = student.EncoderClassifier(9, dropout=1.0, **SMALL)
    state = model.state_dict()
    norms = {name: torch.ones(8) for name in state if name.endswith("norm.bias")}
    model.load_state_dict({**state, **norms})  # so that something is there to drop
    expect.close(
        expect.parts(model(SENTENCES), 2)[0], state["output.bias"].expand(2, 2), atol=1e-5,
        what="the logits in training mode, dropout = 1",
        otherwise="a dropout of the classifier's own, before the linear layer",
        read="exercise 3.7")


@exercise("3.7")
def test_what_goes_on_to_the_embedding(student):
    """`pad_id` and `position_scale` reach the embedding."""
    model = student.EncoderClassifier(9, pad_id=4, position_scale=0.5, **SMALL)
    zero = [i for i, row in enumerate(model.state_dict()["embedding.tokens.weight"])
            if not row.any()]
    expect.equal(zero, [4], what="the rows that are zero, with pad_id = 4,",
                 causes={"pad_id does not reach the embedding": [0]}, read="exercise 3.7")
    places = []
    for own in (model, student.EncoderClassifier(9, **SMALL)):
        own.load_state_dict({name: value * ("tokens" not in name)
                             for name, value in own.state_dict().items()})
        own.eval()
        places.append(own.get("embedding")(SENTENCES))  # of words that are zero: the positions
    expect.close(
        places[0], places[1] / 2, what="the positions with position_scale = 0.5",
        causes={"position_scale does not reach the embedding": places[1]}, read="exercise 3.7")
    model = student.EncoderClassifier(9, pad_id=4, **SMALL)
    model.eval()
    alone, padded = torch.tensor([[5, 8]]), torch.tensor([[5, 8, 4, 4]])
    expect.close(
        model(padded)[0], model(alone)[0], atol=1e-5, what="the logits with padding of pad_id = 4",
        otherwise="the mask is made with `pad_id`", read="exercise 3.7")


@exercise("3.7")
def test_parts_of_the_classifier(student):
    """The parts have the pinned names; another pooling is refused."""
    state = student.EncoderClassifier(9, **SMALL).state_dict()
    parts = sorted({name.split(".")[0] for name in state})
    expect.equal(parts, ["embedding", "encoder", "output"], what="parts with parameters",
                 otherwise="embedding, encoder, dropout, output", read="exercise 3.7")
    expect.raises(lambda: student.EncoderClassifier(9, pooling="max", **SMALL), mentions=["max"],
                  otherwise="pooling is 'mean' or 'cls'", read="exercise 3.7")


# ------------------------------------------------------------------------------- 3.8


@exercise("3.8")
def test_rates(student):
    """The formula at its beginning, its peak and later."""
    steps = (1, 2000, 4000, 16000)
    rising, falling = [s * 4000**-1.5 for s in steps], [s**-0.5 for s in steps]
    want = [min(pair) for pair in zip(rising, falling, strict=True)]
    expect.close(
        [1000 * student.warmup_rate(s, 512) for s in steps],
        [1000 * 512**-0.5 * rate for rate in want], what="1000 × the rate at 1, 2000, 4000, 16000",
        causes={"d_model has no part in it": [1000 * rate for rate in want],
                "it never falls: take the smaller of the two":
                    [1000 * 512**-0.5 * rate for rate in rising],
                "max instead of min":
                    [1000 * 512**-0.5 * max(p) for p in zip(rising, falling, strict=True)]},
        otherwise="d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5)", read="§5.3, Eq. 3")
    expect.raises(lambda: student.warmup_rate(0, 512), because="step 0 is not refused",
                  otherwise="step 0 is a ValueError: steps count from 1", read="exercise 3.8")


@exercise("3.8")
def test_first_steps(student):
    """The optimizer's steps 1, 2, 3, … have the rates of the formula, times its own rate."""
    optimizer = student.make("torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=3.0)")
    schedule = student.WarmupSchedule(optimizer, 4, 2)
    got = []
    for _ in range(4):
        got.append(optimizer.get("param_groups")[0]["lr"])
        optimizer.method("step")
        schedule.method("step")

    def rates(first, factor=3.0):
        steps = range(first, first + 4)
        return [factor * 0.5 * min(max(s, 1e-9) ** -0.5, s * 2**-1.5) for s in steps]

    expect.close(
        got, rates(1), what="the rates of steps 1 to 4",
        causes={"the first step is counted as 0, and nothing is learned in it": rates(0),
                "the first step is already step 2": rates(2),
                "the optimizer's own rate, here 3, is not used: it is a factor": rates(1, 1.0)},
        otherwise="torch's last_epoch is 0 at the first step; the paper's step is 1",
        read="exercise 3.8")


# ------------------------------------------------------------------------------- 3.9

# A bag of words for a model: (mean of the words' logits, no weights).
TOY = ("type('Toy', (torch.nn.Embedding,), {'forward': lambda self, token_ids: "
       "(torch.nn.functional.embedding(token_ids, self.weight).mean(1), None)})(9, 2)")
LABELS = torch.tensor([1, 0])


class Trained:
    """One call of the student's `training_step` on a toy model, and what it should have done."""

    def __init__(self, student, **options):
        self.model, self.before = student.make(TOY), 3 * draw(0, 9, 2)
        self.model.load_state_dict({"weight": self.before})
        self.model.eval()
        self.optimizer = student.make("torch.optim.SGD(model.parameters(), lr=2.0)",
                                      model=self.model)
        schedule = student.make("torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: 0.5 ** n)",
                                optimizer=self.optimizer)
        self.row = student.training_step(
            self.model, SENTENCES, LABELS, self.optimizer, schedule, **options)
        self.after = self.model.state_dict()["weight"]

    def loss(self, smoothing, weight):
        logits = torch.nn.functional.embedding(SENTENCES, weight).mean(1)
        return torch.nn.functional.cross_entropy(logits, LABELS, label_smoothing=smoothing)

    def gradient(self, smoothing=0.1):
        weight = self.before.clone().requires_grad_()
        return torch.autograd.grad(self.loss(smoothing, weight), weight)[0]


@exercise("3.9", weight=2)
def test_the_step(student):
    """The parameters move by the clipped gradient at this step's rate."""
    trained = Trained(student, max_norm=0.1)
    gradient = trained.gradient()
    norm = gradient.norm()
    expect.close(
        trained.after - trained.before, -2 * gradient * 0.1 / norm, atol=1e-5, what="the change",
        causes={"nothing has changed": torch.zeros(9, 2),
                "the gradients are not clipped before the step": -2 * gradient,
                "the schedule stepped before the optimizer": -gradient * 0.1 / norm,
                "the labels are not smoothed":
                    -2 * trained.gradient(0.0) * 0.1 / trained.gradient(0.0).norm()},
        otherwise="loss, backward, clip, optimizer, schedule, in this order", read="exercise 3.9")
    expect.close(
        trained.optimizer.get("param_groups")[0]["lr"], 1.0, what="the rate of the next step",
        causes={"the schedule has not stepped": 2.0}, read="§5.3")


@exercise("3.9")
def test_what_it_returns(student):
    """Loss, norm before clipping, the rate of this step and the batch's accuracy, as floats."""
    trained = Trained(student, max_norm=0.1)
    expect.equal(
        sorted(trained.row) if isinstance(trained.row, dict) else trained.row,
        ["accuracy", "gradient_norm", "learning_rate", "loss"], what="the keys of the dict",
        read="exercise 3.9")
    guesses = trained.before[SENTENCES].mean(1).argmax(-1)
    want = {"loss": float(trained.loss(0.1, trained.before)), "learning_rate": 2.0,
            "gradient_norm": float(trained.gradient().norm()),
            "accuracy": float((guesses == LABELS).float().mean())}
    causes = {"gradient_norm": {"that is the norm after clipping": 0.1},
              "learning_rate": {"the next step's: read it before the schedule steps": 1.0},
              "loss": {"the labels are not smoothed": float(trained.loss(0.0, trained.before))},
              "accuracy": {"that is in percent": 100 * want["accuracy"]}}
    for key, value in want.items():
        got = trained.row[key]
        expect.true(type(got) is float, expected=f"{key}: a float", got=type(got).__name__,
                    otherwise="float(…), or .item() of a tensor", read="exercise 3.9")
        expect.close(got, value, atol=1e-5, what=key, causes=causes[key], read="exercise 3.9")


@exercise("3.9")
def test_what_the_loop_passes(student):
    """`backward` is used, the gradients are cleared at the end, the model is in training mode."""
    trained = Trained(student, backward=student.make("lambda loss: (3 * loss).backward()"))
    expect.close(
        trained.row["gradient_norm"], 3 * trained.gradient().norm(),
        what="the norm, where the loop's `backward` triples the loss",
        causes={"`loss.backward()` is called instead of `backward(loss)`":
                    trained.gradient().norm()},
        otherwise="call backward(loss), then clip(model.parameters(), max_norm)",
        read="exercise 3.9")
    left = trained.model.get("weight.grad")
    expect.true(left is None or not left.any(), expected="no gradient after the step",
                got=f"a gradient of norm {0 if left is None else float(left.norm()):.3g}",
                because="the gradient is left behind, and the next step would add to it: clear "
                        "it at the end", read="exercise 3.9")
    expect.equal(trained.model.get("training"), True, what="model.training",
                 because="the model is in evaluation mode, in which it came: model.train() first",
                 read="exercise 3.9")


@exercise("3.9")
def test_clip_is_used(student):
    """`clip` is the loop's own, and what it returns is the norm that is reported."""
    clip = student.make("lambda parameters, max_norm: torch.tensor(100 * max_norm)")
    trained = Trained(student, max_norm=0.5, clip=clip)
    expect.close(
        trained.row["gradient_norm"], 50.0, what="the norm, where the loop's `clip` says 50",
        causes={"a clipping of your own is called instead of `clip`": trained.gradient().norm()},
        otherwise="clip(model.parameters(), max_norm)", read="exercise 3.9")


# ------------------------------------------------------------------------------ 3.11

HISTORY = [{"step": 1, "loss": 0.75, "accuracy": 0.25}, {"step": 2, "loss": 0.5, "accuracy": 1.0},
           {"step": 2, "epoch": 1, "validation_accuracy": 0.5},
           {"step": 3, "loss": 0.625, "accuracy": 0.5},
           {"step": 3, "epoch": 2, "validation_accuracy": 0.8}]


@exercise("3.11")
def test_two_curves(student):
    """The loss of every step, the validation accuracy in percent of every evaluation."""
    left, right = expect.parts(
        student.plot_curves(HISTORY), 2, otherwise="return both Axes", read="exercise 3.11")
    wanted = (("training loss", left, [1, 2, 3], [0.75, 0.5, 0.625], {}),
              ("validation accuracy", right, [2, 3], [50.0, 80.0],
               {"a share: the axis is in percent": [0.5, 0.8]}))
    for label, ax, steps, values, causes in wanted:
        lines = [line for line in ax.axes()["lines"] if line["label"] == label]
        expect.true(len(lines) == 1, expected=f"a line labelled {label!r}", got=f"{len(lines)}",
                    read="exercise 3.11")
        expect.close(lines[0]["x"], steps, what=f"steps of the {label}", otherwise="a row belongs "
                     "to the curve whose key it has", read="exercise 3.11")
        expect.close(lines[0]["y"], values, what=label, causes=causes,
                     otherwise="the values as they are, none smoothed", read="exercise 3.11")


@exercise("3.11")
def test_band(student):
    """A band of one standard error lies around the accuracy."""
    _, right = expect.parts(student.plot_curves(HISTORY, n_validation=100), 2)
    heights = student.call(student.make(
        "lambda ax: [float(y) for c in ax.collections for p in c.get_paths() "
        "for y in p.vertices[:, 1]]"), right).value
    expect.close(
        sorted({round(y, 4) for y in heights}), [45, 55, 76, 84], what="edges of the band",
        causes={"that is ± 1.96 standard errors": [40.2, 59.8, 72.16, 87.84],
                "√n is missing": [0.0, 40.0, 100.0, 120.0]},
        otherwise="fill_between, ± 100 · √(p(1 − p)/n_validation)", read="exercise 3.11")


@exercise("3.11")
def test_new_figure(student):
    """Without `axes` every call has a figure of its own."""
    first, _ = expect.parts(student.plot_curves(HISTORY), 2)
    lines = first.method("lines.__len__")
    student.plot_curves(HISTORY)
    expect.equal(first.method("lines.__len__"), lines, what="the number of lines of the first "
                 "call, after the second", because="the second call draws into the first figure",
                 read="exercise 3.11")


@exercise("3.11")
def test_given_axes(student):
    """The curves go into the axes that are given; both have a title and names."""
    pair = student.make("__import__('matplotlib.figure').figure.Figure().subplots(1, 2)")
    drawn = expect.parts(student.plot_curves(HISTORY, axes=pair), 2)
    lines = [pair.method(f"{i}.lines.__len__") for i in (0, 1)]
    expect.true(min(lines) > 0, expected="lines in both of the given axes", got=f"{lines}",
                because="the given axes are not used" if max(lines) == 0 else "",
                otherwise="left, right = axes", read="exercise 3.11")
    for ax, ylabel in zip(drawn, ("loss", "%"), strict=True):
        names = ax.axes()
        expect.true(bool(names["title"]), expected="a title", got="none", read="exercise 3.11")
        got = [names["xlabel"].lower(), names["ylabel"].lower()]
        expect.true("step" in got[0] and ylabel in got[1], read="exercise 3.11",
                    expected=f"the axes 'step' and …{ylabel}", got=" and ".join(map(repr, got)))


# ------------------------------------------------------------------------------ 3.12


@exercise("3.12")
def test_received_by_hand(student):
    """Two heads, four tokens, a padded sentence."""
    weights = torch.zeros(2, 2, 4, 4)
    weights[0, 0] = torch.eye(4)
    weights[0, 1, :, 0] = 1.0
    weights[1, :, :, 1] = 1.0
    weights[1, 0, 0] = torch.tensor([1.0, 0, 0, 0])
    want = torch.tensor([[5 / 8, 1 / 8, 1 / 8, 1 / 8], [1 / 4, 3 / 4, 0, 0]])
    got = student.attention_received(weights, MASK)
    expect.shape(got, (2, 4), what="the result", otherwise="one number a token: batch, n",
                 read="exercise 3.12")
    expect.close(
        got, want,
        causes={"what each token gives, not what it receives: average over the queries":
                    weights.mean(1).sum(-1) / 4,
                "padding queries are averaged too": weights.mean((1, 2)),
                "a sum over the heads, not their mean": 2 * want},
        otherwise="mean over heads, then over the real queries; 0 at padding", read="exercise 3.12")


@exercise("3.12")
def test_received_sums_to_one(student):
    """All attention of a sentence is received by its real tokens."""
    weights = draw(0, 2, 3, 4, 4).masked_fill(~MASK, -1e9).softmax(-1)
    got = student.attention_received(weights, MASK)
    expect.close((got * REAL).sum(-1), [1.0, 1.0], atol=1e-5, what="sums over real tokens",
                 otherwise="divide by the number of real queries", read="exercise 3.12")
    even = torch.full((2, 1, 4, 4), 0.25)  # of a model that attends to its padding
    expect.close(
        student.attention_received(even, MASK)[~REAL], [0.0, 0.0], what="what padding receives",
        causes={"what the padding receives is left in": [0.25, 0.25]},
        otherwise="0 at padding", read="exercise 3.12")


# ------------------------------------------------------------------------------ 3.13


@exercise("3.13")
def test_bins(student):
    """Three bins by hand, one of them empty."""
    rows = student.accuracy_by_length([3, 10, 4, 9], [True, False, False, True], [0, 10, 20, 30])
    expect.parts(rows, 3, otherwise="one dict for every bin, also for an empty one",
                 read="exercise 3.13")
    wanted = ((0, 10, 3, 2 / 3, math.sqrt(2 / 27)), (10, 20, 1, 0.0, 0.0), (20, 30, 0, None, None))
    for row, (start, end, n, accuracy, error) in zip(rows, wanted, strict=True):
        at = f"of the bin from {start} to {end}"
        expect.equal([row["from"], row["to"], row["n"]], [start, end, n],
                     what=f"[from, to, n] {at}", read="exercise 3.13",
                     otherwise="from ≤ length < to: 10 belongs to the second bin")
        for key, want in (("accuracy", accuracy), ("standard_error", error)):
            if want is None:
                expect.equal(row[key], None, what=f"{key} {at}", read="exercise 3.13",
                             causes={"0 would say that all are wrong: nothing is known": 0.0})
            else:
                expect.close(row[key], want, what=f"{key} {at}", read="exercise 3.13",
                             otherwise="√(p(1 − p)/n)" if key != "accuracy" else "")


@exercise("3.13")
def test_no_sentence_is_lost(student):
    """A length outside the edges is refused, with its number."""
    for outside in (47, 10):
        expect.raises(
            lambda outside=outside: student.accuracy_by_length([3, outside], [True] * 2, [0, 10]),
            mentions=[str(outside)], because=f"a sentence of {outside} tokens is lost in silence",
            otherwise="a ValueError that names the length", read="exercise 3.13")


# ------------------------------------------------------------------------------ 3.14


@exercise("3.14")
def test_rows_of_both_norms(student):
    """Six runs, six rows, the same seeds for both norms."""
    build = student.make("lambda norm_first, seed: (norm_first, seed)")
    train = student.make("lambda model, seed: {'loss': 10 * seed + model[0], 'gradient_norms': "
                         "[model[1] + 0.25, 77, 88, seed + 0.5]}")
    rows = student.compare_norms(build, train, [4, 5, 6])
    expect.true(
        isinstance(rows, list) and len(rows) == 6, expected="a list of 2 × 3 rows",
        got=f"{type(rows).__name__}" + (f" of {len(rows)}" if isinstance(rows, list) else ""),
        otherwise="every run has its row: neither the best one nor the mean", read="exercise 3.14")
    columns = ["gradient_norm_first_layer", "gradient_norm_last_layer", "loss", "norm", "seed"]
    expect.equal(sorted(rows[0]), columns, what="the columns", read="exercise 3.14")
    got = sorted([row["norm"], *(row[name] for name in ("seed", "loss", *columns[:2]))]
                 for row in rows)
    want = [[norm, seed, 10 * seed + (norm == "pre"), seed + 0.25, seed + 0.5]
            for norm in ("post", "pre") for seed in (4, 5, 6)]
    expect.equal(got, want, what="[norm, seed, loss, first, last]",
                 otherwise="pre-norm is norm_first=True; layers are numbered from the input",
                 read="exercise 3.14")


@exercise("3.14")
def test_two_seeds_are_refused(student):
    """Fewer than three seeds are no comparison."""
    nothing = student.make("lambda *arguments: {'loss': 0.0, 'gradient_norms': [0.0]}")
    for seeds in ([1, 2], [4, 4, 4]):
        expect.raises(
            lambda seeds=seeds: student.compare_norms(nothing, nothing, seeds),
            because=f"the seeds {seeds} are accepted: three different ones are the least",
            otherwise="a ValueError", read="exercise 3.14")


# ------------------------------------------------------------------------------ 3.15


@exercise("3.15")
def test_nested(student):
    """Smaller subsets lie inside larger ones, with each class's share."""
    labels = [0] * 60 + [1] * 20
    got = student.nested_subsets(labels, [0.1, 1.0, 0.5], student.make("np.random.default_rng(3)"))
    tenth, whole, half = (np.asarray(p) for p in expect.parts(
        got, 3, otherwise="one array of indices a fraction, in the order given"))
    expect.equal(whole.tolist(), list(range(80)), what="fraction 1", otherwise="all, sorted",
                 read="exercise 3.15")
    expect.equal(half.tolist(), sorted(half.tolist()), what="the indices of the half",
                 because="they are not sorted: sort those of all classes together",
                 read="exercise 3.15")
    expect.true(set(tenth) <= set(half), expected="the tenth inside the half",
                got=f"{len(set(tenth) - set(half))} of its indices are not there",
                because="not nested: shuffle each class once, and take more or less of it from "
                        "the front",
                read="exercise 3.15")
    expect.equal(np.bincount(np.asarray(labels)[tenth], minlength=2).tolist(), [6, 2],
                 what="sentences of each class in the tenth",
                 otherwise="take a tenth of each class, not of all together", read="exercise 3.15")


@exercise("3.15")
def test_random(student):
    """The subset is drawn from the generator, and every class is there."""
    def draw_one(seed):
        generator = student.make(f"np.random.default_rng({seed})")
        return np.asarray(student.nested_subsets([0] * 50 + [1] * 2, [0.04], generator)[0]).tolist()

    first, second = draw_one(1), draw_one(2)
    expect.true(first != second, expected="another subset from another generator", got=f"{first}",
                otherwise="rng.permutation", read="exercise 3.15")
    expect.true(any(i >= 50 for i in first), expected="at least one sentence of each class",
                got=f"{first}", otherwise="4 % of two is rounded to 0", read="exercise 3.15")


@exercise("3.15")
def test_fractions_are_checked(student):
    """A fraction of 0 or above 1 is refused."""
    generator = student.make("np.random.default_rng(0)")
    for fraction in (0.0, 1.5):
        expect.raises(
            lambda fraction=fraction: student.nested_subsets([0, 1], [fraction], generator),
            because=f"fraction {fraction} is accepted", otherwise="a ValueError",
            read="exercise 3.15")


# ------------------------------------------------------------------------------ 3.16


@exercise("3.16")
def test_scores_by_hand(student):
    """Eight sentences: accuracy, precision, recall, F1 and the standard error."""
    got = student.classification_scores([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0, 0])
    want = {"accuracy": 5 / 8, "precision": 1 / 2, "recall": 2 / 3, "f1": 4 / 7,
            "standard_error": math.sqrt(15 / 512)}
    expect.equal(sorted(got) if isinstance(got, dict) else got, sorted(want), what="the keys",
                 read="exercise 3.16")
    causes = {"precision": {"that is recall": 2 / 3}, "recall": {"that is precision": 1 / 2},
              "f1": {"the arithmetic mean of precision and recall": 7 / 12,
                     "that is F1 of class 0": 2 * 3 / (2 * 3 + 3)},
              "standard_error": {"that is the variance": 15 / 512, "√n is missing":
                                 math.sqrt(15 / 64)}}
    for key, value in want.items():
        expect.close(got[key], value, what=key, causes=causes.get(key), read="exercise 3.16")


@exercise("3.16")
def test_nothing_predicted(student):
    """Without a sentence predicted as positive, precision and F1 are 0, not NaN."""
    got = student.classification_scores([0, 0, 0], [0, 1, 0])
    expect.close([got["precision"], got["recall"], got["f1"]], [0.0, 0.0, 0.0],
                 what="[precision, recall, f1]", otherwise="0/0 counts as 0", read="exercise 3.16")
    expect.raises(lambda: student.classification_scores([1, 0, 1], [1, 0]), mentions=["3", "2"],
                  because="different lengths go unnoticed", otherwise="name both lengths",
                  read="exercise 3.16")
    expect.raises(lambda: student.classification_scores([], []), because="nothing is scored",
                  otherwise="a ValueError", read="exercise 3.16")


# ------------------------------------------------------------------------------ 3.17


@exercise("3.17")
def test_spread(student):
    """Each scheme gives the weights its spread, and the biases are 0."""
    for scheme, want in (("xavier", 500), ("he", 100), ("normal", 5000)):
        layer = student.make("torch.nn.Linear(100, 400)")
        student.initialize(layer, scheme, student.make("torch.Generator().manual_seed(7)"))
        state = layer.state_dict()
        spread = float(state["weight"].std())
        wrong = {"he": "n_in is the number of inputs: nn.Linear keeps (out, in)",
                 "xavier": "uniform in ±√(6 / (n_in + n_out))", "normal": "deviation 0.02"}
        causes = {"he": {"n_out is used: nn.Linear keeps (out, in)": math.sqrt(2 / 400)}}
        deviation = math.sqrt(2 / want)  # its own error is 1 / √(2n) of it, or less
        expect.by_chance(spread, deviation, deviation / math.sqrt(2 * 40_000),
                         what=f"deviation, {scheme}", causes=causes.get(scheme),
                         otherwise=wrong[scheme], read="exercise 3.17")
        top = float(state["weight"].abs().max())
        if scheme != "xavier":  # of 40,000 normal values, chance has none there in 10^200 runs
            expect.true(top > 2.5 * spread, expected=f"{scheme}: weights beyond 2.5 deviations",
                        got=f"none beyond {top / spread:.2f}", read="exercise 3.17",
                        because="normal, not uniform: these values have an end")
        else:
            expect.close(top, math.sqrt(6 / 500), rtol=0.02, what="the largest weight, xavier",
                         otherwise="uniform, not normal", read="exercise 3.17")
        expect.close(state["bias"], torch.zeros(400), what=f"biases, {scheme}",
                     read="exercise 3.17")


@exercise("3.17")
def test_only_linear_layers(student):
    """Embeddings and layer norms stay; an unknown scheme is refused."""
    model = student.make("torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), "
                         "torch.nn.Embedding(5, 3)])")
    before = model.state_dict()
    student.initialize(model, "he", student.make("torch.Generator().manual_seed(7)"))
    after = model.state_dict()
    for name in ("1.weight", "1.bias", "2.weight"):
        expect.close(after[name], before[name], what=name, read="exercise 3.17",
                     otherwise="only nn.Linear: ask isinstance")
    changed = float((after["0.weight"] - before["0.weight"]).abs().max())
    expect.true(changed > 0, expected="new weights in the linear layer inside the model",
                got="the old ones", otherwise="go through model.modules()", read="exercise 3.17")
    generator = student.make("torch.Generator()")
    expect.raises(lambda: student.initialize(model, "lecun", generator), mentions=["xavier"],
                  because="an unknown scheme goes unnoticed", otherwise="name the three schemes",
                  read="exercise 3.17")


@exercise("3.17")
def test_only_the_generator(student):
    """All randomness comes from `generator`; torch's global one is not touched."""
    for scheme in ("xavier", "he", "normal"):
        layer, weights = student.make("torch.nn.Linear(20, 30)"), []
        for seed in (1, 1, 2):
            student.make(f"torch.manual_seed({len(weights)})")
            before = student.make("torch.get_rng_state()")
            generator = student.make(f"torch.Generator().manual_seed({seed})")
            student.initialize(layer, scheme, generator)
            weights.append(layer.state_dict()["weight"])
            same = student.make("torch.equal(before, torch.get_rng_state())", before=before)
            expect.equal(same.get(), True, what="torch's global generator is untouched",
                         because="pass `generator` on, and seed nothing", read="exercise 3.17")
        expect.close(weights[1], weights[0], what=f"{scheme}, drawn twice from equal generators",
                     otherwise="pass `generator` on", read="exercise 3.17")
        expect.true(not torch.equal(weights[2], weights[0]), expected="others from another one",
                    got="the same", because="`generator` is not used", read="exercise 3.17")


# ------------------------------------------------------------------------------ 3.18

PATIENT = "__import__('course_lib.broken_classifiers', fromlist=['x']).broken_classifier({!r}, {})"
PADDED = torch.tensor([[11, 3, 42, 7, 19, 5], [8, 30, 2, 0, 0, 0]])


def check_patient(student, fault, seed, token_ids, training=False):
    patient = student.make(PATIENT.format(fault, seed))
    patient.train() if training else patient.eval()
    expect.equal(student.diagnose(patient, token_ids), fault, what="the diagnosis",
                 read="exercise 3.18")
    expect.equal(patient.get("training"), training, what="model.training afterwards",
                 because="the model is not left in the mode it came in", read="exercise 3.18")


@exercise("3.18")
def test_three_patients(student):
    """A healthy model, one without positions and one that pools its padding."""
    for fault in ("healthy", "no positions", "pads pooled"):
        check_patient(student, fault, 1, PADDED)


@exercise("3.18")
def test_in_training_mode(student):
    """Models that arrive in training mode: dropout there is no fault."""
    for fault in ("healthy", "dropout in evaluation"):
        check_patient(student, fault, 2, PADDED, training=True)


@exercise("3.18")
def test_sentences_without_padding(student):
    """Padding that is attended to is found even if the sentences have none."""
    check_patient(student, "pads attended", 3, PADDED[:1])


@exercise("3.18")
def test_without_gradients(student):
    """The model is asked without gradients."""
    patient = student.make(PATIENT.format("healthy", 4))
    log = student.make("[]")
    student.make("model.register_forward_pre_hook(lambda *_: log.append(torch.is_grad_enabled()))",
                 model=patient, log=log)
    student.diagnose(patient, PADDED)
    expect.equal(sorted(set(log.get())), [False], what="whether gradients were recorded",
                 causes={"ask under `torch.no_grad()`": [True]}, read="exercise 3.18")


@exercise("3.18")
def test_rounding_is_no_fault(student):
    """A healthy model stays healthy when its logits differ by 1e-6 from call to call."""
    patient = student.make(PATIENT.format("healthy", 5))
    patient.eval()
    student.make("model.register_forward_hook(lambda model, given, out: (out[0] + 1e-6 * "
                 "torch.randn_like(out[0]), out[1]))", model=patient)
    expect.equal(student.diagnose(patient, PADDED), "healthy", what="the diagnosis",
                 otherwise="compare with a tolerance", read="exercise 3.18")
