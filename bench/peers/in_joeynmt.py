"""Our weights in Joey NMT, also a toolkit for learners, whose decoder has no cache."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.config import TransformerConfig
from course_lib.data.tokenizer import END, PAD, START, UNK
from course_lib.transformer import Transformer

from . import Beam, Ids, Peer, copy_norm, in_batches, package, parts


def translator(model: Transformer, beam: Beam) -> Peer:
    """Its `beam_search`, which stops when every beam of a sentence has finished."""
    theirs = _convert(model)
    beam_search = package("joeynmt.search").beam_search

    def search(source_ids: Tensor) -> Sequence[Ids]:
        mask = (source_ids != PAD)[:, None]
        memory, *_ = theirs(
            return_type="encode", src=source_ids, src_length=mask.sum(-1), src_mask=mask
        )
        output, *_ = beam_search(
            model=theirs,
            beam_size=beam.width,
            encoder_output=memory,
            encoder_hidden=None,
            src_mask=mask,
            max_output_length=beam.longest,
            alpha=beam.length_penalty,
        )
        return output.tolist()

    return in_batches(search)


def _convert(model: Transformer) -> Any:
    form, vocab_size = TransformerConfig.of(model), model.embedding.tokens.num_embeddings
    named = {
        "num_layers": form.n_layers,
        "num_heads": form.n_heads,
        "hidden_size": form.d_model,
        "ff_size": form.d_ff,
        "layer_norm": "pre" if form.norm_first else "post",
    }
    encoder = package("joeynmt.encoders").TransformerEncoder(**named)
    decoder = package("joeynmt.decoders").TransformerDecoder(**named, vocab_size=vocab_size)
    embeddings = package("joeynmt.embeddings").Embeddings(
        form.d_model, scale=True, vocab_size=vocab_size, padding_idx=PAD
    )
    # All that its model asks of a vocabulary.
    ids: Any = SimpleNamespace(
        pad_index=PAD, bos_index=START, eos_index=END, unk_index=UNK, sep_index=None
    )
    ids.specials, ids.lang_tags = [], []
    with torch.no_grad():
        embeddings.lut.weight.copy_(model.embedding.tokens.weight)
        decoder.output_layer.weight.copy_(model.embedding.tokens.weight)
        _fill(encoder, model.encoder, ("src_src_att",), ("layer_norm",))
        _fill(
            decoder,
            model.decoder,
            ("trg_trg_att", "src_trg_att"),
            ("x_layer_norm", "dec_layer_norm"),
        )
    build = package("joeynmt.model").Model
    return build(encoder, decoder, embeddings, embeddings, ids, ids).eval()


def _fill(theirs: Any, ours: Any, attentions: tuple[str, ...], norms: tuple[str, ...]) -> None:
    if not isinstance(ours.norm, nn.Identity):
        copy_norm(theirs.layer_norm, ours.norm)
    for yours, mine in zip(theirs.layers, map(parts, ours.layers), strict=True):
        for name, own in zip(attentions, mine.attentions, strict=True):
            attention = getattr(yours, name)
            attention.q_layer.load_state_dict(own.w_q.state_dict())
            attention.k_layer.load_state_dict(own.w_k.state_dict())
            attention.v_layer.load_state_dict(own.w_v.state_dict())
            attention.output_layer.load_state_dict(own.w_o.state_dict())
        feed_forward = yours.feed_forward
        feed_forward.pwff_layer[0].load_state_dict(mine.feed_forward.w_1.state_dict())
        feed_forward.pwff_layer[3].load_state_dict(mine.feed_forward.w_2.state_dict())
        theirs_norms = [*(getattr(yours, name) for name in norms), feed_forward.layer_norm]
        for norm, own_norm in zip(theirs_norms, mine.norms, strict=True):
            copy_norm(norm, own_norm)
