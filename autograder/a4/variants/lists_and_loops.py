"""Style: plain lists and Python numbers; a draw by the inverse of the distribution."""

import math

import torch


def continuations(scores, log_probabilities, n):
    """A list of triples for each sentence, sorted."""
    all_scores, all_rows, all_tokens = [], [], []
    row = 0
    for own in scores.tolist():
        triples = []
        for score in own:
            for token, log in enumerate(log_probabilities[row].tolist()):
                triples.append((score + log, row, token))
            row += 1
        triples.sort(key=lambda triple: triple[0], reverse=True)
        kept = triples[:n]
        all_scores.append([triple[0] for triple in kept])
        all_rows.append([triple[1] for triple in kept])
        all_tokens.append([triple[2] for triple in kept])
    return torch.tensor(all_scores), torch.tensor(all_rows), torch.tensor(all_tokens)


def split_candidates(totals, tokens, width, end=3):
    """A list of ranks for each sentence."""
    all_scores, all_places, all_finished = [], [], []
    for own, following in zip(totals.tolist(), tokens.tolist(), strict=True):
        ranks = range(len(own))
        finished = [r < width and following[r] == end and own[r] > -math.inf for r in ranks]
        going = [r for r in ranks if following[r] != end]
        going += [r for r in ranks if following[r] == end]
        kept = going[:width]
        all_scores.append([-math.inf if following[r] == end else own[r] for r in kept])
        all_places.append(kept)
        all_finished.append(finished)
    return torch.tensor(all_scores), torch.tensor(all_places), torch.tensor(all_finished)


def sample(
    step,
    state,
    n_rows,
    max_length,
    temperature=1.0,
    top_k=None,
    top_p=None,
    generator=None,
    start=2,
    end=3,
    device="cpu",
):
    """A number between 0 and 1 for each row, and the token at which the shares reach it."""

    def pick(log_probabilities):
        shares = sampling_distribution(log_probabilities, temperature, top_k, top_p)
        drawn = torch.rand(len(shares), 1, generator=generator, device=shares.device)
        reached = shares.double().cumsum(1)
        tokens = (reached <= drawn * reached[:, -1:]).sum(1)
        last = (shares > 0).long().cumsum(1).argmax(1)
        return torch.minimum(tokens, last)

    return greedy(step, state, n_rows, max_length, start=start, end=end, choose=pick, device=device)
