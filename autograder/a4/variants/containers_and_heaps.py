"""Style: ready-made containers: ModuleDict, Sequential, heaps, queues, chains."""

import heapq
import math
from collections import Counter, deque
from itertools import chain

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.feed_forward import FeedForward
from course_lib.residual import ResidualConnection


class DecoderLayer(nn.ModuleDict):
    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        parts = {
            "feed_forward": FeedForward(d_model, d_ff),
            "self_attention": MultiHeadAttention(d_model, n_heads, dropout),
            "cross_attention": MultiHeadAttention(d_model, n_heads, dropout),
        }
        around = {
            f"{name}_residual": ResidualConnection(d_model, dropout, norm_first) for name in parts
        }
        super().__init__(parts | around)

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        seen = {}

        def back(y):
            return self["self_attention"](y, y, y, mask=target_mask)[0]

        def over(y):
            seen["output"], seen["weights"] = self["cross_attention"](
                y, memory, memory, mask=source_mask, need_weights=need_weights
            )
            return seen["output"]

        for name, sublayer in (
            ("self_attention", back),
            ("cross_attention", over),
            ("feed_forward", self["feed_forward"]),
        ):
            around = self[f"{name}_residual"]
            x = around.leave(x, sublayer(around.enter(x)))
        return x, seen["weights"]


class Decoder(nn.ModuleDict):
    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        options = {"n_heads": n_heads, "d_ff": d_ff, "dropout": dropout, "norm_first": norm_first}
        layers = nn.Sequential(*(DecoderLayer(d_model, **options) for _ in range(n_layers)))
        norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else nn.Identity()
        super().__init__({"layers": layers, "norm": norm})

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        collected = deque()
        for layer in self["layers"].children():
            x, *weights = layer(x, memory, target_mask, source_mask, need_weights=need_weights)
            collected.extend(weights)
        return self["norm"](x), list(collected) if need_weights else None


class Transformer(nn.ModuleDict):
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
        sizes = [n_layers, d_model, n_heads, d_ff, dropout, norm_first]
        words = TransformerEmbedding(
            vocab_size, d_model, dropout, pad_id, position_scale=position_scale
        )
        parts = {"embedding": words, "encoder": Encoder(*sizes), "decoder": Decoder(*sizes)}
        super().__init__(parts)
        self.pad_id = pad_id
        for parameter in chain(self.encoder.parameters(), self.decoder.parameters()):
            if parameter.ndim == 2:
                nn.init.xavier_uniform_(parameter)

    def encode(self, source_ids):
        mask = padding_mask(source_ids, self.pad_id)
        return self["encoder"](self["embedding"](source_ids), mask)[0], mask

    def decode(self, target_ids, memory, source_mask, need_weights=False):
        inputs = self["embedding"](target_ids), memory, target_mask(target_ids, self.pad_id)
        vectors, weights = self["decoder"](*inputs, source_mask, need_weights)
        return self.logits(vectors), weights

    def logits(self, x):
        return nn.functional.linear(x, self["embedding"].tokens.weight, bias=None)

    def forward(self, source_ids, target_ids, need_weights=False):
        encoded_source = self.encode(source_ids)
        return self.decode(target_ids, *encoded_source, need_weights)


def beam_search(
    step,
    state,
    n_sentences,
    width=5,
    length_penalty=0.6,
    max_length=100,
    n_best=1,
    start=2,
    end=3,
    device="cpu",
):
    """Heaps of finished hypotheses by score, and of open ones by log probability."""
    if not 1 <= n_best <= width:
        raise ValueError(f"of {width} hypotheses {n_best} cannot be the best")
    if length_penalty < 0:
        raise ValueError(f"a length penalty of {length_penalty}")
    ended = [[] for _ in range(n_sentences)]
    queue = deque((number, (), 0.0) for number in range(n_sentences))
    for length in range(max_length):
        if not queue:
            break
        rows = [[start, *tokens] for _, tokens, _ in queue]
        logs, state = step(torch.tensor(rows, device=device), state)
        offers = {number: [] for number, _, _ in queue}
        for row, (number, tokens, score) in enumerate(queue):
            values, words = logs[row].topk(min(2 * width, logs.shape[1]))
            for value, word in zip(values.tolist(), words.tolist(), strict=True):
                if value > -math.inf:
                    offers[number].append((score + value, row, word, tokens))
        queue, parents = deque(), []
        for number, offer in offers.items():
            ranking = heapq.nlargest(2 * width, offer, key=lambda one: one[0])
            for score, _, word, tokens in ranking[:width]:
                if word == end:
                    reached = score / length_penalty_factor(length, length_penalty)
                    heapq.heappush(ended[number], (-reached, len(ended[number]), list(tokens)))
            going = [one for one in ranking if one[2] != end][:width]
            if not going or len(ended[number]) >= width:
                continue
            best = heapq.nsmallest(n_best, ended[number])
            limit = going[0][0] / length_penalty_factor(max_length - 1, length_penalty)
            if len(best) == n_best and -best[-1][0] >= limit:
                continue
            for score, row, word, tokens in going:
                queue.append((number, (*tokens, word), score))
                parents.append(row)
        if queue:
            state = reorder(state, torch.tensor(parents, device=device))
    answers = []
    for number in range(n_sentences):
        best = heapq.nsmallest(n_best, ended[number])
        answer = [Hypothesis(tokens, -score, True) for score, _, tokens in best]
        for owner, tokens, score in queue:
            if owner == number and len(answer) < n_best:
                factor = length_penalty_factor(len(tokens), length_penalty)
                answer.append(Hypothesis(list(tokens), score / factor, False))
        answers.append(answer)
    return answers


def bleu_by_hand(hypotheses, references, n=4):
    """Counters of the whole corpus, in which a sentence's number is part of the n-gram."""
    logs = []
    for order in range(1, n + 1):
        sides = []
        for sentences in (hypotheses, references):
            found = Counter()
            for number, tokens in enumerate(sentences):
                window = deque(maxlen=order)
                for token in tokens:
                    window.append(token)
                    if len(window) == order:
                        found[number, tuple(window)] += 1
            sides.append(found)
        matches = sum(min(count, sides[1][gram]) for gram, count in sides[0].items())
        if not matches:
            return 0.0
        logs.append(math.log(matches) - math.log(sum(sides[0].values())))
    lengths = [len(list(chain.from_iterable(side))) for side in (hypotheses, references)]
    brevity = min(0.0, 1 - lengths[1] / lengths[0])
    return 100 * math.exp(brevity + math.fsum(logs) / n)


def plot_alignment(weights, source, target, ax=None):
    """Text in every cell as well."""
    weights = np.asarray(weights)
    if weights.shape != (len(target), len(source)):
        raise ValueError(f"{weights.shape} for {len(target)} target, {len(source)} source words")
    ax = ax or plt.subplots(figsize=(4, 4))[1]
    image = ax.imshow(weights, cmap="Greys", norm=plt.Normalize(0, 1), interpolation="nearest")
    ax.get_figure().colorbar(image)
    for (row, column), weight in np.ndenumerate(weights):
        ax.text(column, row, f"{weight:.2f}", ha="center", va="center", fontsize=6)
    ax.set_xticks(range(len(source)), source, rotation=45, ha="right")
    ax.set_yticks(range(len(target)), target)
    ax.set_title("alignment")
    ax.set_xlabel("source words")
    ax.set_ylabel("target words")
    return ax


def error_signs(source, hypothesis, reference, counts, rare=5):
    signs = {"dropped": [], "added": [], "repeated": set(), "rare": set()}
    for word in {*hypothesis, *reference}:
        difference = list(hypothesis).count(word) - list(reference).count(word)
        signs["added" if difference > 0 else "dropped"] += [word] * abs(difference)
    previous = None
    for word in hypothesis:
        if word == previous:
            signs["repeated"].add(word)
        previous = word
    for word in source:
        if Counter(counts)[word] < rare:
            signs["rare"].add(word)
    return {kind: sorted(words) for kind, words in signs.items()}
