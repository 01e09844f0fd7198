"""A Transformer's beam search by CTranslate2, a C++ engine built only for fast inference.

It finds the translations of `beam_search` (tests/decoding/test_in_ctranslate2.py) on the CPU, and
needs the optional package `ctranslate2`.
"""

import math
import tempfile
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import torch
from torch import nn

from ..attention import MultiHeadAttention
from ..config import TransformerConfig
from ..data.tokenizer import END, START, UNK
from ..feed_forward import FeedForward
from ..normalization import LayerNorm
from ..transformer import Transformer
from .search import Hypothesis, length_penalty_factor

LONGEST = 1024  # tokens of a source or a translation, for which positions are written
BATCH_TOKENS = 4096  # translated together
# With a penalty of 0 the engine stops at its first finished hypothesis, with a tiny one after
# `width` of them, as our search does.
TINY_PENALTY = 1e-9


class CTranslate2Search:
    """The search of `model`, whose weights are copied, on as many threads as torch uses now.

    Raises ImportError without the package, and TypeError for another model than a `Transformer`.
    """

    def __init__(self, model: Transformer) -> None:
        ctranslate2 = import_module("ctranslate2")  # not needed by the course
        if type(model) is not Transformer:
            raise TypeError(f"{type(model).__name__} cannot be converted: only a Transformer can")
        with tempfile.TemporaryDirectory() as folder:
            _specification(model).save(folder)
            self._engine = ctranslate2.Translator(
                folder, compute_type="float32", intra_threads=torch.get_num_threads()
            )

    def __call__(
        self,
        source_ids: Sequence[Sequence[int]],
        width: int,
        length_penalty: float,
        max_tokens: int = 100,
        n_best: int = 1,
    ) -> list[list[Hypothesis]]:
        """The `n_best` hypotheses of each sentence (§6.1); see `beam_search` for how it ends.

        Of more than `width` that finish, the engine leaves the likeliest for our penalty to rank:
        the last places of a long list may differ, and with a large penalty the first.

        Raises ValueError for more than `LONGEST` tokens.
        """
        if (longest := max([max_tokens, *map(len, source_ids)])) > LONGEST:
            raise ValueError(f"{longest} tokens: this engine has positions for {LONGEST}")
        results = self._engine.translate_batch(
            [list(map(str, ids)) for ids in source_ids],
            beam_size=width,
            length_penalty=TINY_PENALTY,
            num_hypotheses=width,
            return_scores=True,
            return_end_token=True,
            min_decoding_length=0,  # an empty translation takes one of `width` places, as ours
            max_decoding_length=max_tokens,
            max_input_length=0,
            max_batch_size=BATCH_TOKENS,
            batch_type="tokens",
        )
        found = [_hypotheses(result, length_penalty) for result in results]
        return [
            sorted(h, key=lambda h: (h.finished, h.score), reverse=True)[:n_best] for h in found
        ]


def _hypotheses(result: Any, length_penalty: float) -> list[Hypothesis]:
    found = []
    for total, written in zip(result.scores, result.hypotheses, strict=True):
        tokens = list(map(int, written))
        if finished := tokens[-1:] == [END]:
            tokens.pop()
        factor = length_penalty_factor(len(tokens), length_penalty)
        if total > -math.inf:
            found.append(Hypothesis(tokens, total / factor, finished))
    return found


class _Parts(NamedTuple):
    """The parts of one encoder or decoder layer (a decoder layer has two attentions)."""

    attentions: list[MultiHeadAttention]
    feed_forward: FeedForward
    norms: list[LayerNorm]


def _parts(layer: Any) -> _Parts:
    names = [n for n in ("attention", "self_attention", "cross_attention") if hasattr(layer, n)]
    norms = [getattr(layer, f"{name}_residual").norm for name in (*names, "feed_forward")]
    return _Parts([getattr(layer, name) for name in names], layer.feed_forward, norms)


def _specification(model: Transformer) -> Any:
    """The model in CTranslate2's form; a token is written as its id."""
    form = TransformerConfig.of(model)
    spec = import_module("ctranslate2.specs").TransformerSpec.from_config(
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
    config.layer_norm_epsilon = _parts(model.decoder.layers[0]).norms[0].eps
    spec.validate()
    spec.optimize(quantization=None)
    return spec


def _write_side(theirs: Any, embeddings: Any, ours: Any, model: Transformer) -> None:
    """Write the encoder or the decoder, with its embeddings and positions."""
    embeddings.weight = model.embedding.tokens.weight.detach().numpy()
    theirs.position_encodings.encodings = model.embedding.table(LONGEST + 1).numpy()
    if not isinstance(ours.norm, nn.Identity):
        _write_norm(theirs.layer_norm, ours.norm)
    for yours, mine in zip(theirs.layer, map(_parts, ours.layers), strict=True):
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
