"""Style: a beginner's loops and prints, except over the tokens of `attention`."""

import numpy as np


def softmax(x, axis=-1):
    print("softmax of", x.shape)
    x = x.astype(float)
    biggest = np.max(x, axis)
    biggest = np.expand_dims(biggest, axis)
    top = np.exp(x - biggest)
    bottom = np.sum(top, axis)
    bottom = np.expand_dims(bottom, axis)
    return top / bottom


def project_qkv(x, w_q, w_k, w_v):
    if x.ndim > 2:
        parts = [project_qkv(one, w_q, w_k, w_v) for one in x]
        return tuple(np.array([part[i] for part in parts]) for i in range(3))
    rows = []
    for w in (w_q, w_k, w_v):
        result = np.zeros((x.shape[0], w.shape[1]))
        for i in range(x.shape[0]):
            for j in range(w.shape[1]):
                result[i, j] = sum(x[i, m] * w[m, j] for m in range(w.shape[0]))
        rows.append(result)
    return rows[0], rows[1], rows[2]


def attention(query, key, value, mask=None):
    """Loops over the batch, whose size does not grow with the sequence length."""
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("query " + str(query.shape) + " does not fit key " + str(key.shape))
    if key.shape[-2] != value.shape[-2]:
        raise ValueError("key " + str(key.shape) + " does not fit value " + str(value.shape))
    if query.ndim > 2:
        if mask is not None:
            mask = np.broadcast_to(mask, query.shape[:-1] + (key.shape[-2],))
        outputs, all_weights = [], []
        for i in range(query.shape[0]):
            one_mask = None if mask is None else mask[i]
            output, weights = attention(query[i], key[i], value[i], one_mask)
            outputs.append(output)
            all_weights.append(weights)
        return np.array(outputs), np.array(all_weights)
    scores = np.dot(query, key.T) / np.sqrt(key.shape[1])
    if mask is not None:
        mask = np.broadcast_to(mask, scores.shape)
        scores = scores.copy()
        scores[mask == False] = -1e30  # noqa: E712
    weights = softmax(scores, axis=1)
    if mask is not None:
        weights[mask == False] = 0  # noqa: E712
    return np.dot(weights, value), weights


def score_statistics(d_k_values, n_samples, rng):
    raw_variances = []
    scaled_variances = []
    biggest = []
    for d_k in d_k_values:
        raw = []
        for _ in range(n_samples):
            q = rng.normal(0, 1, d_k)
            keys = rng.normal(0, 1, (32, d_k))
            raw.append(keys.dot(q))
        raw = np.array(raw)
        scaled = raw / d_k**0.5
        raw_variances.append(np.mean(raw**2) - np.mean(raw) ** 2)
        scaled_variances.append(np.std(scaled) ** 2)
        columns = []
        for scores in [raw, scaled]:
            e = np.exp(scores - scores.max(axis=1).reshape(-1, 1))
            columns.append(np.mean(e.max(axis=1) / e.sum(axis=1)))
        biggest.append(columns)
    return raw_variances, scaled_variances, biggest


def equivariance_gap(function, x, permutation):
    permuted = np.zeros_like(x)
    for i in range(len(permutation)):
        permuted[i] = x[permutation[i]]
    a = function(permuted)
    b = function(x)
    gap = 0.0
    for i in range(len(permutation)):
        for j in range(a.shape[1]):
            gap = max(gap, abs(a[i, j] - b[permutation[i], j]))
    return gap


def attention_backward(grad_output, query, key, value, mask=None):
    """Row by row, with the softmax's whole Jacobian."""
    if query.ndim > 2:
        if mask is not None:
            mask = np.broadcast_to(mask, query.shape[:-1] + (key.shape[-2],))
        results = [
            attention_backward(
                grad_output[i], query[i], key[i], value[i], None if mask is None else mask[i]
            )
            for i in range(query.shape[0])
        ]
        return tuple(np.array([result[part] for result in results]) for part in range(3))
    d_k = query.shape[1]
    weights = attention(query, key, value, mask)[1]
    grad_query, grad_key = np.zeros(query.shape), np.zeros(key.shape)
    grad_value = np.zeros(value.shape)
    for i in range(query.shape[0]):
        w = weights[i]
        jacobian = np.diag(w) - np.outer(w, w)
        grad_scores = jacobian.dot(value.dot(grad_output[i]))
        grad_query[i] = grad_scores.dot(key) / np.sqrt(d_k)
        grad_key += np.outer(grad_scores, query[i]) / np.sqrt(d_k)
        grad_value += np.outer(w, grad_output[i])
    return grad_query, grad_key, grad_value
