"""Style: the batch keeps its size; what has ended is crossed out; a draw by Gumbel noise."""

import math

import torch


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
    """A beam is a column of a table; candidates are crossed out with −∞, never removed."""
    if not (1 <= n_best <= width and length_penalty >= 0):
        raise ValueError(f"n_best {n_best}, width {width}, length_penalty {length_penalty}")
    everyone = range(n_sentences)
    finished = [[] for _ in everyone]
    cut = [[] for _ in everyone]
    running = [True] * n_sentences
    scores = torch.zeros(n_sentences, 1, device=device)
    texts = torch.full((n_sentences, 1), start, device=device)
    for length in range(max_length):
        logs, state = step(texts, state)
        n_beams, vocab_size = scores.shape[1], logs.shape[1]
        sums = (scores.reshape(-1, 1) + logs).reshape(n_sentences, n_beams * vocab_size)
        lowest = sums.topk(min(width, sums.shape[1]), dim=1).values[:, -1]
        endings = sums.view(n_sentences, n_beams, vocab_size)[:, :, end]
        for number in everyone:
            if running[number]:
                for beam in endings[number].argsort(descending=True).tolist():
                    total = float(endings[number, beam])
                    room = (sums[number] > total).sum() < width
                    if total > -math.inf and total >= lowest[number] and room:
                        tokens = texts[number * n_beams + beam, 1:].tolist()
                        score = total / length_penalty_factor(length, length_penalty)
                        finished[number].append(Hypothesis(tokens, score, True))
        going = sums.view(n_sentences, n_beams, vocab_size).clone()
        going[:, :, end] = -math.inf
        scores, places = going.flatten(1).topk(min(width, n_beams * vocab_size), dim=1)
        beams = torch.div(places, vocab_size, rounding_mode="trunc")
        rows = (beams + n_beams * torch.arange(n_sentences, device=device)[:, None]).flatten()
        texts = torch.cat([texts[rows], (places % vocab_size).reshape(-1, 1)], dim=1)
        for number in everyone:
            found = sorted((h.score for h in finished[number]), reverse=True)
            best = float(scores[number, 0])
            promise = best / length_penalty_factor(max_length - 1, length_penalty)
            if (
                len(found) >= width
                or best == -math.inf
                or len(found) >= n_best
                and found[n_best - 1] >= promise
            ):
                running[number] = False
        if not any(running):
            break
        state = reorder(state, rows)
    for number in everyone:
        if running[number]:
            factor = length_penalty_factor(texts.shape[1] - 1, length_penalty)
            own = range(number * scores.shape[1], (number + 1) * scores.shape[1])
            for row, total in zip(own, scores[number].tolist(), strict=True):
                if total > -math.inf:
                    cut[number].append(Hypothesis(texts[row, 1:].tolist(), total / factor, False))
    return [
        (sorted(finished[number], key=lambda h: -h.score) + cut[number])[:n_best]
        for number in everyone
    ]
