"""Style: type hints, hand-written residual connections, schedulers and steps that are classes."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.feed_forward import FeedForward
from course_lib.normalization import LayerNorm


class _Sum(nn.Module):
    """A residual connection under names of its own, and under those of the library."""

    def __init__(self, d_model: int, dropout: float, norm_first: bool) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.norm_first = norm_first
        self.rate = dropout

    def before(self, x: Tensor) -> Tensor:
        return self.norm(x) if self.norm_first else x

    def after(self, x: Tensor, made: Tensor) -> Tensor:
        x = torch.add(x, nn.functional.dropout(made, self.rate, self.training))
        return x if self.norm_first else self.norm(x)

    enter, leave = before, after


class DecoderLayer(nn.Module):
    """Three sub-layers, one after the other, without closures."""

    def __init__(
        self,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        for name in ("self_attention", "cross_attention"):
            setattr(self, name, MultiHeadAttention(d_model, n_heads, dropout=dropout))
        self.feed_forward = FeedForward(d_model, d_ff)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", _Sum(d_model, dropout, norm_first))

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        target_mask: Tensor | None = None,
        source_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        asked = self.self_attention_residual.before(x)
        made, _ = self.self_attention(asked, asked, asked, target_mask, need_weights=False)
        x = self.self_attention_residual.after(x, made)
        asked = self.cross_attention_residual.before(x)
        made, weights = self.cross_attention(asked, memory, memory, source_mask, True)
        x = self.cross_attention_residual.after(x, made)
        made = self.feed_forward(self.feed_forward_residual.before(x))
        x = self.feed_forward_residual.after(x, made)
        return x, (weights if need_weights else None)


class Transformer(nn.Module):
    """The sizes travel in a dictionary, and one method makes both halves."""

    def __init__(
        self,
        vocab_size: int,
        n_layers: int = 6,
        d_model: int = 512,
        n_heads: int = 8,
        d_ff: int = 2048,
        dropout: float = 0.1,
        norm_first: bool = False,
        pad_id: int = 0,
        position_scale: float = 1.0,
    ) -> None:
        super().__init__()
        sizes = {"n_layers": n_layers, "d_model": d_model, "n_heads": n_heads, "d_ff": d_ff}
        sizes |= {"dropout": dropout, "norm_first": norm_first}
        self.embedding = TransformerEmbedding(
            vocab_size=vocab_size,
            d_model=d_model,
            dropout=dropout,
            pad_id=pad_id,
            position_scale=position_scale,
        )
        self.encoder, self.decoder = Encoder(**sizes), Decoder(**sizes)
        self.pad_id: int = pad_id
        self.apply(self._begin)

    @staticmethod
    def _begin(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)

    def encode(self, source_ids: Tensor) -> tuple[Tensor, Tensor]:
        source_mask = padding_mask(source_ids, pad_id=self.pad_id)
        encoded_ids = self.embedding(source_ids)
        memory = self.encoder(encoded_ids, source_mask)[0]
        return (memory, source_mask)

    def decode(
        self,
        target_ids: Tensor,
        memory: Tensor,
        source_mask: Tensor,
        need_weights: bool = False,
    ) -> tuple[Tensor, list[Tensor] | None]:
        n = target_ids.shape[1]
        allowed = causal_mask(n, target_ids.device) & padding_mask(target_ids, self.pad_id)
        embedded = self.embedding(target_ids)
        if need_weights:
            decoded, weights = self.decoder(embedded, memory, allowed, source_mask, True)
        else:
            (decoded, _), weights = self.decoder(embedded, memory, allowed, source_mask), None
        return self.logits(decoded), weights

    def logits(self, x: Tensor) -> Tensor:
        return torch.matmul(x, self.embedding.tokens.weight.transpose(0, 1))

    def forward(
        self, source_ids: Tensor, target_ids: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor] | None]:
        memory, source_mask = self.encode(source_ids)
        logits, weights = self.decode(target_ids, memory, source_mask, need_weights=need_weights)
        return logits, weights


def label_smoothed_loss(
    logits: Tensor, targets: Tensor, smoothing: float = 0.1, pad_id: int = 0
) -> Tensor:
    """Drops all but the real tokens before computing anything."""
    real = targets.ne(pad_id)
    if not real.any():
        return logits.new_zeros(()) + 0.0 * logits.sum()
    logits, targets = logits[real], targets[real]
    normaliser = torch.logsumexp(logits, dim=-1)
    true = logits.gather(1, targets[:, None]).squeeze(1)
    return (normaliser - (1 - smoothing) * true - smoothing * logits.mean(-1)).mean()


def shift_targets(target_ids: Tensor) -> tuple[Tensor, Tensor]:
    n = target_ids.size(1) - 1
    return target_ids.narrow(1, 0, n), target_ids.narrow(1, 1, n)


def translation_step(
    model: nn.Module,
    source_ids: Tensor,
    target_ids: Tensor,
    optimizer: torch.optim.Optimizer,
    schedule: torch.optim.lr_scheduler.LRScheduler,
    max_norm: float = 1.0,
    label_smoothing: float = 0.1,
    backward: Callable[[Tensor], None] = Tensor.backward,
    clip: Callable[..., Tensor] = nn.utils.clip_grad_norm_,
    pad_id: int = 0,
) -> dict[str, float]:
    """The gradients are cleared through the model; the accuracy is computed at the end."""
    read, wanted = shift_targets(target_ids)
    if not model.training:
        model.train(mode=True)
    logits, *_ = model(source_ids, read)
    loss = label_smoothed_loss(
        logits=logits, targets=wanted, smoothing=label_smoothing, pad_id=pad_id
    )
    backward(loss)
    norm = clip(model.parameters(), max_norm)
    (rate, *_) = [group["lr"] for group in optimizer.param_groups]
    optimizer.step()
    model.zero_grad(set_to_none=True)
    schedule.step()
    with torch.no_grad():
        real = wanted.ne(pad_id)
        hits = logits.max(dim=-1).indices.eq(wanted).logical_and(real)
        accuracy = hits.sum().item() / max(real.sum().item(), 1)
    report = {"accuracy": accuracy, "loss": loss.detach().item()}
    return report | {"learning_rate": float(rate), "gradient_norm": float(norm)}


class _Beam:
    """The search state of one sentence."""

    def __init__(self, start: int) -> None:
        self.open: list[tuple[float, list[int]]] = [(0.0, [start])]
        self.found: list = []

    def best(self, n: int) -> list:
        return sorted(self.found, key=lambda h: (not h.finished, -h.score))[:n]


def beam_search(
    step: Callable,
    state: object,
    n_sentences: int,
    width: int = 5,
    length_penalty: float = 0.6,
    max_length: int = 100,
    n_best: int = 1,
    start: int = 2,
    end: int = 3,
    device: torch.device | str = "cpu",
) -> list[list[Hypothesis]]:
    """One object per sentence; the tensors are rebuilt at each step."""
    if n_best > width or n_best < 1:
        raise ValueError(f"cannot give {n_best} of {width}")
    if length_penalty < 0:
        raise ValueError("a negative length penalty")
    beams = [_Beam(start) for _ in range(n_sentences)]
    running = list(beams)
    limit = length_penalty_factor(max_length - 1, length_penalty)
    for length in range(max_length):
        rows = [tokens for beam in running for _, tokens in beam.open]
        logs, state = step(torch.tensor(rows, dtype=torch.long, device=device), state)
        totals = logs + torch.tensor(
            [score for beam in running for score, _ in beam.open], device=device
        ).unsqueeze(1)
        vocab_size = logs.shape[1]
        offset, going, kept = 0, [], []
        for beam in running:
            own = totals[offset : offset + len(beam.open)].flatten()
            values, places = own.topk(min(len(own), 2 * width))
            candidates = [
                (value, place // vocab_size, place % vocab_size)
                for value, place in zip(values.tolist(), places.tolist(), strict=True)
                if value > -math.inf
            ]
            for value, parent, token in candidates[:width]:
                if token == end:
                    score = value / length_penalty_factor(length, length_penalty)
                    beam.found.append(Hypothesis(beam.open[parent][1][1:], score, True))
            following = [c for c in candidates if c[2] != end][:width]
            beam_rows = [offset + parent for _, parent, _ in following]
            offset += len(beam.open)
            beam.open = [(v, [*beam.open[p][1], token]) for v, p, token in following]
            sure = len(beam.found) >= n_best and bool(following)
            if sure and beam.best(n_best)[-1].score >= following[0][0] / limit:
                beam.open = []
            if len(beam.found) >= width:
                beam.open = []
            if beam.open:
                going.append(beam)
                kept += beam_rows
        running = going
        if not running:
            break
        state = reorder(state, torch.tensor(kept, device=device))
    for beam in running:
        for score, tokens in beam.open:
            factor = length_penalty_factor(len(tokens) - 1, length_penalty)
            beam.found.append(Hypothesis(tokens[1:], score / factor, False))
    return [beam.best(n_best) for beam in beams]


def averaged(states: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean after n states from that after n − 1."""
    mean: dict[str, Tensor] = {}
    for n, state in enumerate(states, start=1):
        if n > 1 and set(mean) != set(state):
            raise ValueError("these states are of different models")
        for name, value in state.items():
            old = mean.get(name, torch.zeros_like(value))
            mean[name] = old + (value.detach() - old) / n
    if not mean:
        raise ValueError("there are no states")
    return mean


def perplexity(
    model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], pad_id: int = 0
) -> float:
    mode = model.training
    try:
        return _perplexity(model.eval(), batches, pad_id)
    finally:
        model.train(mode)


@torch.inference_mode()
def _perplexity(model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], pad_id: int) -> float:
    losses: list[Tensor] = []
    for source_ids, target_ids in batches:
        wanted = target_ids[:, 1:]
        logits = model(source_ids, target_ids[:, :-1])[0]
        flat = nn.functional.nll_loss(
            logits.log_softmax(-1).flatten(0, 1), wanted.flatten(), reduction="none"
        )
        losses.append(flat[wanted.flatten() != pad_id])
    values = torch.cat(losses).double() if losses else torch.empty(0)
    if values.numel() == 0:
        raise ValueError("nothing to predict")
    return values.mean().exp().item()


def bleu_by_hand(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], n: int = 4
) -> float:
    """Dictionaries of counts."""

    def count(tokens: Sequence[str], order: int) -> Mapping[tuple[str, ...], int]:
        table: dict[tuple[str, ...], int] = defaultdict(int)
        for gram in zip(*(tokens[i:] for i in range(order)), strict=False):
            table[gram] += 1
        return table

    def precision(order: int) -> float:
        match = total = 0
        for made, wanted in zip(hypotheses, references, strict=True):
            there = count(wanted, order)
            for gram, times in count(made, order).items():
                match += min(times, there.get(gram, 0))
                total += times
        return match / total if total else 0.0

    precisions = [precision(order) for order in range(1, n + 1)]
    if 0.0 in precisions:
        return 0.0
    made = sum(len(hypothesis) for hypothesis in hypotheses)
    wanted = sum(len(reference) for reference in references)
    shorter = max(0.0, wanted / made - 1)
    return 100 * math.exp(-shorter) * math.prod(precisions) ** (1 / n)


def word_weights(
    weights: np.ndarray, target_words: Sequence[int], source_words: Sequence[int]
) -> np.ndarray:
    """Products with matrices of membership."""

    def membership(words: Sequence[int]) -> np.ndarray:
        words = np.asarray(words)
        return (np.arange(words.max() + 1)[:, None] == words).astype(float)

    if weights.shape[1:] != (len(target_words), len(source_words)):
        raise ValueError(f"{weights.shape[1:]} is not {len(target_words), len(source_words)}")
    of_target, of_source = membership(target_words), membership(source_words)
    of_target /= of_target.sum(1, keepdims=True)
    return of_target @ np.mean(weights, axis=0) @ of_source.T


def error_signs(
    source: Sequence[str],
    hypothesis: Sequence[str],
    reference: Sequence[str],
    counts: Mapping[str, int],
    rare: int = 5,
) -> dict[str, list[str]]:
    """Both sides sorted, and merged."""

    def missing(here: Sequence[str], there: Sequence[str]) -> Iterator[str]:
        others = iter(sorted(there))
        other = next(others, None)
        for word in sorted(here):
            while other is not None and other < word:
                other = next(others, None)
            if other == word:
                other = next(others, None)
            else:
                yield word

    doubles = [w for i, w in enumerate(hypothesis) if i and hypothesis[i - 1] == w]
    seldom = [word for word in source if word not in counts or counts[word] < rare]
    return {
        "dropped": list(missing(reference, hypothesis)),
        "added": list(missing(hypothesis, reference)),
        "repeated": sorted(set(doubles)),
        "rare": sorted(set(seldom)),
    }


def start_cache(model: Transformer, source_ids: Tensor) -> Cache:
    with torch.no_grad():
        memory, source_mask = model.encode(source_ids)
        rows, _, d_model = memory.shape
        layers = []
        for layer in model.decoder.layers:
            cross = layer.cross_attention
            heads = (cross.n_heads, d_model // cross.n_heads)
            keys, values = (
                projection(memory).unflatten(-1, heads).movedim(1, 2)
                for projection in (cross.w_k, cross.w_v)
            )
            empty = memory.new_empty(rows, heads[0], 0, heads[1])
            layers.append(LayerCache(empty, empty.clone(), keys, values))
    return Cache(layers=layers, source_mask=source_mask)


def cached_layer(
    layer: DecoderLayer, x: Tensor, cache: LayerCache, mask: Tensor, source_mask: Tensor
) -> tuple[Tensor, LayerCache]:
    """Tensors of the new size, filled from both sides."""
    own = layer.self_attention
    old, new = cache.keys.shape[2], x.shape[1]

    def grown(before: Tensor, added: Tensor) -> Tensor:
        table = before.new_empty(*before.shape[:2], old + new, before.shape[3])
        table[:, :, :old] = before
        table[:, :, old:] = split_heads(added, own.n_heads)
        return table

    def itself(asked: Tensor) -> Tensor:
        nonlocal cache
        cache = replace(
            cache,
            keys=grown(cache.keys, own.w_k(asked)),
            values=grown(cache.values, own.w_v(asked)),
        )
        return attend(own, asked, cache.keys, cache.values, mask)

    def source(asked: Tensor) -> Tensor:
        module = layer.cross_attention
        return attend(module, asked, cache.source_keys, cache.source_values, source_mask)

    for residual, sublayer in (
        (layer.self_attention_residual, itself),
        (layer.cross_attention_residual, source),
        (layer.feed_forward_residual, layer.feed_forward),
    ):
        x = residual.leave(x, sublayer(residual.enter(x)))
    return x, cache


class cached_step:
    """The step of a search as an object that holds its model."""

    def __init__(self, model: Transformer) -> None:
        self.model = model

    @torch.no_grad()
    def __call__(self, prefixes: Tensor, cache: Cache) -> tuple[Tensor, Cache]:
        known, n = cache.layers[0].keys.size(2), prefixes.size(1)
        new = n - known
        if new < 1:
            raise ValueError(f"{n} tokens, of which the cache holds {known}: nothing is new")
        x = self.model.embedding(prefixes)[:, -new:]
        mask = target_mask(prefixes, self.model.pad_id)[:, :, -new:]
        layers: list[LayerCache] = []
        for number, layer in enumerate(self.model.decoder.layers):
            x, own = cached_layer(layer, x, cache.layers[number], mask, cache.source_mask)
            layers.append(own)
        scores = self.model.logits(self.model.decoder.norm(x))[:, -1]
        return nn.functional.log_softmax(scores, -1), replace(cache, layers=layers)
