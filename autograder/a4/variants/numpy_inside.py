"""Style: NumPy for everything that needs no gradient."""

import numpy as np
import torch


def causal_mask(n, device=None):
    return torch.from_numpy(np.tri(n, dtype=bool)[None, None]).to(device or "cpu")


def continuations(scores, log_probabilities, n):
    logs = log_probabilities.numpy()
    n_sentences, n_beams = scores.shape
    sums = scores.numpy().reshape(-1, 1) + logs
    sums = sums.reshape(n_sentences, -1)
    order = np.argsort(-sums, axis=1, kind="stable")[:, :n]
    rows, tokens = np.divmod(order, logs.shape[1])
    rows = rows + n_beams * np.arange(n_sentences).reshape(-1, 1)
    totals = np.take_along_axis(sums, order, 1)
    return torch.from_numpy(totals), torch.from_numpy(rows), torch.from_numpy(tokens)


def split_candidates(totals, tokens, width, end=3):
    values, is_end = totals.numpy().copy(), tokens.numpy() == end
    finished = is_end & np.isfinite(values)
    finished[:, width:] = False
    values[is_end] = -np.inf
    places = np.argsort(-values, axis=1, kind="stable")[:, :width]
    scores = np.take_along_axis(values, places, 1)
    return torch.from_numpy(scores), torch.from_numpy(places), torch.from_numpy(finished)


def is_final(found, bound, width, n_best):
    scores = np.sort(np.array([h.score for h in found]))[::-1]
    safe = scores.size >= n_best and scores[n_best - 1] >= bound
    return bool(np.isneginf(bound) or scores.size >= width or safe)


def error_signs(source, hypothesis, reference, counts, rare=5):
    words, places = np.unique([*hypothesis, *reference], return_inverse=True)
    sign = np.repeat([1, -1], [len(hypothesis), len(reference)])
    extra = np.bincount(places, weights=sign, minlength=len(words)).astype(int)
    array = np.array(hypothesis, dtype=object)
    same = [str(word) for word in array[1:][array[1:] == array[:-1]]]
    return {
        "added": np.repeat(words, np.maximum(extra, 0)).tolist(),
        "dropped": np.repeat(words, np.maximum(-extra, 0)).tolist(),
        "repeated": sorted(set(same)),
        "rare": sorted({word for word in source if not counts.get(word, 0) >= rare}),
    }
