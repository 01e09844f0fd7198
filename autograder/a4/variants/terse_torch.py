"""Style: as few lines as torch allows: in-place products, walrus, rolled copies, Counters."""

import math
from collections import Counter
from time import perf_counter

import torch


def target_mask(token_ids, pad_id=0):
    return (token_ids[:, None, None] != pad_id) * causal_mask(token_ids.shape[1], token_ids.device)


def shift_targets(target_ids):
    return target_ids[:, :-1].clone(), target_ids.roll(-1, dims=1)[:, :-1]


def bleu_by_hand(hypotheses, references, n=4):
    def grams(sentences, order):
        return Counter(
            (number, *gram)
            for number, tokens in enumerate(sentences)
            for gram in zip(*(tokens[i:] for i in range(order)), strict=False)
        )

    product = 1.0
    for order in range(1, n + 1):
        made, wanted = grams(hypotheses, order), grams(references, order)
        product *= sum((made & wanted).values()) / max(1, sum(made.values()))
    lengths = [sum(map(len, sentences)) for sentences in (references, hypotheses)]
    ratio = lengths[0] / max(lengths[1], 1)
    return 100 * product ** (1 / n) * math.exp(min(0, 1 - ratio))


def cached_step(model):
    @torch.no_grad()
    def step(prefixes, cache):
        new = prefixes.shape[1] - cache.layers[0].keys.shape[2]
        if new <= 0:
            raise ValueError(f"{prefixes.shape[1]} tokens are all in the cache")
        x, layers = model.embedding(prefixes)[:, -new:], []
        mask = target_mask(prefixes, model.pad_id)[..., -new:, :]
        for layer, own in zip(model.decoder.layers, cache.layers, strict=True):
            x, own = cached_layer(layer, x, own, mask, cache.source_mask)
            layers += [own]
        logs = model.logits(model.decoder.norm(x)).log_softmax(-1)
        return logs[:, -1], Cache(layers, cache.source_mask)

    return step


def width_study(translate, references, widths, length_penalties, samples=1000):
    if not set(widths).isdisjoint([1]):
        raise ValueError("leave width 1 out")
    rows, greedy = [], None
    for w, a in [(1, 0.0), *((w, a) for w in widths for a in length_penalties)]:
        start, made = perf_counter(), translate(w, a)
        speed = len(made) / (perf_counter() - start)
        greedy = made if greedy is None else greedy
        bleu, _, difference, (low, high), *_ = paired_bootstrap(made, greedy, references, samples)
        rows.append(
            {
                "width": w,
                "length_penalty": a,
                "bleu": bleu,
                "difference": difference,
                "low": low,
                "high": high,
                "sentences_per_second": speed,
            }
        )
    return rows
