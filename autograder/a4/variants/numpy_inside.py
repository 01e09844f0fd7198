"""Style: NumPy for everything that needs no gradient."""

import numpy as np
import torch


def causal_mask(n, device=None):
    return torch.from_numpy(np.tri(n, dtype=bool)[None, None]).to(device or "cpu")


def target_mask(token_ids, pad_id=0):
    ids = token_ids.cpu().numpy()
    allowed = np.logical_and.outer(np.ones(len(ids), bool), np.tri(ids.shape[1], dtype=bool))
    allowed = allowed & (ids != pad_id)[:, np.newaxis, :]
    return torch.as_tensor(allowed[:, np.newaxis], device=token_ids.device)


def length_penalty_factor(length, alpha):
    return float(np.exp(alpha * np.log1p((length - 1) / 6)))


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
    """Rows are open prefixes of any sentence; `owner` maps each to its sentence."""
    if n_best < 1 or width < n_best or length_penalty < 0:
        raise ValueError("give 1 ≤ n_best ≤ width and length_penalty ≥ 0")
    owner, totals = np.arange(n_sentences), np.zeros(n_sentences)
    text = np.full((n_sentences, 1), start)
    ended = [[] for _ in range(n_sentences)]
    cut = [[] for _ in range(n_sentences)]
    for length in range(max_length):
        if owner.size == 0:
            break
        logs, state = step(torch.as_tensor(text, device=device), state)
        table = totals[:, None] + logs.double().cpu().numpy()
        chosen = []
        for sentence in np.unique(owner):
            own = np.flatnonzero(owner == sentence)
            flat = table[own].ravel()
            ranking = np.argsort(-flat, kind="stable")
            ranking = ranking[flat[ranking] > -np.inf]
            tokens = ranking % table.shape[1]
            for place in ranking[:width][tokens[:width] == end]:
                score = flat[place] / length_penalty_factor(length, length_penalty)
                words = text[own[place // table.shape[1]], 1:].tolist()
                ended[sentence].append(Hypothesis(words, float(score), True))
            going = ranking[tokens != end][:width]
            if going.size == 0 or len(ended[sentence]) >= width:
                continue
            reached = np.sort([h.score for h in ended[sentence]])[::-1]
            bound = flat[going[0]] / length_penalty_factor(max_length - 1, length_penalty)
            if reached.size >= n_best and reached[n_best - 1] >= bound:
                continue
            rows, words = np.divmod(going, table.shape[1])
            chosen += zip(own[rows], words, flat[going], strict=True)
        parents = np.array([row for row, _, _ in chosen], dtype=np.int64)
        words = np.array([word for _, word, _ in chosen], dtype=np.int64)
        totals = np.array([total for _, _, total in chosen])
        owner, text = owner[parents], np.column_stack([text[parents], words])
        if owner.size:
            state = reorder(state, torch.as_tensor(parents, device=device))
    for sentence, row, total in zip(owner, text, totals, strict=True):
        score = total / length_penalty_factor(text.shape[1] - 1, length_penalty)
        cut[sentence].append(Hypothesis(row[1:].tolist(), float(score), False))
    return [
        (sorted(done, key=lambda h: -h.score) + rest)[:n_best]
        for done, rest in zip(ended, cut, strict=True)
    ]


def alignment_links(weights, share=0.5):
    weights = np.asarray(weights)
    floor = np.amax(weights, axis=1) * share
    pairs = np.transpose(np.where((weights >= floor[:, None]) & (floor[:, None] > 0)))
    return {tuple(pair) for pair in pairs[:, ::-1].tolist()}


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
