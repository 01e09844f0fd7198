"""Search: greedy search and beam search (§6.1).

A search accesses the model only through one function:

    log_probabilities, state = step(prefixes, state)

`prefixes` (rows, n) are the tokens so far, beginning with the start token; `log_probabilities`
(rows, vocab_size) are those of the next token, in nats. `state` is what the model keeps for each
row, such as the encoder's output, or None; `state.reorder(rows)` is the state whose row i is the
old row `rows[i]`, so that rows can be dropped, swapped and duplicated.

Paper statements R1, R63, R64, R65, R67, R68 (lectures/paper_audit.md).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..fast.top_k import best

State = Any
Step = Callable[[Tensor, State], tuple[Tensor, State]]


@dataclass(frozen=True)
class Hypothesis:
    """One sentence found by a search: its tokens without start and end, and its score.

    `finished` is False when the search reached `max_length` before the end token.
    """

    tokens: list[int]
    score: float
    finished: bool


def reorder(state: State, rows: Int[Tensor, "rows"]) -> State:
    """`state.reorder(rows)`, or None of None."""
    return None if state is None else state.reorder(rows)


def most_likely(log_probabilities: Float[Tensor, "rows vocab_size"]) -> Int[Tensor, "rows"]:
    """The most likely token of each row."""
    return log_probabilities.argmax(dim=-1)


def greedy(
    step: Step,
    state: State,
    n_rows: int,
    max_length: int,
    start: int = 2,
    end: int = 3,
    choose: Callable[[Tensor], Tensor] = most_likely,
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """Take the most likely token at each step; returns one hypothesis per row.

    The score is the total log probability, end token included. Rows that have ended are dropped;
    all end after `max_length` steps. `choose` may pick tokens in another way.
    """
    prefixes = torch.full((n_rows, 1), start, device=device)
    scores = torch.zeros(n_rows, device=device)
    rows = torch.arange(n_rows, device=device)  # the sentence of each remaining row
    found: dict[int, Hypothesis] = {}
    for _ in range(max_length):
        log_probabilities, state = step(prefixes, state)
        # §3 — "auto-regressive", "consuming the previously generated symbols as additional input"
        tokens = choose(log_probabilities)
        scores = scores + log_probabilities.gather(1, tokens[:, None])[:, 0]
        ended = tokens == end
        for i in ended.nonzero()[:, 0].tolist():
            found[int(rows[i])] = Hypothesis(prefixes[i, 1:].tolist(), float(scores[i]), True)
        prefixes = torch.cat([prefixes, tokens[:, None]], dim=1)
        if ended.any():
            left = (~ended).nonzero()[:, 0]
            prefixes, scores, rows = prefixes[left], scores[left], rows[left]
            if len(left) == 0:
                break
            state = reorder(state, left)
    for row, tokens, score in zip(rows, prefixes, scores, strict=True):
        found[int(row)] = Hypothesis(tokens[1:].tolist(), float(score), False)
    return [found[row] for row in range(n_rows)]


def length_penalty_factor(length: int, alpha: float) -> float:
    """`((5 + |Y|) / 6)^α`, by which a log probability is divided (Wu et al. 2016, Eq. 14).

    Every token makes a sentence less likely, so the most likely sentences are too short. Dividing
    by a factor that grows with the length compensates for it; α = 0 turns that off.
    """
    # §6.1 — "beam search with a beam size of 4 and length penalty α = 0.6"
    return ((5 + length) / 6) ** alpha


def continuations(
    scores: Float[Tensor, "sentences beams"],
    log_probabilities: Float[Tensor, "rows vocab_size"],
    n: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """`(totals, rows, tokens)`: the n best continuations of each sentence, the best first.

    The beams of a sentence are adjacent rows. A continuation's total is its beam's score plus the
    token's log probability. With fewer than n continuations, all are returned.
    """
    n_sentences, n_beams = scores.shape
    vocab_size = log_probabilities.shape[1]
    sums = scores[:, :, None] + log_probabilities.view(n_sentences, n_beams, vocab_size)
    totals, indices = best(sums.flatten(1), n)
    first_rows = torch.arange(0, n_sentences * n_beams, n_beams, device=scores.device)[:, None]
    return totals, first_rows + indices // vocab_size, indices % vocab_size


def split_candidates(
    totals: Float[Tensor, "sentences n"],
    tokens: Int[Tensor, "sentences n"],
    width: int,
    end: int = 3,
) -> tuple[Tensor, Tensor, Tensor]:
    """`(scores, places, finished)`: which candidates continue, and which finish a hypothesis.

    The candidates of each sentence come best first, as from `continuations`. `finished` (sentences,
    n) is True at end tokens among the `width` best whose probability is above zero. `scores` and
    `places` (sentences, width) are those of the `width` best of all candidates that are no end
    token, the best first; `places` are indices among the n candidates. A score is −∞ where there
    are fewer.
    """
    ends = tokens == end
    among_best = torch.arange(tokens.shape[1], device=tokens.device) < width
    finished = ends & among_best & (totals > -math.inf)
    scores, places = best(totals.masked_fill(ends, -math.inf), width)
    return scores, places, finished


def is_final(found: list[Hypothesis], bound: float, width: int, n_best: int) -> bool:
    """Whether the list of a sentence cannot change any more, so that its search may stop.

    `found` are its finished hypotheses, in any order. `bound` is the most that a prefix in its beam
    can still score, −∞ if no prefix is left. The sentence is done when `width` hypotheses have
    finished, when no prefix is left, or when `n_best` of them score at least `bound`.
    """
    if len(found) >= width or bound == -math.inf:
        return True
    return len(found) >= n_best and sorted(h.score for h in found)[-n_best] >= bound


def beam_search(
    step: Step,
    state: State,
    n_sentences: int,
    width: int = 5,
    length_penalty: float = 0.6,
    max_length: int = 100,
    n_best: int = 1,
    start: int = 2,
    end: int = 3,
    device: torch.device | str = "cpu",
) -> list[list[Hypothesis]]:
    """The `n_best` hypotheses of each sentence, by a beam of `width` prefixes (§6.1).

    At each step all continuations of a sentence's prefixes compete. End tokens among the `width`
    best finish a hypothesis; the `width` best of the others are the next beam. A sentence is done
    when `width` hypotheses have finished, or after `max_length` steps. Unfinished hypotheses are
    ranked after all finished ones. Continuations of zero probability are dropped, so a list may be
    shorter than `n_best`.

    The search stops early when the result is certain. A log probability s ≤ 0 only falls as tokens
    are added, and its divisor is at most that of the maximum length. So no continuation of a prefix
    with s can score more than `s / factor(max_length - 1)`: once the best prefix's bound is not
    above the n-th best score, the list is final.

    Raises ValueError unless 1 ≤ n_best ≤ width and length_penalty ≥ 0.
    """
    if not 1 <= n_best <= width or length_penalty < 0:
        raise ValueError(
            f"n_best = {n_best}, width = {width}, length_penalty = {length_penalty}: "
            "give 1 ≤ n_best ≤ width and a length_penalty of 0 or more"
        )
    longest = length_penalty_factor(max_length - 1, length_penalty)
    found: list[list[Hypothesis]] = [[] for _ in range(n_sentences)]
    sentences = list(range(n_sentences))  # those not done yet
    prefixes = torch.full((n_sentences, 1), start, device=device)  # the beams of each in turn
    scores = torch.zeros(n_sentences, 1, device=device)  # the log probability of each prefix
    for length in range(max_length):
        log_probabilities, state = step(prefixes, state)
        # 2 · width candidates have at most `width` ends, one per prefix: enough for a full beam
        totals, rows, tokens = continuations(scores, log_probabilities, 2 * width)
        scores, order, finished = split_candidates(totals, tokens, width, end)
        factor = length_penalty_factor(length, length_penalty)
        for i, k in finished.nonzero().tolist():
            written, score = prefixes[rows[i, k], 1:].tolist(), float(totals[i, k]) / factor
            found[sentences[i]].append(Hypothesis(written, score, finished=True))
        bounds = (scores[:, 0] / longest).tolist()
        left = [
            i
            for i, bound in enumerate(bounds)
            if not is_final(found[sentences[i]], bound, width, n_best)
        ]
        sentences, scores = [sentences[i] for i in left], scores[left]
        if not left:
            break
        parents = rows.gather(1, order)[left].flatten()
        next_tokens = tokens.gather(1, order)[left].view(-1, 1)
        prefixes, state = torch.cat([prefixes[parents], next_tokens], 1), reorder(state, parents)
    add_unfinished(found, sentences, prefixes, scores, length_penalty)
    return [sorted(h, key=lambda h: (h.finished, h.score), reverse=True)[:n_best] for h in found]


def add_unfinished(
    found: list[list[Hypothesis]],
    sentences: list[int],
    prefixes: Int[Tensor, "rows n"],
    scores: Float[Tensor, "sentences beams"],
    length_penalty: float,
) -> None:
    """Append to `found` the hypotheses that were cut off at the maximum length."""
    factor = length_penalty_factor(prefixes.shape[1] - 1, length_penalty)
    n_beams = scores.shape[1]
    for i, sentence in enumerate(sentences):
        for row, score in enumerate(scores[i].tolist(), start=i * n_beams):
            if score > -math.inf:
                cut = Hypothesis(prefixes[row, 1:].tolist(), score / factor, finished=False)
                found[sentence].append(cut)
