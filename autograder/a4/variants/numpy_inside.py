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
    """A matrix of −1 that is filled column by column."""
    text = np.full((n_rows, max_length + 1), -1)
    text[:, 0] = start
    scores, finished = np.zeros(n_rows), np.zeros(n_rows, dtype=bool)
    for n in range(1, max_length + 1):
        rows = np.flatnonzero(~finished)
        if rows.size == 0:
            break
        logs, state = step(torch.as_tensor(text[rows, :n], device=device), state)
        tokens = np.asarray(choose(logs).cpu())
        scores[rows] += logs.cpu().numpy()[np.arange(rows.size), tokens]
        text[rows, n] = np.where(tokens == end, -1, tokens)
        finished[rows] = tokens == end
        left = np.flatnonzero(tokens != end)
        if 0 < left.size < rows.size:
            state = reorder(state, torch.as_tensor(left, device=device))
    return [
        Hypothesis(row[1:][row[1:] >= 0].tolist(), float(score), bool(done))
        for row, score, done in zip(text, scores, finished, strict=True)
    ]


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


def averaged(states):
    if len(states) == 0:
        raise ValueError("an empty list of states")
    names = sorted(states[0])
    for state in states:
        if sorted(state) != names:
            raise ValueError(f"a state has {sorted(state)}, another one {names}")
    return {
        name: torch.as_tensor(np.mean([state[name].detach().numpy() for state in states], axis=0))
        for name in names
    }


def perplexity(model, batches, pad_id=None):
    if pad_id is None:
        pad_id = model.pad_id if hasattr(model, "pad_id") else 0
    training, losses = model.training, [np.empty(0)]
    model.eval()
    for source_ids, target_ids in batches:
        with torch.no_grad():
            logits = model(source_ids, target_ids[:, :-1])[0].double().numpy()
        top = logits.max(-1, keepdims=True)
        logs = logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))
        wanted = target_ids[:, 1:].numpy()
        picked = np.take_along_axis(logs, wanted[:, :, None], axis=2)[:, :, 0]
        losses.append(-picked[wanted != pad_id])
    model.train(training)
    every = np.concatenate(losses)
    if every.size == 0:
        raise ValueError("no token at all")
    return float(np.exp(every.mean()))


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


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    if temperature <= 0 or (top_k or 1) < 1 or top_k == 0:
        raise ValueError("temperature above 0 and top_k of 1 or more")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("0 < top_p ≤ 1")
    logs = log_probabilities.double().numpy() / temperature
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    order = np.argsort(-shares, axis=1, kind="stable")
    place = np.argsort(order, axis=1)
    if top_k is not None:
        shares = np.where(place < top_k, shares, 0.0)
    shares = shares / shares.sum(axis=1, keepdims=True)
    if top_p is not None:
        ranked = np.take_along_axis(shares, order, axis=1)
        before = np.concatenate([np.zeros((len(shares), 1)), ranked.cumsum(1)[:, :-1]], axis=1)
        keep = np.take_along_axis(before < top_p, place, axis=1)
        shares = shares * keep / (shares * keep).sum(axis=1, keepdims=True)
    return torch.from_numpy(shares.astype(np.float32))
