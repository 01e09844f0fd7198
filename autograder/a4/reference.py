"""Neutral substitutes for assignment 4: the names of the starter, from earlier weeks and torch.

When a test fails because an earlier exercise is wrong, it is run again with the definition of that
name from here. What a definition shares with another begins with an underscore and is sent along;
none uses what an exercise that rests on it forbids.
"""

import math
import time

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.decoding.cache import Cache, Encoded, LayerCache  # noqa: F401
from course_lib.decoding.search import Hypothesis
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.evaluation.translation import paired_bootstrap
from course_lib.feed_forward import FeedForward
from course_lib.normalization import LayerNorm
from course_lib.residual import ResidualConnection


def causal_mask(n, device=None):
    """True where the key is not later than the query, (1, 1, n, n)."""
    place = torch.arange(n, device=device)
    return (place[:, None] >= place)[None, None]


def _visible(token_ids, pad_id=0):
    """True where the key is real and not later than the query, (batch, 1, n, n)."""
    place = torch.arange(token_ids.shape[1], device=token_ids.device)
    return token_ids.ne(pad_id)[:, None, None] & (place[:, None] >= place)


target_mask = _visible


class _Layer(nn.Module):
    """Masked self-attention, attention to the memory and a feed-forward network."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        for part in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{part}_residual", ResidualConnection(d_model, dropout, norm_first))

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        first, second = self.self_attention_residual, self.cross_attention_residual
        third, given = self.feed_forward_residual, first.enter(x)
        x = first.leave(x, self.self_attention(given, given, given, target_mask)[0])
        read = (second.enter(x), memory, memory, source_mask, need_weights)
        made, weights = self.cross_attention(*read)
        x = second.leave(x, made)
        return third.leave(x, self.feed_forward(third.enter(x))), weights


DecoderLayer = _Layer  # a name of its own: a stack never uses the student's layer


class _Stack(nn.Module):
    """Independent layers, with a last norm in pre-norm order."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(_Layer(*sizes) for _ in range(n_layers))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        weights = []
        for layer in self.layers:
            x, seen = layer(x, memory, target_mask, source_mask, need_weights)
            weights.append(seen)
        return self.norm(x), weights if need_weights else None


Decoder = _Stack


class Transformer(nn.Module):
    """Encoder and decoder with one shared embedding matrix."""

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
        options = {"position_scale": position_scale}
        self.embedding = TransformerEmbedding(vocab_size, d_model, dropout, pad_id, **options)
        sizes = (n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        self.encoder, self.decoder = Encoder(*sizes), _Stack(*sizes)

    def encode(self, source_ids):
        mask = source_ids.ne(self.pad_id)[:, None, None]
        return self.encoder(self.embedding(source_ids), mask)[0], mask

    def decode(self, target_ids, memory, source_mask, need_weights=False):
        mask, x = _visible(target_ids, self.pad_id), self.embedding(target_ids)
        x, weights = self.decoder(x, memory, mask, source_mask, need_weights)
        return self.logits(x), weights

    def logits(self, x):
        return nn.functional.linear(x, self.embedding.tokens.weight)

    def forward(self, source_ids, target_ids, need_weights=False):
        return self.decode(target_ids, *self.encode(source_ids), need_weights)


def _smoothed(logits, targets, smoothing, pad_id):
    """The loss of each target, 0 at the padding."""
    logs = logits - logits.logsumexp(-1, keepdim=True)
    label = nn.functional.one_hot(targets, logits.shape[-1]).to(logs)
    label = label * (1 - smoothing) + smoothing / logits.shape[-1]
    return torch.where(targets == pad_id, 0.0, -(label * logs).sum(-1))


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    """Label-smoothed cross-entropy, the mean over the real targets."""
    count = targets.ne(pad_id).sum()
    return _smoothed(logits, targets, smoothing, pad_id).sum() / torch.clamp(count, min=1)


def shift_targets(target_ids):
    """The tokens the decoder reads, and its labels."""
    n = target_ids.shape[1] - 1
    return target_ids.narrow(1, 0, n), target_ids.narrow(1, 1, n)


def translation_step(
    model,
    source_ids,
    target_ids,
    optimizer,
    schedule,
    max_norm=1.0,
    label_smoothing=0.1,
    backward=torch.Tensor.backward,
    clip=nn.utils.clip_grad_norm_,
    pad_id=None,
):
    """One training step on sentence pairs."""
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id
    model.train()
    n = target_ids.shape[1] - 1
    logits, _ = model(source_ids, target_ids.narrow(1, 0, n))
    wanted = target_ids.narrow(1, 1, n)
    real = wanted.ne(pad_id)
    count = real.sum().clamp(min=1)
    loss = _smoothed(logits, wanted, label_smoothing, pad_id).sum() / count
    backward(loss)
    found = {"loss": loss.item(), "gradient_norm": float(clip(model.parameters(), max_norm))}
    found["learning_rate"] = float(optimizer.param_groups[0]["lr"])
    found["accuracy"] = float((logits.argmax(-1).eq(wanted) & real).sum() / count)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    return found


def uncached_step(model):
    """The step of a search that decodes whole prefixes."""

    def step(prefixes, state):
        with torch.no_grad():
            logits, _ = model.decode(prefixes, state.memory, state.source_mask)
        return logits[:, -1].log_softmax(-1), state

    return step


def greedy(step, state, n_rows, max_length, start=2, end=3, choose=None, device="cpu"):
    """Greedy search in plain lists."""
    written, totals = [[] for _ in range(n_rows)], [0.0] * n_rows
    going, ended = list(range(n_rows)), set()
    for _ in range(max_length):
        prefixes = [[start, *written[row]] for row in going]
        found, state = step(torch.tensor(prefixes, device=device), state)
        tokens = found.argmax(-1) if choose is None else choose(found)
        left = []
        for place, (row, token) in enumerate(zip(going, tokens.tolist(), strict=True)):
            totals[row] += float(found[place, token])
            if token == end:
                ended.add(row)
            else:
                written[row].append(token)
                left.append(place)
        if not left:
            break
        if state is not None and len(left) < len(going):
            state = state.reorder(torch.tensor(left, device=device))
        going = [going[place] for place in left]
    return [Hypothesis(written[row], totals[row], row in ended) for row in range(n_rows)]


def length_penalty_factor(length, alpha):
    """The divisor of a log probability."""
    return ((5 + length) / 6) ** alpha


def continuations(scores, log_probabilities, n):
    """The n best continuations of each sentence: totals, rows and tokens."""
    (n_sentences, n_beams), vocab_size = scores.shape, log_probabilities.shape[-1]
    sums = (scores.reshape(-1, 1) + log_probabilities).reshape(n_sentences, -1)
    totals, places = sums.sort(dim=1, descending=True)
    first = n_beams * torch.arange(n_sentences, device=scores.device).unsqueeze(1)
    rows = first + torch.div(places, vocab_size, rounding_mode="floor")
    return totals[:, :n], rows[:, :n], places.remainder(vocab_size)[:, :n]


def split_candidates(totals, tokens, width, end=3):
    """The scores and places of the next beam, and which candidates finish."""
    is_end = tokens.eq(end)
    finished = is_end.logical_and(totals.isfinite())
    finished[:, width:] = False
    scores, places = totals.where(~is_end, -math.inf).sort(dim=1, descending=True)
    return scores[:, :width], places[:, :width], finished


def is_final(found, bound, width, n_best):
    """Whether the list of a sentence cannot change any more."""
    safe = sum(hypothesis.score >= bound for hypothesis in found)
    return safe >= n_best or len(found) >= width or bound == -math.inf


def _in_heads(x, n_heads):
    """(rows, n, d_model) as (rows, n_heads, n, d_k)."""
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def _attend(module, x, keys, values, mask):
    """Multi-head attention to keys and values that are already projected."""
    queries = _in_heads(module.w_q(x), module.n_heads)
    scores = torch.einsum("bhqd,bhkd->bhqk", queries, keys) / math.sqrt(keys.shape[-1])
    weights = scores.masked_fill(mask.logical_not(), -math.inf).softmax(-1).nan_to_num(0.0)
    return module.w_o(torch.einsum("bhqk,bhkd->bqhd", weights, values).flatten(2))


def start_cache(model, source_ids):
    """Keys and values of the source for every layer, and none of the target."""
    layers = []
    with torch.no_grad():
        memory, source_mask = model.encode(source_ids)
        for layer in model.decoder.layers:
            cross = layer.cross_attention
            keys = _in_heads(cross.w_k(memory), cross.n_heads)
            values = _in_heads(cross.w_v(memory), cross.n_heads)
            layers.append(LayerCache(keys[:, :, :0], values[:, :, :0], keys, values))
    return Cache(layers, source_mask)


def cached_layer(layer, x, cache, mask, source_mask):
    """One layer's output for the new tokens, and its cache with them."""
    own, source = layer.self_attention, (cache.source_keys, cache.source_values)
    first, second = layer.self_attention_residual, layer.cross_attention_residual
    third, given = layer.feed_forward_residual, first.enter(x)
    kept = [
        torch.cat([old, _in_heads(weights(given), own.n_heads)], dim=2)
        for old, weights in ((cache.keys, own.w_k), (cache.values, own.w_v))
    ]
    x = first.leave(x, _attend(own, given, *kept, mask))
    x = second.leave(x, _attend(layer.cross_attention, second.enter(x), *source, source_mask))
    x = third.leave(x, layer.feed_forward(third.enter(x)))
    return x, LayerCache(*kept, *source)


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    """The probabilities to draw from, one row after another."""
    wrong_p = top_p is not None and not 0 < top_p <= 1
    if temperature <= 0 or wrong_p or (top_k is not None and top_k < 1):
        raise ValueError(f"temperature = {temperature}, top_k = {top_k}, top_p = {top_p}")
    rows = []
    for row in log_probabilities / temperature:
        kept = row.argsort(descending=True)[:top_k]
        if top_p is not None:
            sums = row[kept].softmax(0).cumsum(0)
            kept = kept[: int((sums < top_p).sum()) + 1]
        rows.append(torch.zeros_like(row).scatter(0, kept, row[kept].softmax(0)))
    return torch.stack(rows)


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
    """Beam search in plain lists: (tokens, total) of every prefix, by sentence."""
    if n_best < 1 or width < n_best or length_penalty < 0:
        raise ValueError(f"n_best = {n_best}, width = {width}, length_penalty = {length_penalty}")

    def score(total, length):
        return total / ((5 + length) / 6) ** length_penalty

    beams = {sentence: [([], 0.0)] for sentence in range(n_sentences)}
    ended = {sentence: [] for sentence in range(n_sentences)}
    for length in range(max_length):
        rows = [(sentence, *prefix) for sentence, own in beams.items() for prefix in own]
        prefixes = torch.tensor([[start, *tokens] for _, tokens, _ in rows], device=device)
        logs, state = step(prefixes, state)
        every = {sentence: [] for sentence in beams}
        for row, (sentence, _, total) in enumerate(rows):
            every[sentence] += [
                (total + p, row, token) for token, p in enumerate(logs[row].tolist())
            ]
        beams, parents = {}, []
        for sentence, candidates in every.items():
            candidates = sorted((c for c in candidates if c[0] > -math.inf), reverse=True)
            for total, row, token in candidates[:width]:
                if token == end:
                    found = Hypothesis(rows[row][1], score(total, length), True)
                    ended[sentence].append(found)
            kept = [one for one in candidates if one[2] != end][:width]
            bound = score(kept[0][0], max_length - 1) if kept else -math.inf
            safe = sum(hypothesis.score >= bound for hypothesis in ended[sentence])
            if kept and safe < n_best and len(ended[sentence]) < width:
                beams[sentence] = [([*rows[row][1], token], total) for total, row, token in kept]
                parents += [row for _, row, _ in kept]
        if not beams:
            break
        if state is not None:
            state = state.reorder(torch.tensor(parents, device=device))
    lists = [sorted(own, key=lambda h: -h.score) for own in ended.values()]
    for sentence, own in beams.items():
        lists[sentence] += [Hypothesis(t, score(total, len(t)), False) for t, total in own]
    return [own[:n_best] for own in lists]


def averaged(states):
    """The mean of every tensor over several state dicts."""
    if not states or any(set(state) != set(states[0]) for state in states):
        raise ValueError("no states, or states of different names")
    return {name: sum(state[name].detach() for state in states) / len(states) for name in states[0]}


@torch.no_grad()
def perplexity(model, batches, pad_id=None):
    """exp of the mean loss of all real tokens."""
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id
    mode, losses = model.training, [torch.empty(0)]
    model.eval()
    for source_ids, target_ids in batches:
        wanted = target_ids[:, 1:]
        logits, _ = model(source_ids, target_ids[:, :-1])
        real = wanted.ne(pad_id)
        logs = logits[real].log_softmax(-1)
        losses.append(-logs[torch.arange(len(logs)), wanted[real]])
    model.train(mode)
    every = torch.cat(losses)
    if not len(every):
        raise ValueError("no token to predict")
    return every.mean().exp().item()


def bleu_by_hand(hypotheses, references, n=4):
    """BLEU; each n-gram of a hypothesis crosses off one of the reference."""
    product = 1.0
    for order in range(1, n + 1):
        matched = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            left = [reference[i : i + order] for i in range(len(reference) - order + 1)]
            for i in range(len(hypothesis) - order + 1):
                total += 1
                if hypothesis[i : i + order] in left:
                    left.remove(hypothesis[i : i + order])
                    matched += 1
        if not matched:
            return 0.0
        product *= matched / total
    ratio = sum(map(len, references)) / sum(map(len, hypotheses))
    return 100 * min(1.0, math.exp(1 - ratio)) * product ** (1 / n)


def word_weights(weights, target_words, source_words):
    """Weights between words: mean over heads, sum over source tokens, mean over target tokens."""
    mean, target, source = np.mean(weights, axis=0), np.array(target_words), np.array(source_words)
    if mean.shape != (target.size, source.size):
        raise ValueError(f"weights of shape {mean.shape}: {target.size} and {source.size} words")
    return np.array(
        [
            [mean[target == i][:, source == j].sum(axis=1).mean() for j in range(source.max() + 1)]
            for i in range(target.max() + 1)
        ]
    )


def alignment_links(weights, share=0.5):
    """Pairs (source word, target word) of at least `share` of the row's largest weight."""
    return {
        (source, target)
        for target, row in enumerate(weights.tolist())
        for source, weight in enumerate(row)
        if max(row) > 0 and weight >= share * max(row)
    }


def plot_alignment(weights, source, target, ax=None):
    """A heat map with a row for each target word."""
    if np.shape(weights) != (len(target), len(source)):
        raise ValueError(f"{np.shape(weights)} for {len(target)} × {len(source)} words")
    ax = Figure().subplots() if ax is None else ax
    shown = ax.matshow(weights, vmin=0.0, vmax=1.0)
    ax.figure.colorbar(shown, ax=ax)
    ax.set_xticks(np.arange(len(source)), source)
    ax.set_yticks(np.arange(len(target)), target)
    ax.set(xlabel="source", ylabel="target")
    return ax


def error_signs(source, hypothesis, reference, counts, rare=5):
    """Words dropped, added, repeated and rare; words are crossed off a copy of the reference."""
    dropped, added = list(reference), []
    for word in hypothesis:
        if word in dropped:
            dropped.remove(word)
        else:
            added.append(word)
    twice = {word for i, word in enumerate(hypothesis[1:]) if word == hypothesis[i]}
    seldom = {word for word in source if word not in counts or counts[word] < rare}
    lists = {"dropped": dropped, "added": added, "repeated": twice, "rare": seldom}
    return {sign: sorted(words) for sign, words in lists.items()}


def cached_step(model):
    """The step of a search that runs each layer on the tokens that its cache lacks."""

    @torch.no_grad()
    def step(prefixes, cache):
        known, n = cache.layers[0].keys.shape[2], prefixes.shape[1]
        if n <= known:
            raise ValueError(f"prefixes of {n} tokens, of which {known} are known")
        x = model.embedding(prefixes)[:, known:]
        mask, layers = _visible(prefixes, model.pad_id)[:, :, known:], []
        for layer, old in zip(model.decoder.layers, cache.layers, strict=True):
            own, source = layer.self_attention, (old.source_keys, old.source_values)
            first, second = layer.self_attention_residual, layer.cross_attention_residual
            third, given = layer.feed_forward_residual, first.enter(x)
            keys = torch.cat([old.keys, _in_heads(own.w_k(given), own.n_heads)], dim=2)
            values = torch.cat([old.values, _in_heads(own.w_v(given), own.n_heads)], dim=2)
            x = first.leave(x, _attend(own, given, keys, values, mask))
            made = _attend(layer.cross_attention, second.enter(x), *source, cache.source_mask)
            x = second.leave(x, made)
            x = third.leave(x, layer.feed_forward(third.enter(x)))
            layers.append(LayerCache(keys, values, *source))
        logs = model.logits(model.decoder.norm(x))[:, -1].log_softmax(-1)
        return logs, Cache(layers, cache.source_mask)

    return step


def width_study(translate, references, widths, length_penalties, samples=1000):
    """A row for greedy search, then one for every width and penalty."""
    if 1 in widths:
        raise ValueError("width 1 is greedy search")
    settings = [(1, 0.0), *((width, alpha) for width in widths for alpha in length_penalties)]
    rows, made = [], []
    for width, alpha in settings:
        started = time.perf_counter()
        made.append(translate(width, alpha))
        speed = len(references) / (time.perf_counter() - started)
        compared = paired_bootstrap(made[-1], made[0], references, samples)
        row = {"width": width, "length_penalty": alpha, "bleu": compared.first}
        row |= {"difference": compared.difference, "sentences_per_second": speed}
        rows.append(row | dict(zip(("low", "high"), compared.interval, strict=True)))
    return rows


def sample(
    step,
    state,
    n_rows,
    max_length,
    temperature=1.0,
    top_k=None,
    top_p=None,
    generator=None,
    start=2,
    end=3,
    device="cpu",
):
    """A search that draws each token, one row after another."""
    narrow = {"temperature": temperature, "top_k": top_k, "top_p": top_p}

    def draw(logs):
        shares = sampling_distribution(logs, **narrow)
        return torch.cat([torch.multinomial(row, 1, generator=generator) for row in shares])

    return greedy(step, state, n_rows, max_length, start, end, draw, device)
