"""Style: double precision or fractions inside, single outside, in the dtype of the input."""

import numpy as np
import torch
from torch import nn


def label_smoothed_loss(logits, targets, smoothing=0.1, pad_id=0):
    """Entropies of two distributions, mixed."""
    precise = logits.double()
    logs = precise - torch.logsumexp(precise, dim=-1, keepdim=True)
    real = (targets != pad_id).double()
    chosen = torch.gather(logs, -1, targets.unsqueeze(-1)).squeeze(-1)
    even = logs.mean(dim=-1)
    loss = -((1.0 - smoothing) * (chosen * real).sum() + smoothing * (even * real).sum())
    return (loss / real.sum().clamp(min=1.0)).to(logits.dtype)


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
    """A while loop; rows that have ended leave all tensors at once."""
    number = torch.arange(n_rows, device=device)
    written = torch.full((n_rows, 1), start, dtype=torch.int64, device=device)
    sums = torch.zeros(n_rows, dtype=torch.float64, device=device)
    result = [None] * n_rows
    while len(number) and written.shape[1] <= max_length:
        logs, state = step(written, state)
        tokens = choose(logs)
        sums = sums + torch.gather(logs.double(), 1, tokens.view(-1, 1)).view(-1)
        for row in range(len(number)):
            if tokens[row] == end:
                sentence = written[row].tolist()[1:]
                result[number[row]] = Hypothesis(sentence, sums[row].item(), True)
        written = torch.hstack([written, tokens.view(-1, 1)])
        going = tokens != end
        if not going.all():
            number, written, sums = number[going], written[going], sums[going]
            if going.any():
                state = reorder(state, torch.where(going)[0])
    for row in range(len(number)):
        result[number[row]] = Hypothesis(written[row].tolist()[1:], sums[row].item(), False)
    return result


def word_weights(weights, target_words, source_words):
    """Through torch: index_add over rows, then over columns."""
    table = torch.from_numpy(np.asarray(weights, dtype=np.float64)).mean(0)
    if table.shape != (len(target_words), len(source_words)):
        raise ValueError(f"{tuple(table.shape)}: {len(target_words)} × {len(source_words)} tokens")
    target, source = torch.tensor(target_words), torch.tensor(source_words)
    # tokens of no word are collected in a last row and column, which are cut off
    target = torch.where(target < 0, target.max() + 1, target)
    source = torch.where(source < 0, source.max() + 1, source)
    rows = torch.zeros(int(max(target_words)) + 2, table.shape[1], dtype=torch.float64)
    rows.index_add_(0, target, table)
    both = torch.zeros(len(rows), int(max(source_words)) + 2, dtype=torch.float64)
    both.index_add_(1, source, rows)
    tokens = torch.bincount(target, minlength=len(rows)).clamp(min=1)
    return (both / tokens[:, None])[:-1, :-1].numpy()


def sampling_distribution(log_probabilities, temperature=1.0, top_k=None, top_p=None):
    """Tokens are dropped from the unlikely end, as long as the rest suffices."""
    if temperature <= 0:
        raise ValueError("a temperature must be greater than 0")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be 1 or greater")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p must be greater than 0 and at most 1")
    shares = nn.functional.softmax(log_probabilities.double() / temperature, dim=-1)
    for row in shares:
        order = row.argsort()  # the least likely first
        if top_k is not None and top_k < len(order):
            row[order[: len(order) - top_k]] = 0.0
        row /= row.sum()
        if top_p is not None:
            rest = 1.0
            for token in order[:-1].tolist():
                if rest - row[token] < top_p - 1e-9:
                    break
                rest -= float(row[token])
                row[token] = 0.0
            row /= row.sum()
    return shares.float()
