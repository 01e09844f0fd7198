"""Our weights in `MarianMTModel` of Hugging Face's transformers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_lib.config import TransformerConfig
from course_lib.data.tokenizer import END, PAD, START
from course_lib.transformer import Transformer

from . import (
    LONGEST_SOURCE,
    Beam,
    Ids,
    Peer,
    PeerError,
    copy_norm,
    in_batches,
    package,
    parts,
)


def translator(model: Transformer, beam: Beam) -> Peer:
    """`generate`, set to stop when `width` hypotheses have finished, as ours does.

    Its layers are post-norm only. Its table of positions has our numbers in another order, so it is
    replaced with ours, and the norms get our epsilon. Raises PeerError for a pre-norm model.
    """
    theirs = _convert(model)

    def search(source_ids: Tensor) -> Sequence[Ids]:
        output = theirs.generate(
            input_ids=source_ids,
            attention_mask=(source_ids != PAD).long(),
            num_beams=beam.width,
            length_penalty=beam.length_penalty,
            early_stopping=True,
            max_new_tokens=beam.longest,
        )
        return output.tolist()

    return in_batches(search)


def _convert(model: Transformer) -> Any:
    library, form = package("transformers"), TransformerConfig.of(model)
    if form.norm_first:
        raise PeerError("Marian's layers are post-norm, and this model's are pre-norm")
    sides = {
        f"{side}_{theirs}": ours
        for side in ("encoder", "decoder")
        for theirs, ours in (
            ("layers", form.n_layers),
            ("attention_heads", form.n_heads),
            ("ffn_dim", form.d_ff),
        )
    }
    config = library.MarianConfig(
        vocab_size=model.embedding.tokens.num_embeddings,
        d_model=form.d_model,
        **sides,
        activation_function="relu",
        scale_embedding=True,
        max_position_embeddings=LONGEST_SOURCE,
        pad_token_id=PAD,
        bos_token_id=START,
        eos_token_id=END,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
    )
    theirs = library.MarianMTModel(config).eval()
    with torch.no_grad():
        theirs.lm_head.weight.copy_(model.embedding.tokens.weight)
        theirs.final_logits_bias.zero_()
        _fill(theirs.model.encoder, model.encoder, model)
        _fill(theirs.model.decoder, model.decoder, model)
    return theirs


def _fill(theirs: Any, ours: Any, model: Transformer) -> None:
    theirs.embed_tokens.weight.copy_(model.embedding.tokens.weight)
    theirs.embed_positions.weight.copy_(model.embedding.table(LONGEST_SOURCE))
    for yours, mine in zip(theirs.layers, map(parts, ours.layers), strict=True):
        attentions = [yours.self_attn]
        norms = [yours.self_attn_layer_norm, yours.final_layer_norm]
        if len(mine.attentions) == 2:
            attentions.append(yours.encoder_attn)
            norms.insert(1, yours.encoder_attn_layer_norm)
        for attention, own in zip(attentions, mine.attentions, strict=True):
            attention.q_proj.load_state_dict(own.w_q.state_dict())
            attention.k_proj.load_state_dict(own.w_k.state_dict())
            attention.v_proj.load_state_dict(own.w_v.state_dict())
            attention.out_proj.load_state_dict(own.w_o.state_dict())
        yours.fc1.load_state_dict(mine.feed_forward.w_1.state_dict())
        yours.fc2.load_state_dict(mine.feed_forward.w_2.state_dict())
        for norm, own_norm in zip(norms, mine.norms, strict=True):
            copy_norm(norm, own_norm)
