"""Training steps of our Transformer at base size against `torch.nn.Transformer`, interleaved."""

from typing import Any

import torch
from torch import Tensor, nn

from bench.record import Log, Measures
from course_lib.analysis.torch_attention import copy_from_torch
from course_lib.analysis.torch_encoder import copy_encoder_from_torch
from course_lib.config import PRESETS
from course_lib.embeddings import TransformerEmbedding
from course_lib.fast.forms import fast_model
from course_lib.fast.loss import fast_label_smoothed_loss, projected_loss
from course_lib.masks import target_mask
from course_lib.training.translation_step import shift_targets
from course_lib.transformer import Transformer
from grader.authoring import results_file

from .training_steps import Contender, Loss, compared

NAME = "bench_train"
CONFIG = PRESETS["base"]
VOCABULARY = 32_000  # the paper's for English-French (§5.1)
LENGTHS = (14, 28)  # padded batch lengths, typical for Multi30k sorted by length
TOKENS = 1024
ROUNDS = 5
SMOOTHING, MAX_NORM = 0.1, 1.0
CLOSE = 1e-4

Pair = tuple[Tensor, Tensor]


class TorchTranslator(nn.Module):
    """`torch.nn.Transformer` with the paper's embeddings, shared with the output layer.

    Unlike the paper, torch ends both stacks with an extra norm and has dropout inside the
    feed-forward networks: both are removed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embedding = TransformerEmbedding(VOCABULARY, CONFIG.d_model, CONFIG.dropout)
        self.transformer: Any = nn.Transformer(
            CONFIG.d_model,
            CONFIG.n_heads,
            num_encoder_layers=CONFIG.n_layers,
            num_decoder_layers=CONFIG.n_layers,
            dim_feedforward=CONFIG.d_ff,
            dropout=CONFIG.dropout,
            layer_norm_eps=1e-6,
            batch_first=True,
        )
        self.transformer.encoder.use_nested_tensor = False  # has no effect in training
        self.transformer.encoder.norm = self.transformer.decoder.norm = None
        for layer in [*self.transformer.encoder.layers, *self.transformer.decoder.layers]:
            layer.dropout = nn.Identity()

    def loss(self, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        """Label-smoothed cross-entropy of the complete logits."""
        decoder_input, labels = shift_targets(target_ids)
        n = decoder_input.shape[1]
        x = self.transformer(
            self.embedding(source_ids),
            self.embedding(decoder_input),
            tgt_mask=torch.ones(n, n, dtype=torch.bool).triu(1),
            src_key_padding_mask=source_ids == 0,
            tgt_key_padding_mask=decoder_input == 0,
            memory_key_padding_mask=source_ids == 0,
            tgt_is_causal=True,
        )
        logits = x @ self.embedding.tokens.weight.T
        return fast_label_smoothed_loss(logits, labels, SMOOTHING)


def run(log: Log) -> Measures:
    """Time forward, loss, backward, clipping and AdamW; writes `results/bench_train.json`."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    batches = [_batch(n) for n in LENGTHS]
    tokens = sum(int((s != 0).sum() + (t[:, 1:] != 0).sum()) for s, t in batches)
    contenders = _contenders(batches[0])
    measures = compared(*contenders, batches, tokens, ROUNDS, "speedup_over_nn_transformer")
    source = f"random, {len(LENGTHS)} batches of {TOKENS} tokens a side, padded to {LENGTHS}"
    data = {"name": source, "source": "seed 0", "sha256": ""}
    results_file.write(NAME, "course bench train", measures, data)
    return measures


def _batch(n: int) -> Pair:
    """Random source and target ids of about `n` tokens each, padded."""
    sentences = TOKENS // n
    source_ids = torch.randint(5, VOCABULARY, (sentences, n))
    target_ids = torch.randint(5, VOCABULARY, (sentences, n + 1))
    for ids in (source_ids, target_ids):
        lengths = torch.randint(int(0.8 * n), n + 1, (sentences, 1))
        ids[torch.arange(ids.shape[1]) >= lengths] = 0
    return source_ids, target_ids


def _contenders(example: Pair) -> tuple[Contender, Contender]:
    """Ours and torch's, with equal weights. Raises RuntimeError if their losses differ."""
    theirs = TorchTranslator()
    ours = fast_model(Transformer, VOCABULARY, **CONFIG.arguments)
    _copy_from_torch(ours, theirs)

    def own(source_ids: Tensor, target_ids: Tensor) -> Tensor:
        decoder_input, labels = shift_targets(target_ids)
        memory, mask = ours.encode(source_ids)
        x, _ = ours.decoder(ours.embedding(decoder_input), memory, target_mask(decoder_input), mask)
        return projected_loss(x, ours.embedding.tokens.weight, labels, SMOOTHING)[0]

    forms: list[tuple[nn.Module, Loss]] = [(ours, own), (theirs, theirs.loss)]
    with torch.no_grad():
        first, second = (loss(*example).item() for model, loss in forms if model.eval())
    if abs(first - second) > CLOSE:
        raise RuntimeError("the models disagree on the same weights: nothing to compare")
    return Contender.of(ours, own, MAX_NORM), Contender.of(theirs, theirs.loss, MAX_NORM)


def _copy_from_torch(ours: Transformer, theirs: TorchTranslator) -> None:
    ours.embedding.load_state_dict(theirs.embedding.state_dict())
    copy_encoder_from_torch(ours.encoder, theirs.transformer.encoder)
    mine: Any
    for mine, yours in zip(ours.decoder.layers, theirs.transformer.decoder.layers, strict=True):
        copy_from_torch(mine.self_attention, yours.self_attn)
        copy_from_torch(mine.cross_attention, yours.multihead_attn)
        mine.self_attention_residual.norm.load_state_dict(yours.norm1.state_dict())
        mine.cross_attention_residual.norm.load_state_dict(yours.norm2.state_dict())
        mine.feed_forward_residual.norm.load_state_dict(yours.norm3.state_dict())
        mine.feed_forward.w_1.load_state_dict(yours.linear1.state_dict())
        mine.feed_forward.w_2.load_state_dict(yours.linear2.state_dict())
