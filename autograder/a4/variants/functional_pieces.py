"""Style: reduce, accumulate, partial functions, generators and recursion."""

import math
import operator
from collections import Counter
from functools import partial, reduce
from itertools import accumulate, pairwise, product, takewhile

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from course_lib.normalization import LayerNorm


def causal_mask(n, device=None):
    rows = accumulate(torch.eye(n, dtype=torch.bool, device=device), torch.logical_or)
    return torch.stack(list(rows)).view(1, 1, n, n)


def target_mask(token_ids, pad_id=0):
    masks = (padding_mask(token_ids, pad_id), causal_mask(token_ids.shape[-1], token_ids.device))
    return reduce(torch.logical_and, masks)


class Decoder(nn.Module):
    """The stack is a fold over its layers."""

    def __init__(
        self, n_layers=6, d_model=512, n_heads=8, d_ff=2048, dropout=0.1, norm_first=False
    ):
        super().__init__()
        make = partial(DecoderLayer, d_model, n_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList(make() for _ in range(n_layers))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x, memory, target_mask=None, source_mask=None, need_weights=False):
        def through(so_far, layer):
            x, weights = so_far
            x, more = layer(x, memory, target_mask, source_mask, need_weights)
            return x, [*weights, more]

        x, weights = reduce(through, self.layers, (x, []))
        return self.norm(x), weights if need_weights else None


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    """The divergence form: cross-entropy with the true token, and with an even choice."""
    real = targets != pad_id
    safe = torch.where(real[..., None], logits, torch.zeros_like(logits))
    logs = safe - safe.logsumexp(-1, keepdim=True)
    terms = (
        (1 - smoothing, logs.gather(-1, targets[..., None])[..., 0]),
        (smoothing, logs.sum(-1) / logits.shape[-1]),
    )
    per_token = -sum(share * term for share, term in terms) * real
    return per_token.sum() / real.sum().clamp_min(1)


def shift_targets(target_ids):
    windows = target_ids.unfold(1, 2, 1)
    return windows[..., 0], windows[..., 1]


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
    pad_id=0,
):
    model.train()
    read, wanted = shift_targets(target_ids)
    logits = operator.itemgetter(0)(model(source_ids, read))
    loss = label_smoothed_loss(logits, wanted, label_smoothing, pad_id)

    def accuracy():
        real = wanted != pad_id
        hits = torch.eq(logits.detach().argmax(-1), wanted)
        return torch.where(real, hits, False).sum().div(real.sum().clamp(min=1)).item()

    found = {"loss": lambda: loss.detach().item(), "accuracy": accuracy}
    report = {name: value() for name, value in found.items()}
    backward(loss)
    report["gradient_norm"] = torch.as_tensor(clip(model.parameters(), max_norm)).item()
    report["learning_rate"] = float(max(group["lr"] for group in optimizer.param_groups))
    for thing in (optimizer, schedule):
        thing.step()
    optimizer.zero_grad()
    return report


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
    """Recursion over the number of steps that are left."""

    def follow(prefixes, scores, state, steps):
        if steps == 0 or len(prefixes) == 0:
            return [Hypothesis(p[1:], s, False) for p, s in zip(prefixes, scores, strict=True)]
        logs, state = step(torch.tensor(prefixes, device=device), state)
        tokens = choose(logs)
        sums = [s + float(log[t]) for s, log, t in zip(scores, logs, tokens, strict=True)]
        longer = [[*p, t] for p, t in zip(prefixes, tokens.tolist(), strict=True)]
        left = [i for i, p in enumerate(longer) if p[-1] != end]
        rest = iter(
            follow(
                [longer[i] for i in left],
                [sums[i] for i in left],
                reorder(state, torch.tensor(left, device=device)) if left else None,
                steps - 1,
            )
        )
        return [
            Hypothesis(p[1:-1], s, True) if p[-1] == end else next(rest)
            for p, s in zip(longer, sums, strict=True)
        ]

    return follow([[start]] * n_rows, [0.0] * n_rows, state, max_length)


def length_penalty_factor(length, alpha):
    return pow((5 + length) / 6, alpha)


def continuations(scores, log_probabilities, n):
    """Sentence by sentence, put together with stack."""

    def of_one(sentence, own_scores, logs):
        flat = (own_scores[:, None] + logs).flatten()
        totals, places = flat.sort(descending=True, stable=True)
        rows = sentence * len(own_scores) + places.div(logs.shape[1], rounding_mode="floor")
        return totals[:n], rows[:n], places.fmod(logs.shape[1])[:n]

    blocks = log_probabilities.chunk(len(scores))
    found = [of_one(i, *pair) for i, pair in enumerate(zip(scores, blocks, strict=True))]
    return tuple(map(torch.stack, zip(*found, strict=True)))


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
    """A sentence is (number, beam, found); one pure function advances it by a step."""
    if n_best > width or n_best < 1 or length_penalty < 0:
        raise ValueError("1 ≤ n_best ≤ width and 0 ≤ length_penalty are required")
    penalty = partial(length_penalty_factor, alpha=length_penalty)
    decided = [[] for _ in range(n_sentences)]

    def ranked(hypotheses):
        return sorted(hypotheses, key=operator.attrgetter("score"), reverse=True)

    def advance(length, rows, beam, found):
        every = [
            (score + log, tokens, row, token)
            for (tokens, score), (row, logs) in zip(beam, rows, strict=True)
            for token, log in enumerate(logs)
            if score + log > -math.inf
        ]
        every.sort(key=operator.itemgetter(0), reverse=True)
        ends = [one for one in every[:width] if one[3] == end]
        more = [Hypothesis(tokens, score / penalty(length), True) for score, tokens, *_ in ends]
        return [one for one in every if one[3] != end][:width], ranked([*found, *more])

    def over(going, found):
        if not going or len(found) >= width:
            return True
        return len(found) >= n_best and found[n_best - 1].score >= going[0][0] / penalty(
            max_length - 1
        )

    running = [(number, [([], 0.0)], []) for number in range(n_sentences)]
    for length in range(max_length):
        if not running:
            break
        prefixes = [[start, *tokens] for _, beam, _ in running for tokens, _ in beam]
        logs, state = step(torch.tensor(prefixes, device=device), state)
        numbered, following, parents = enumerate(logs.tolist()), [], []
        for number, beam, found in running:
            rows = [next(numbered) for _ in beam]
            going, found = advance(length, rows, beam, found)
            if over(going, found):
                decided[number] = found[:n_best]
            else:
                beam = [([*tokens, token], score) for score, tokens, _, token in going]
                following.append((number, beam, found))
                parents += [row for _, _, row, _ in going]
        running = following
        if running:
            state = reorder(state, torch.tensor(parents, device=device))
    for number, beam, found in running:
        cut = [Hypothesis(t, score / penalty(len(t)), False) for t, score in beam]
        decided[number] = [*found, *cut][:n_best]
    return decided


def averaged(states):
    if not states:
        raise ValueError("reduce has nothing to begin with")
    if not all(a.keys() == b.keys() for a, b in pairwise(states)):
        raise ValueError("neighbouring states have other names")
    total = {
        name: reduce(torch.add, (state[name].detach() for state in states)) for name in states[0]
    }
    return {name: tensor / len(states) for name, tensor in total.items()}


def perplexity(model, batches, pad_id=0):
    """A generator of losses, which runs in evaluation mode."""

    def losses():
        for source_ids, target_ids in batches:
            logs = nn.functional.log_softmax(model(source_ids, target_ids[:, :-1])[0], -1)
            for sentence, tokens in zip(logs, target_ids[:, 1:], strict=True):
                yield from (-sentence[i, t].item() for i, t in enumerate(tokens) if t != pad_id)

    training = model.training
    with torch.no_grad():
        model.eval()
        found = list(losses())
        model.train(training)
    if not found:
        raise ValueError("no tokens")
    return math.exp(math.fsum(found) / len(found))


def bleu_by_hand(hypotheses, references, n=4):
    def grams(tokens, order):
        return Counter(tuple(tokens[i:][:order]) for i in range(len(tokens) - order + 1))

    def precision(order):
        pairs = [
            (grams(h, order), grams(r, order)) for h, r in zip(hypotheses, references, strict=True)
        ]
        total = sum(made.total() for made, _ in pairs)
        return sum((made & wanted).total() for made, wanted in pairs) / total if total else 0

    mean = math.prod(map(precision, range(1, n + 1))) ** (1 / n)
    made, wanted = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * mean * (math.exp(1 - wanted / made) if made < wanted else 1)


def word_weights(weights, target_words, source_words):
    sizes = [(len(target_words), weights.shape[1]), (len(source_words), weights.shape[2])]
    for given, wanted in sizes:
        if given != wanted:
            raise ValueError(f"{given} numbers for {wanted} tokens")
    words = [range(max(numbers) + 1) for numbers in (target_words, source_words)]
    found = np.empty([len(numbers) for numbers in words])
    for t, s in product(*words):
        rows = [i for i, word in enumerate(target_words) if word == t]
        columns = [j for j, word in enumerate(source_words) if word == s]
        found[t, s] = weights[:, rows][:, :, columns].sum() / len(weights) / len(rows)
    return found


def alignment_links(weights, share=0.5):
    def of_target(target):
        row = weights[target]
        order = sorted(range(len(row)), key=lambda source: -row[source])
        enough = takewhile(lambda source: row[source] >= share * row[order[0]], order)
        return {(source, target) for source in enough} if row[order[0]] > 0 else set()

    return set().union(*map(of_target, range(len(weights))))


def plot_alignment(weights, source, target, ax=None):
    """pcolormesh, with its first row at the top."""
    if np.shape(weights) != (len(target), len(source)):
        raise ValueError(f"{np.shape(weights)} against {(len(target), len(source))}")
    if ax is None:
        ax = plt.figure().gca()
    mesh = ax.pcolormesh(np.asarray(weights), vmin=0, vmax=1)
    ax.figure.colorbar(mesh, ax=ax)
    ax.set_xticks(np.arange(len(source)) + 0.5, labels=source)
    ax.set_yticks(np.arange(len(target)) + 0.5, labels=target)
    ax.invert_yaxis()
    ax.set(title="Alignment", xlabel="source word", ylabel="target word")
    return ax


def error_signs(source, hypothesis, reference, counts, rare=5):
    def without(words, others):
        def remove(left, word):
            place = left.index(word) if word in left else len(left)
            return left[:place] + left[place + 1 :]

        return sorted(reduce(remove, others, list(words)))

    return {
        "dropped": without(reference, hypothesis),
        "added": without(hypothesis, reference),
        "repeated": sorted({a for a, b in pairwise(hypothesis) if a == b}),
        "rare": sorted({w for w in source if w not in counts or not counts[w] >= rare}),
    }


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    checks = (temperature > 0, top_k is None or top_k > 0, top_p is None or 0 < top_p <= 1)
    if not all(checks):
        raise ValueError(f"{temperature}, {top_k}, {top_p}: {checks}")

    def of_row(logs):
        shares = (logs / temperature).softmax(0)
        values, tokens = shares.sort(descending=True)
        values, tokens = values[:top_k], tokens[:top_k]
        values = values / values.sum()
        if top_p is not None:
            sums = list(accumulate(values.tolist()))
            count = 1 + sum(1 for _ in takewhile(lambda total: total < top_p, sums))
            values, tokens = values[:count], tokens[:count]
        return torch.zeros_like(shares).index_put((tokens,), values / values.sum())

    return torch.stack(list(map(of_row, log_probabilities)))


def cached_layer(layer, x, cache, mask, source_mask):
    """The old keys and the new ones, as a fold over the sub-layers."""
    own, kept = layer.self_attention, []

    def remember(y):
        split = partial(split_heads, n_heads=own.n_heads)
        kept.append(torch.cat([cache.keys, split(own.w_k(y))], -2))
        kept.append(torch.cat([cache.values, split(own.w_v(y))], -2))
        return attend(own, y, kept[0], kept[1], mask)

    look = partial(
        attend,
        layer.cross_attention,
        keys=cache.source_keys,
        values=cache.source_values,
        mask=source_mask,
    )
    stages = (
        (layer.self_attention_residual, remember),
        (layer.cross_attention_residual, look),
        (layer.feed_forward_residual, layer.feed_forward),
    )
    x = reduce(lambda x, stage: stage[0].leave(x, stage[1](stage[0].enter(x))), stages, x)
    return x, LayerCache(*kept, cache.source_keys, cache.source_values)
