"""Expected outputs for the hidden tests of the decoder, and the outputs of likely mistakes.

Plain tensor operations on a state dict. The options of `layer`, `decoder` and `translated`
make mistakes on purpose.
"""

import functools

import torch
from torch.nn.functional import linear

from autograder.a2.multi_head_reference import reference as multi_head
from autograder.a3.encoder_reference import (
    ATTENTION,
    embedded,
    encoder,
    encoder_shapes,
    network,
    norm,
    under,
)
from course_lib.attention import attention
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

ORDER = ("self_attention", "cross_attention", "feed_forward")
HEADS = 2
# (source of the queries, source of the keys) of each attention.
ACROSS, BACK, AMONG = ("target", "source"), ("source", "target"), ("target", "target")


def layer_shapes(d_model, d_ff):
    """The names and shapes of one layer's state dict."""
    shapes = {}
    for module in ORDER[:2]:
        for part in ATTENTION:
            shapes |= {
                f"{module}.{part}.weight": (d_model, d_model),
                f"{module}.{part}.bias": (d_model,),
            }
    for module in ORDER:
        shapes |= {f"{module}_residual.norm.{name}": (d_model,) for name in ("weight", "bias")}
    shapes |= {"feed_forward.w_1.weight": (d_ff, d_model), "feed_forward.w_1.bias": (d_ff,)}
    return shapes | {
        "feed_forward.w_2.weight": (d_model, d_ff),
        "feed_forward.w_2.bias": (d_model,),
    }


def decoder_shapes(n_layers, d_model, d_ff, norm_first=False):
    own = layer_shapes(d_model, d_ff)
    shapes = {f"layers.{i}.{name}": shape for i in range(n_layers) for name, shape in own.items()}
    return shapes | ({"norm.weight": (d_model,), "norm.bias": (d_model,)} if norm_first else {})


def transformer_shapes(vocab_size, n_layers, d_model, d_ff, norm_first=False):
    shapes = {"embedding.tokens.weight": (vocab_size, d_model)}
    for part, own in (("encoder", encoder_shapes), ("decoder", decoder_shapes)):
        inner = own(n_layers, d_model, d_ff, norm_first)
        shapes |= {f"{part}.{name}": shape for name, shape in inner.items()}
    return shapes


def causal(n):
    """True where a query (row) may attend to a key (column)."""
    place = torch.arange(n)
    return (place[None, :] <= place[:, None])[None, None]


def real(token_ids, pad_id=0):
    """True at real tokens, broadcasting over heads and queries."""
    return (token_ids != pad_id)[:, None, None]


def misfits(x, memory, target_mask, source_mask):
    """Maps each mistake of giving a mask to the wrong attention to a call that raises the same."""
    rows, n_target, n_source = len(x), x.shape[1], memory.shape[1]
    causes = {}
    for name, mask, queries, keys in (
        ("the target mask is given to the attention to the memory", target_mask, *ACROSS),
        (
            MISTAKE.layer_roles_exchanged,
            source_mask,
            *BACK,
        ),
        (
            "the source mask is applied to the targets: it is given to the self-attention, or "
            "`cross_attention` reads x instead of the memory",
            source_mask,
            *AMONG,
        ),
    ):
        sizes = {"target": n_target, "source": n_source}
        scores = (rows, HEADS, sizes[queries], sizes[keys])
        if mask is None or n_target == n_source:
            continue
        q, k = torch.zeros(*scores[:3], 1), torch.zeros(*scores[:2], scores[3], 1)
        causes |= {
            name: functools.partial(attention, q, k, k, mask),
            f"{name}: it does not fit": functools.partial(mask.expand, *scores),
        }
    return causes


def layer(
    x,
    memory,
    state,
    target_mask=None,
    source_mask=None,
    norm_first=False,
    *,
    order=ORDER,
    norms=None,
    without=(),
    keys=("x", "x"),
    source=("memory", "memory"),
    modules=ORDER[:2],
    unnormalized=(),
    normalized_memory=False,
):
    """Output, and the weights of the self-attention and of the attention to the memory.

    `norms` maps a sub-layer to the residual connection it uses instead of its own;
    `without` have none. `keys` and `source` say where keys and values of the two attentions come
    from, `modules` which parameters they use. What is `unnormalized` reads x itself in pre-norm.
    """
    seen, norms = {}, norms or {}
    for sublayer in order:
        prefix = f"{norms.get(sublayer, sublayer)}_residual."
        given = norm(x, state, prefix) if norm_first and sublayer not in unnormalized else x
        read = norm(memory, state, prefix) if normalized_memory else memory
        places = {"x": given, "memory": read}
        if sublayer == "feed_forward":
            made = network(given, state)
        else:
            looks_back = sublayer == "self_attention"
            inputs = (given, *(places[name] for name in (keys if looks_back else source)))
            own = modules[0] if looks_back else modules[1]
            mask = target_mask if looks_back else source_mask
            made, seen[sublayer] = multi_head(under(state, f"{own}."), HEADS, inputs, mask)
        x = made if sublayer in without else x + made
        x = x if norm_first else norm(x, state, prefix)
    return x, seen.get("self_attention"), seen.get("cross_attention")


def decoder(
    x,
    memory,
    state,
    target_mask=None,
    source_mask=None,
    norm_first=False,
    *,
    own=None,
    last_norm=None,
    reads=None,
    hands_on_memory=False,
    run=None,
):
    """Output, and every layer's weights on the source.

    `run(number, x, memory, target_mask, source_mask, norm_first)` returns a layer's output and its
    weights on the source; by default it is the reference. `own`: which layer's parameters each
    layer uses. `reads`: the x that every layer reads. With `hands_on_memory` a layer's output is
    the memory of the next.
    """
    count = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers."))
    weights, run = [], run or functools.partial(_reference_layer, state)
    for number in own or range(count):
        given = x if reads is None else reads
        x, seen = run(number, given, memory, target_mask, source_mask, norm_first)
        memory = x if hands_on_memory else memory
        weights.append(seen)
    if norm_first if last_norm is None else last_norm:
        x = norm(x, state, "")
    return x, weights


def _reference_layer(state, number, *given):
    x, memory, *options = given
    output, _, seen = layer(x, memory, under(state, f"layers.{number}."), *options)
    return output, seen


def encoded(source_ids, state, norm_first=False, pad_id=0, scale=1.0, masked=True):
    """The memory. `scale` multiplies the positions."""
    mask = real(source_ids, pad_id) if masked else None
    x = embedded(source_ids, state["embedding.tokens.weight"], scale)
    return encoder(x, under(state, "encoder."), HEADS, mask, norm_first)[0]


def decoded(
    target_ids,
    memory,
    state,
    source_mask,
    norm_first=False,
    pad_id=0,
    scale=1.0,
    *,
    target_mask="both",
    matrix=None,
):
    """Logits and weights. `target_mask` uses "both" masks, "causal", "padding" or "none"."""
    own = {
        "both": causal(target_ids.shape[1]) & real(target_ids, pad_id),
        "causal": causal(target_ids.shape[1]).expand(len(target_ids), -1, -1, -1),
        "padding": real(target_ids, pad_id),
        "none": None,
    }[target_mask]
    x = embedded(target_ids, state["embedding.tokens.weight"], scale)
    x, weights = decoder(x, memory, under(state, "decoder."), own, source_mask, norm_first)
    return linear(x, state["embedding.tokens.weight"] if matrix is None else matrix), weights


def translated(
    source_ids,
    target_ids,
    state,
    norm_first=False,
    pad_id=0,
    scale=1.0,
    *,
    read_masked=True,
    looked_over_masked=True,
    **options,
):
    """Logits and weights of the whole model; two options leave the source padding unmasked."""
    memory = encoded(source_ids, state, norm_first, pad_id, scale, read_masked)
    mask = real(source_ids, pad_id) if looked_over_masked else None
    return decoded(target_ids, memory, state, mask, norm_first, pad_id, scale, **options)
