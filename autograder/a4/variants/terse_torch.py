"""Style: as few lines as torch allows: in-place products, walrus, rolled copies, Counters."""

import math
from collections import Counter
from itertools import groupby
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn


def causal_mask(n, device=None):
    return torch.tril(torch.full((1, 1, n, n), True, device=device))


def target_mask(token_ids, pad_id=0):
    return (token_ids[:, None, None] != pad_id) * causal_mask(token_ids.shape[1], token_ids.device)


def shift_targets(target_ids):
    return target_ids[:, :-1].clone(), target_ids.roll(-1, dims=1)[:, :-1]


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
    pad_id = getattr(model, "pad_id", 0) if pad_id is None else pad_id
    optimizer.zero_grad(set_to_none=True)
    (read, wanted), rate = shift_targets(target_ids), schedule_rate(optimizer)
    logits = model.train()(source_ids, read)[0]
    backward(loss := label_smoothed_loss(logits, wanted, label_smoothing, pad_id))
    norm, real = clip(model.parameters(), max_norm), wanted != pad_id
    optimizer.step(), schedule.step(), optimizer.zero_grad()
    hits = (logits.argmax(-1) == wanted)[real].float()
    values = (float(loss), float(norm), rate, hits.mean().nan_to_num(0).item())
    return dict(zip(("loss", "gradient_norm", "learning_rate", "accuracy"), values, strict=True))


def schedule_rate(optimizer):
    return float(next(iter(optimizer.param_groups))["lr"])


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


def plot_alignment(weights, source, target, ax=None):
    if weights.shape != (len(target), len(source)):
        raise ValueError(f"{weights.shape}, not {(len(target), len(source))}")
    ax = plt.subplots()[1] if ax is None else ax
    plt.colorbar(ax.imshow(np.asarray(weights), clim=(0, 1), aspect="auto"), ax=ax)
    ax.set(title="alignment", xlabel="source", ylabel="target")
    ax.set_xticks(np.arange(len(source)), source), ax.set_yticks(np.arange(len(target)), target)
    return ax


def error_signs(source, hypothesis, reference, counts, rare=5):
    extra = Counter(hypothesis)
    extra.subtract(reference)
    return {
        "dropped": sorted((-extra).elements()),
        "added": sorted((+extra).elements()),
        "repeated": sorted({word for word, run in groupby(hypothesis) if len(list(run)) > 1}),
        "rare": sorted(filter(lambda word: counts.get(word, -1) < rare, set(source))),
    }


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


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    k, p = log_probabilities.shape[1] if top_k is None else top_k, 1.0 if top_p is None else top_p
    if temperature <= 0 or k < 1 or not 0 < p <= 1:
        raise ValueError(f"temperature = {temperature}, top_k = {top_k}, top_p = {top_p}")
    shares, order = (log_probabilities / temperature).softmax(-1).sort(-1, descending=True)
    shares[:, k:] = 0
    shares /= shares.sum(-1, keepdim=True)
    if top_p is not None:
        shares *= nn.functional.pad(shares.cumsum(-1)[:, :-1], (1, 0)) < p
        shares /= shares.sum(-1, keepdim=True)
    return shares.gather(1, order.argsort(-1))
