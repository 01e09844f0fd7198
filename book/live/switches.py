"""The page's switches, in the library: a translator with one thing turned off."""

import math
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor

from course_lib.decoding.cache import Encoded, encoded
from course_lib.decoding.translator import Decoding, Translator, fast_decoding, search
from course_lib.masks import padding_mask
from course_lib.transformer import Transformer

SCALE, POSITIONS, CAUSAL, BEAM = SWITCHES = ("scale", "positions", "causal", "beam")
WIDTH, LONGEST = 4, 40  # of the page's search


def attentions(model: Transformer) -> Iterator[tuple[str, Any]]:
    """Every attention with the name that the page has for its place: "decoder 0 self"."""
    for i, layer in enumerate(model.encoder.layers):
        yield f"encoder {i}", layer.attention
    for i, layer in enumerate(model.decoder.layers):
        yield f"decoder {i} self", layer.self_attention
        yield f"decoder {i} cross", layer.cross_attention


def heads(model: Transformer) -> list[str]:
    """The places of all heads, such as "encoder 0 1" and "decoder 1 cross 0"."""
    return [f"{place} {head}" for place, one in attentions(model) for head in range(one.n_heads)]


def without(model: Transformer, off: str) -> Transformer:
    """A copy of the model without what a switch, or a head's place, names.

    Without the mask it is the same model, decoded by `unmasked_decoding`; with a
    narrow beam, it is searched with a width of 1.
    """
    model = deepcopy(model)
    with torch.no_grad():
        if off == POSITIONS:
            model.embedding.positions.zero_()
        for place, one in attentions(model):
            size = one.w_q.out_features // one.n_heads
            if off == SCALE:
                one.w_q.weight *= math.sqrt(size)
                one.w_q.bias *= math.sqrt(size)
            for head in range(one.n_heads):
                if off == f"{place} {head}":
                    one.w_o.weight[:, head * size : (head + 1) * size] = 0.0
    return model


def unmasked_decoding(model: Transformer) -> Decoding:
    """The decoding of a search in which every word written sees all others."""

    def step(prefixes: Tensor, state: Encoded) -> tuple[Tensor, Encoded]:
        mask = padding_mask(prefixes, model.pad_id)
        x = model.embedding(prefixes)
        x, _ = model.decoder(x, state.memory, mask, state.source_mask)
        return torch.log_softmax(model.logits(x[:, -1]), dim=-1), state

    return lambda source_ids: encoded(model, source_ids), step


def translations(translator: Translator, sentences: Sequence[str], off: str = "") -> list[str]:
    """The page's translations of the sentences with `off` turned off; "": nothing."""
    model = without(translator.model, off) if off else translator.model
    decoding = unmasked_decoding if off == CAUSAL else fast_decoding
    ids = translator.tokenizer.encode(sentences)
    width = 1 if off == BEAM else WIDTH
    found = search(model, ids, width, translator.length_penalty, LONGEST, decoding=decoding)
    return [translator.tokenizer.decode(one[0].tokens) for one in found]
