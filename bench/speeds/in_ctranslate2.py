"""Our weights in CTranslate2, a C++ engine built only for fast inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.config import TransformerConfig
from course_lib.data.tokenizer import END, START, UNK
from course_lib.decoding.search import length_penalty_factor
from course_lib.decoding.translator import BATCH_TOKENS
from course_lib.feed_forward import FeedForward
from course_lib.normalization import LayerNorm
from course_lib.transformer import Transformer
from grader.course.problem import Problem

TINY_PENALTY = 1e-9
LONGEST_SOURCE = 512
Ids = list[int]
Search = Callable[[Sequence[Ids]], list[Ids]]  # sentences to translations, without START and END


class PeerError(Problem):
    """CTranslate2 is not installed."""


class Beam(NamedTuple):
    """Beam width, exponent of the length penalty, and greatest length in tokens."""

    width: int
    length_penalty: float
    longest: int


class Parts(NamedTuple):
    """The parts of one encoder or decoder layer (a decoder layer has two attentions)."""

    attentions: list[MultiHeadAttention]
    feed_forward: FeedForward
    norms: list[LayerNorm]


def package(name: str) -> Any:
    """Import a package or module. Raises PeerError saying what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        raise PeerError(f"{name} cannot be imported ({error}): pip install -e .[bench]") from None


def parts(layer: Any) -> Parts:
    """The parts of one of our layers, in the order of its sub-layers."""
    names = [n for n in ("attention", "self_attention", "cross_attention") if hasattr(layer, n)]
    norms = [getattr(layer, f"{name}_residual").norm for name in (*names, "feed_forward")]
    return Parts([getattr(layer, name) for name in names], layer.feed_forward, norms)


def translator(model: Transformer, beam: Beam, folder: Path, threads: int = 1) -> Search:
    """`translate_batch` on so many threads in float32; the converted model goes to `folder`.

    With a length penalty of 0 it would stop at the first finished hypothesis, and its formula for
    the penalty differs from ours. With a tiny one it searches as ours does, until `width`
    hypotheses have finished, and returns them all; our formula then ranks them.
    """
    library = package("ctranslate2")
    _convert(model, folder)
    engine = library.Translator(
        str(folder), compute_type="float32", inter_threads=1, intra_threads=threads
    )

    def translate(sentences: Sequence[Ids]) -> list[Ids]:
        results = engine.translate_batch(
            [list(map(str, ids)) for ids in sentences],
            beam_size=beam.width,
            length_penalty=TINY_PENALTY,
            num_hypotheses=beam.width,
            return_scores=True,
            max_decoding_length=beam.longest,
            max_batch_size=BATCH_TOKENS,
            batch_type="tokens",
        )
        return [_best(result, beam.length_penalty) for result in results]

    return translate


def _best(result: Any, length_penalty: float) -> Ids:
    def score(pair: tuple[float, list[str]]) -> float:
        return pair[0] / length_penalty_factor(len(pair[1]), length_penalty)

    _, tokens = max(zip(result.scores, result.hypotheses, strict=True), key=score)
    return list(map(int, tokens))


def _convert(model: Transformer, folder: Path) -> None:
    form = TransformerConfig.of(model)
    spec = package("ctranslate2.specs").TransformerSpec.from_config(
        (form.n_layers, form.n_layers), form.n_heads, pre_norm=form.norm_first
    )
    spec.decoder.projection.weight = model.embedding.tokens.weight.detach().numpy()
    _write_side(spec.encoder, spec.encoder.embeddings[0], model.encoder, model)
    _write_side(spec.decoder, spec.decoder.embeddings, model.decoder, model)
    tokens = [str(id) for id in range(model.embedding.tokens.num_embeddings)]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    config = spec.config
    config.unk_token, config.bos_token, config.eos_token = (str(id) for id in (UNK, START, END))
    config.decoder_start_token = str(START)
    config.layer_norm_epsilon = parts(model.decoder.layers[0]).norms[0].eps
    spec.validate()
    spec.optimize(quantization=None)
    spec.save(str(folder))


def _write_side(theirs: Any, embeddings: Any, ours: Any, model: Transformer) -> None:
    """Write the encoder or the decoder, with its embeddings and positions."""
    embeddings.weight = model.embedding.tokens.weight.detach().numpy()
    theirs.position_encodings.encodings = model.embedding.table(LONGEST_SOURCE).numpy()
    if not isinstance(ours.norm, nn.Identity):
        _write_norm(theirs.layer_norm, ours.norm)
    for yours, mine in zip(theirs.layer, map(parts, ours.layers), strict=True):
        own, *cross = mine.attentions
        _write(yours.self_attention.linear[0], own.w_q, own.w_k, own.w_v)
        _write(yours.self_attention.linear[1], own.w_o)
        normed = [yours.self_attention, yours.ffn]
        for module in cross:
            _write(yours.attention.linear[0], module.w_q)
            _write(yours.attention.linear[1], module.w_k, module.w_v)
            _write(yours.attention.linear[2], module.w_o)
            normed.insert(1, yours.attention)
        _write(yours.ffn.linear_0, mine.feed_forward.w_1)
        _write(yours.ffn.linear_1, mine.feed_forward.w_2)
        for part, norm in zip(normed, mine.norms, strict=True):
            _write_norm(part.layer_norm, norm)


def _write(theirs: Any, *ours: nn.Linear) -> None:
    theirs.weight = torch.cat([layer.weight.detach() for layer in ours]).numpy()
    theirs.bias = torch.cat([layer.bias.detach() for layer in ours]).numpy()


def _write_norm(theirs: Any, ours: Any) -> None:
    theirs.gamma, theirs.beta = ours.weight.detach().numpy(), ours.bias.detach().numpy()
