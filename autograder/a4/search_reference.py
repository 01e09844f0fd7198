"""Reference searches by definition, in plain lists, and the results of mistakes.

The options make mistakes on purpose.
"""

import itertools
import math

from autograder.a4.searching import END, START, Found


def factor(length, alpha):
    return ((5 + length) / 6) ** alpha


def by_factor(score, length, alpha):
    return score / factor(length, alpha)


def greedy(
    model,
    sentence,
    max_length,
    *,
    start=START,
    end=END,
    pick=None,
    goes_on=False,
    endless=False,
    kept_end=False,
    kept_start=False,
    free_end=False,
):
    """The greedy hypothesis of a sentence.

    `goes_on`: its score counts tokens after the end; `endless`: they are kept as well.
    """
    prefix, score, length = [start], 0.0, None
    for _ in range(max_length):
        row = model.following(sentence, prefix)
        token = int(row.argmax()) if pick is None else pick(row)
        if not (free_end and token == end):
            score += float(row[token])
        if token == end and length is None:
            length = len(prefix)
        if token == end and not goes_on and not endless:
            break
        prefix = [*prefix, token]
    if endless:
        return Found(prefix[1:], score, False)
    tokens = prefix[1:length] + ([end] if kept_end and length else [])
    return Found([start, *tokens] if kept_start else tokens, score, length is not None)


def beam(
    model,
    sentence,
    *,
    width,
    alpha,
    max_length,
    n_best=1,
    start=START,
    end=END,
    normalized=by_factor,
    running=False,
    extended=False,
    all_ends=False,
    ends_take_places=False,
    first_only=False,
    never_done=False,
    stop_at=None,
    kept_end=False,
    ranking=None,
    own_best=False,
    copies=False,
    added=True,
    reach_of_all=None,
    gaps=None,
):
    """The `n_best` hypotheses of a beam, without stopping early.

    `gaps` collects the score margins of all choices. `normalized` makes the score of a
    finished hypothesis; `running` divides the running scores as well. `reach_of_all`: only so many
    candidates are looked at. `stop_at` bounds what a prefix can still score, and ends the search.
    """
    beams, ended = [([start], 0.0)] * (width if copies else 1), []
    for length in range(max_length):
        every = []
        for prefix, score in beams:
            row = model.following(sentence, prefix).tolist()
            own = [(score + p if added else p, prefix, t) for t, p in enumerate(row)]
            own.sort(key=lambda c: -c[0])
            every += own[: max(1, width // len(beams))] if own_best else own
        every = [candidate for candidate in every if candidate[0] > -math.inf]
        every.sort(key=lambda c: -c[0])
        every = every[:reach_of_all]
        others = [candidate for candidate in every if candidate[2] != end]
        if gaps is not None:
            gaps += [
                some[width - 1][0] - some[width][0] for some in (every, others) if some[width:]
            ]
        reach = 2 * width if all_ends else width
        for total, prefix, token in every[:reach]:
            if token == end:
                score = normalized(total, length, alpha)
                ended.append(Found(prefix[1:] + [end] * kept_end, score, True))
        if extended:
            others = every
        if ends_take_places:
            others = [candidate for candidate in every[:width] if candidate[2] != end]
        divisor = factor(length + 1, alpha) if running else 1.0
        beams = [([*prefix, t], score / divisor) for score, prefix, t in others[:width]]
        if stop_at and beams:
            bound = stop_at(beams[0][1], length + 1, alpha)
            if sum(h.score >= bound for h in ended) >= n_best:
                beams = []
        if not beams or (first_only and ended) or (len(ended) >= width and not never_done):
            beams = []
            break
    cut = [Found(p[1:], by_factor(s, len(p) - 1, alpha), False) for p, s in beams]
    if ranking:
        return ranking(ended + cut)[:n_best]
    found = sorted(ended, key=lambda h: -h.score)
    if gaps is not None and found[n_best:]:
        gaps.append(found[n_best - 1].score - found[n_best].score)
    return (found + cut)[:n_best]


def exhaustive(model, sentence, max_length, alpha):
    """Every finished hypothesis, best first, then every one that is cut off."""
    vocab_size = model.table.shape[1]
    ended, cut = [], []
    others = [token for token in range(vocab_size) if token != END]
    for length in range(max_length + 1):
        for tokens in itertools.product(others, repeat=length):
            written, score = [*tokens, END][:max_length], 0.0
            for n, token in enumerate(written):
                score += float(model.following(sentence, [START, *tokens[:n]])[token])
            kind = ended if length < max_length else cut
            kind.append(Found(list(tokens), by_factor(score, length, alpha), length < max_length))
    return [h for kind in (ended, cut) for h in sorted(kind, key=lambda h: -h.score)]
