"""Style: objects: searches, steps, schedules and reports are instances that remember."""

import math
import time
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.feed_forward import FeedForward
from course_lib.residual import ResidualConnection


class LookBack:
    """A sub-layer as an object that is called."""

    def __init__(self, attention, mask):
        self.attention, self.mask = attention, mask

    def __call__(self, x):
        return self.attention(x, x, x, mask=self.mask)[0]


class LookOver:
    """The attention to the source; it remembers the weights it saw."""

    def __init__(self, attention, memory, mask, need_weights):
        self.attention, self.memory, self.mask = attention, memory, mask
        self.need_weights, self.weights = need_weights, None

    def __call__(self, x):
        found = self.attention(x, self.memory, self.memory, self.mask, self.need_weights)
        self.weights = found[1]
        return found[0]


class DecoderLayer(nn.Module):
    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()

        def around():
            return ResidualConnection(d_model, dropout=dropout, norm_first=norm_first)

        self.feed_forward, self.feed_forward_residual = FeedForward(d_model, d_ff), around()
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.cross_attention_residual = around()
        self.self_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.self_attention_residual = around()

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        over = LookOver(self.cross_attention, memory, source_mask, need_weights)
        for around, sublayer in (
            (self.self_attention_residual, LookBack(self.self_attention, target_mask)),
            (self.cross_attention_residual, over),
            (self.feed_forward_residual, self.feed_forward),
        ):
            x = around.leave(x, sublayer(around.enter(x)))
        return x, over.weights


class Decoder(nn.Module):
    """The layers are numbered children of a ModuleList; without pre-norm there is no norm."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        self.layers = nn.ModuleList()
        self.norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else nn.Dropout(0.0)
        for _ in range(n_layers):
            layer = DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first=norm_first)
            self.layers.append(layer)

    @property
    def depth(self):
        return len(self.layers)

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        weights = [None] * self.depth
        for number in range(self.depth):
            x, weights[number] = self.layers[number](
                x, memory, target_mask, source_mask, need_weights
            )
        return self.norm(x), (weights if need_weights else None)


class Transformer(nn.Module):
    """The matrix of words has a name of its own, as a property."""

    def __init__(
        self,
        vocab_size,
        n_layers=6,
        d_model=512,
        n_heads=8,
        d_ff=2048,
        dropout=0.1,
        norm_first=False,
        pad_id=0,
        position_scale=1.0,
    ):
        super().__init__()
        self.pad_id = pad_id
        self.encoder = Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        for half in (self.encoder, self.decoder):
            for module in half.modules():
                if isinstance(module, nn.Linear):
                    nn.init.xavier_uniform_(module.weight)
        self.embedding = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id, position_scale=position_scale
        )

    @property
    def words(self):
        return self.embedding.tokens.weight

    def logits(self, x):
        return x.matmul(self.words.t())

    def encode(self, source_ids):
        source_mask = padding_mask(source_ids, self.pad_id)
        memory, _ = self.encoder(self.embedding(source_ids), source_mask)
        return memory, source_mask

    def decode(self, target_ids, memory, source_mask, need_weights=False):
        seen = target_mask(target_ids, self.pad_id)
        x, weights = self.decoder(
            self.embedding(target_ids), memory, seen, source_mask, need_weights
        )
        return self.logits(x), weights

    def forward(self, source_ids, target_ids, need_weights=False):
        memory, source_mask = self.encode(source_ids)
        return self.decode(target_ids, memory, source_mask, need_weights)


class Uncached:
    def __init__(self, model):
        self.model = model

    def __call__(self, prefixes, state):
        with torch.inference_mode():
            logits, _ = self.model.decode(prefixes, state.memory, state.source_mask)
        return nn.LogSoftmax(dim=-1)(logits[:, -1, :].clone()), state


def uncached_step(model):
    return Uncached(model)


@dataclass
class Sentence:
    """One greedy hypothesis in progress."""

    tokens: list = field(default_factory=list)
    score: float = 0.0
    ended: bool = False

    def add(self, token, log, end):
        self.score += log
        self.ended = token == end
        if not self.ended:
            self.tokens.append(token)


def greedy(
    step,
    state,
    n_rows,
    max_length,
    start=2,
    end=3,
    choose=most_likely,
    device="cpu",
):
    sentences = [Sentence() for _ in range(n_rows)]
    going = sentences
    for _ in range(max_length):
        if not going:
            break
        rows = [[start, *sentence.tokens] for sentence in going]
        logs, state = step(torch.tensor(rows, device=device), state)
        for sentence, token, row in zip(going, choose(logs).tolist(), logs, strict=True):
            sentence.add(token, row[token].item(), end)
        left = [place for place, sentence in enumerate(going) if not sentence.ended]
        if left and len(left) < len(going):
            state = reorder(state, torch.tensor(left, device=device))
        going = [going[place] for place in left]
    return [Hypothesis(s.tokens, s.score, s.ended) for s in sentences]


class Meter:
    """Sums of losses and numbers of tokens."""

    def __init__(self):
        self.total = self.count = 0.0

    def add(self, logits, wanted, pad_id):
        real = wanted != pad_id
        logs = logits[real].log_softmax(-1)
        self.total -= logs[torch.arange(len(logs)), wanted[real]].double().sum().item()
        self.count += len(logs)

    @property
    def perplexity(self):
        if self.count == 0:
            raise ValueError("no token was measured")
        return math.exp(self.total / self.count)


def perplexity(model, batches, pad_id=0):
    meter, training = Meter(), model.training
    model.eval()
    with torch.no_grad():
        for source_ids, target_ids in batches:
            meter.add(model(source_ids, target_ids[:, :-1])[0], target_ids[:, 1:], pad_id)
    model.train(training)
    return meter.perplexity


class Lexicon:
    """A multiset of words."""

    def __init__(self, words):
        self.number = {}
        for word in words:
            self.number[word] = self.number.get(word, 0) + 1

    def beyond(self, other):
        return sorted(
            word
            for word, count in self.number.items()
            for _ in range(count - other.number.get(word, 0))
        )


def error_signs(source, hypothesis, reference, counts, rare=5):
    made, wanted = Lexicon(hypothesis), Lexicon(reference)
    pairs = zip(hypothesis[:-1], hypothesis[1:], strict=True)
    return {
        "repeated": sorted({left for left, right in pairs if left == right}),
        "dropped": wanted.beyond(made),
        "added": made.beyond(wanted),
        "rare": sorted(word for word in Lexicon(source).number if counts.get(word, 0) < rare),
    }


class Study:
    """Translates, times and compares."""

    def __init__(self, translate, references, samples):
        self.translate, self.references, self.samples = translate, references, samples
        self.rows, self.greedy = [], None

    def add(self, width, length_penalty):
        begun = time.perf_counter()
        made = self.translate(width, length_penalty)
        seconds = time.perf_counter() - begun
        if self.greedy is None:
            self.greedy = made
        found = paired_bootstrap(made, self.greedy, self.references, self.samples)
        low, high = found.interval
        self.rows.append(
            {
                "low": low,
                "high": high,
                "bleu": found.first,
                "width": width,
                "difference": found.difference,
                "length_penalty": length_penalty,
                "sentences_per_second": len(made) / seconds,
            }
        )


def width_study(translate, references, widths, length_penalties, samples=1000):
    if 1 in list(widths):
        raise ValueError("width 1 has a row of its own")
    study = Study(translate, references, samples)
    study.add(1, 0.0)
    for width in widths:
        for length_penalty in length_penalties:
            study.add(width, length_penalty)
    return study.rows


class CachedStep:
    def __init__(self, model):
        self.model = model

    @torch.no_grad()
    def __call__(self, prefixes, cache):
        first = cache.layers[0].keys.shape[2]
        if first >= prefixes.shape[1]:
            raise ValueError("nothing is new in these prefixes")
        x = self.model.embedding(prefixes)[:, first:]
        mask = padding_mask(prefixes, self.model.pad_id) & self.earlier(first, prefixes)
        layers = []
        for layer, remembered in zip(self.model.decoder.layers, cache.layers, strict=True):
            x, remembered = cached_layer(layer, x, remembered, mask, cache.source_mask)
            layers.append(remembered)
        vectors = self.model.decoder.norm(x)[:, -1]
        return self.model.logits(vectors).log_softmax(-1), Cache(layers, cache.source_mask)

    @staticmethod
    def earlier(first, prefixes):
        place = torch.arange(prefixes.shape[1], device=prefixes.device)
        return (place <= place[first:, None])[None, None]


def cached_step(model):
    return CachedStep(model)


class Narrower:
    """Removes tokens from a ranking, and gives the rest its probabilities."""

    def __init__(self, log_probabilities, temperature):
        ranked = torch.sort(log_probabilities / temperature, dim=1, descending=True)
        self.logs, self.tokens = ranked.values.clone(), ranked.indices

    @property
    def shares(self):
        return self.logs.softmax(dim=1)

    def keep(self, condition):
        self.logs = self.logs.masked_fill(~condition, -math.inf)

    def result(self):
        return torch.empty_like(self.logs).scatter_(1, self.tokens, self.shares)


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    if not temperature > 0:
        raise ValueError(f"temperature {temperature}")
    if top_k is not None and not top_k >= 1:
        raise ValueError(f"top_k {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p {top_p}")
    found = Narrower(log_probabilities, temperature)
    if top_k is not None:
        place = torch.arange(found.logs.shape[1]).expand_as(found.logs)
        found.keep(place < top_k)
    if top_p is not None:
        shares = found.shares
        before = torch.cat([torch.zeros(len(shares), 1), shares.cumsum(1)[:, :-1]], dim=1)
        found.keep(before < top_p)
    return found.result()


def averaged(states):
    """Module-free: parameters that ask for gradients are taken as numbers."""
    if not len(states):
        raise ValueError("nothing to average")
    if len({tuple(sorted(state.keys())) for state in states}) != 1:
        raise ValueError("the names of the states differ")
    with torch.no_grad():
        return {
            name: torch.mean(torch.stack([state[name] for state in states]), 0)
            for name in states[0]
        }


def word_weights(weights, target_words, source_words):
    """Columns first, rows second."""
    n_target, n_source = weights.shape[1:]
    if len(target_words) != n_target or len(source_words) != n_source:
        raise ValueError(f"{n_target} and {n_source} tokens in the weights")
    mean = np.average(weights, axis=0)
    columns = np.zeros((n_target, 1 + max(source_words)))
    for column, word in enumerate(source_words):
        if word != -1:
            columns[:, word] += mean[:, column]
    own = [
        [row for row, w in enumerate(target_words) if w == word]
        for word in range(1 + max(target_words))
    ]
    return np.vstack([columns[rows].mean(axis=0) for rows in own])
