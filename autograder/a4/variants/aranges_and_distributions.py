"""Style: comparisons of positions, explicit target distributions, rows that are never dropped."""

import math

import torch
from torch import nn

from course_lib.attention import MultiHeadAttention
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder
from course_lib.feed_forward import FeedForward


def causal_mask(n, device=None):
    place = torch.arange(n, device=device)
    return (place.view(1, 1, n, 1) >= place.view(1, 1, 1, n)).contiguous()


def target_mask(token_ids, pad_id=0):
    n = token_ids.size(1)
    key, query = torch.arange(n), torch.arange(n).unsqueeze(1)
    allowed = (key <= query).to(token_ids.device).unsqueeze(0)
    real = token_ids.ne(pad_id).unsqueeze(1)
    return torch.logical_and(allowed, real).unsqueeze(1)


class Around(nn.Module):
    """Norm and dropout of one sub-layer; the layer itself adds."""

    def __init__(self, d_model, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout = nn.Dropout(dropout)


class DecoderLayer(nn.Module):
    """Both orders written out, sum by sum."""

    def __init__(self, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.self_attention_residual = Around(d_model, dropout)
        self.cross_attention_residual = Around(d_model, dropout)
        self.feed_forward_residual = Around(d_model, dropout)

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        one, two = self.self_attention_residual, self.cross_attention_residual
        three = self.feed_forward_residual
        if self.norm_first:
            y = one.norm(x)
            x = x + one.dropout(self.self_attention(y, y, y, target_mask)[0])
            y, weights = self.cross_attention(
                two.norm(x), memory, memory, source_mask, need_weights
            )
            x = x + two.dropout(y)
            x = x + three.dropout(self.feed_forward(three.norm(x)))
            return x, weights
        y, _ = self.self_attention(x, x, x, mask=target_mask)
        x = one.norm(x + one.dropout(y))
        y, weights = self.cross_attention(
            query=x, key=memory, value=memory, mask=source_mask, need_weights=need_weights
        )
        x = two.norm(x + two.dropout(y))
        return three.norm(x + three.dropout(self.feed_forward(x))), weights


class Decoder(nn.Module):
    """The last norm only where it is needed."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        self.layers = nn.ModuleList([])
        for _ in range(n_layers):
            self.layers.append(DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first))
        self.norm = nn.LayerNorm(d_model, eps=1e-6) if norm_first else nn.Identity()

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        kept = [] if need_weights else None
        for layer in self.layers:
            x, weights = layer(x, memory, target_mask, source_mask, need_weights)
            if kept is not None:
                kept.append(weights)
        return self.norm(x), kept


class Transformer(nn.Module):
    """Decoder first, then the rest; the masks are made where they are used."""

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
        self.decoder = Decoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        self.encoder = Encoder(n_layers, d_model, n_heads, d_ff, dropout, norm_first)
        for name, parameter in self.named_parameters():
            if name.endswith("weight") and parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        self.embedding = TransformerEmbedding(
            vocab_size, d_model, dropout=dropout, pad_id=pad_id, position_scale=position_scale
        )
        self.pad_id = pad_id

    def encode(self, source_ids):
        source_mask = source_ids.ne(self.pad_id)[:, None, None]
        memory, _ = self.encoder(self.embedding(source_ids), source_mask)
        return memory, source_mask

    def decode(self, target_ids, memory, source_mask, need_weights=False):
        vectors, weights = self.decoder(
            self.embedding(target_ids),
            memory,
            target_mask(target_ids, self.pad_id),
            source_mask,
            need_weights=need_weights,
        )
        return self.logits(vectors), weights

    def logits(self, x):
        return nn.functional.linear(x, self.embedding.tokens.weight)

    def forward(self, source_ids, target_ids, need_weights=False):
        return self.decode(target_ids, *self.encode(source_ids), need_weights)


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    """The cross-entropy with an explicit target distribution."""
    vocab_size = logits.shape[-1]
    logits, targets = logits.reshape(-1, vocab_size), targets.reshape(-1)
    wanted = torch.full_like(logits, smoothing / vocab_size)
    wanted[torch.arange(len(targets)), targets] += 1 - smoothing
    wanted[targets == pad_id] = 0
    total = -(wanted * logits.log_softmax(1)).sum()
    return total / max(1, int((targets != pad_id).sum()))


class uncached_step:
    """A class where the handout has a function: calling it makes the step."""

    def __init__(self, model):
        self.model = model

    def __call__(self, prefixes, state):
        with torch.no_grad():
            logits = self.model.decode(prefixes, state.memory, state.source_mask)[0]
        last = logits[:, prefixes.shape[1] - 1]
        return last - last.logsumexp(dim=1, keepdim=True), state


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
    """One tensor holds all rows; `alive` lists those that have not ended."""
    alive = torch.arange(n_rows, device=device)
    written = torch.full((n_rows, 1), start, dtype=torch.long, device=device)
    totals = torch.zeros(n_rows, device=device)
    lengths = torch.full((n_rows,), -1, device=device)
    for length in range(max_length):
        if not len(alive):
            break
        logs, state = step(written[alive], state)
        tokens = choose(logs)
        totals[alive] += logs[torch.arange(len(alive)), tokens]
        column = torch.full((n_rows, 1), end, dtype=torch.long, device=device)
        column[alive, 0] = tokens
        written = torch.cat((written, column), dim=1)
        lengths[alive[tokens == end]] = length
        keep = (tokens != end).nonzero().flatten()
        if len(keep) < len(alive):
            alive = alive[keep]
            state = reorder(state, keep) if len(keep) else state
    made = []
    for row in range(n_rows):
        n = int(lengths[row])
        sentence = written[row, 1:] if n < 0 else written[row, 1 : 1 + n]
        made.append(Hypothesis(sentence.tolist(), totals[row].item(), n >= 0))
    return made


def length_penalty_factor(length, alpha):
    return math.exp(alpha * (math.log(5 + length) - math.log(6)))


def continuations(scores, log_probabilities, n):
    """A full sort of each sentence's candidates."""
    n_sentences, n_beams = scores.shape
    logs = log_probabilities.reshape(n_sentences, n_beams, -1)
    flat = (scores.unsqueeze(-1) + logs).reshape(n_sentences, -1)
    order = flat.argsort(dim=1, descending=True)[:, :n]
    row = torch.div(order, logs.shape[-1], rounding_mode="floor")
    row = row + n_beams * torch.arange(n_sentences, device=order.device).unsqueeze(1)
    return flat.gather(1, order), row, order.remainder(logs.shape[-1])


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
    """Always `width` rows per sentence, even for finished ones, until all are finished."""
    if n_best < 1 or n_best > width:
        raise ValueError(f"n_best = {n_best} must lie between 1 and width = {width}")
    if length_penalty < 0:
        raise ValueError(f"length_penalty = {length_penalty} is below 0")
    if n_sentences == 0:
        return []
    first = torch.arange(n_sentences, device=device)
    state = reorder(state, first.repeat_interleave(width))
    prefixes = torch.full((n_sentences, width, 1), start, dtype=torch.long, device=device)
    scores = torch.full((n_sentences, width), -math.inf, device=device)
    scores[:, 0] = 0.0
    done = [False] * n_sentences
    results = [[] for _ in range(n_sentences)]
    most = length_penalty_factor(max_length - 1, length_penalty)
    for length in range(max_length):
        logs, state = step(prefixes.flatten(0, 1), state)
        vocab_size = logs.shape[-1]
        sums = scores[:, :, None] + logs.view(n_sentences, width, vocab_size)
        ranked = sums.flatten(1).sort(dim=1, descending=True)
        factor = length_penalty_factor(length, length_penalty)
        beams = []
        for sentence in range(n_sentences):
            values, places = ranked.values[sentence].tolist(), ranked.indices[sentence].tolist()
            going = []
            for rank, (value, place) in enumerate(zip(values, places, strict=True)):
                if value == -math.inf or (len(going) == width and rank >= width):
                    break
                beam, token = divmod(place, vocab_size)
                if token != end:
                    if len(going) < width:
                        going.append((value, beam, token))
                elif rank < width and not done[sentence]:
                    tokens = prefixes[sentence, beam, 1:].tolist()
                    results[sentence].append(Hypothesis(tokens, value / factor, True))
            if not done[sentence]:
                finished = sorted((h.score for h in results[sentence]), reverse=True)
                bound = going[0][0] / most if going else -math.inf
                enough = len(finished) >= n_best and finished[n_best - 1] >= bound
                done[sentence] = not going or len(finished) >= width or enough
            going += [(-math.inf, 0, start)] * (width - len(going))
            beams.append(going)
        if all(done):
            break
        scores = torch.tensor([[value for value, _, _ in beam] for beam in beams], device=device)
        parents = torch.tensor([[old for _, old, _ in beam] for beam in beams], device=device)
        added = torch.tensor([[token for _, _, token in beam] for beam in beams], device=device)
        chosen = prefixes.gather(1, parents[:, :, None].expand(-1, -1, prefixes.shape[2]))
        prefixes = torch.cat([chosen, added[:, :, None]], dim=2)
        state = reorder(state, (parents + width * first[:, None]).flatten())
    factor = length_penalty_factor(prefixes.shape[2] - 1, length_penalty)
    answer = []
    for sentence, found in enumerate(results):
        found = sorted(found, key=lambda h: -h.score)
        if not done[sentence]:
            for row in range(width):
                score = scores[sentence, row].item()
                if score > -math.inf:
                    tokens = prefixes[sentence, row, 1:].tolist()
                    found.append(Hypothesis(tokens, score / factor, False))
        answer.append(found[:n_best])
    return answer


def averaged(states):
    """Running sums, divided once at the end."""
    states = list(states)
    if len(states) == 0:
        raise ValueError("no states")
    sums = {name: value.detach().clone() for name, value in states[0].items()}
    for state in states[1:]:
        if set(state) != set(sums):
            raise ValueError(f"other names: {sorted(set(state) ^ set(sums))}")
        for name in sums:
            sums[name] += state[name].detach()
    return {name: total / len(states) for name, total in sums.items()}


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    """Each token's rank in its row instead of a sorted table."""
    if not temperature > 0:
        raise ValueError(f"temperature {temperature} is not positive")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k {top_k} is below 1")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError(f"top_p {top_p} is not in (0, 1]")
    scaled = log_probabilities / temperature
    rank = scaled.argsort(dim=1, descending=True).argsort(dim=1)
    if top_k is not None:
        scaled = torch.where(rank < top_k, scaled, torch.full_like(scaled, -math.inf))
    shares = scaled.softmax(1)
    if top_p is not None:
        ranked = shares.sort(dim=1, descending=True).values
        before = ranked.cumsum(1) - ranked
        count = (before < top_p).sum(1, keepdim=True).clamp(min=1)
        shares = shares * (rank < count)
        shares = shares / shares.sum(1, keepdim=True)
    return shares


def cached_layer(layer, x, cache, mask, source_mask):
    """Both orders written out, as in the layer."""
    one, two = layer.self_attention_residual, layer.cross_attention_residual
    three, own, cross = layer.feed_forward_residual, layer.self_attention, layer.cross_attention
    y = one.norm(x) if layer.norm_first else x
    added = [split_heads(projection(y), own.n_heads) for projection in (own.w_k, own.w_v)]
    keys = torch.cat((cache.keys, added[0]), dim=-2)
    values = torch.cat((cache.values, added[1]), dim=-2)
    x = x + one.dropout(attend(own, y, keys, values, mask))
    x = x if layer.norm_first else one.norm(x)
    y = two.norm(x) if layer.norm_first else x
    found = attend(cross, y, cache.source_keys, cache.source_values, source_mask)
    x = x + two.dropout(found)
    x = x if layer.norm_first else two.norm(x)
    y = three.norm(x) if layer.norm_first else x
    x = x + three.dropout(layer.feed_forward(y))
    x = x if layer.norm_first else three.norm(x)
    return x, LayerCache(keys, values, cache.source_keys, cache.source_values)
