"""Translation metrics: BLEU, chrF, exact match, alignment error rate, and a significance test.

Paper statement R70 (lectures/paper_audit.md).
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

Links = Collection[tuple[int, int]]


class Score(NamedTuple):
    """A corpus score, and its sacreBLEU signature, which comparisons need."""

    value: float
    signature: str

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.signature})"


def bleu(hypotheses: Sequence[str], references: Sequence[str], tokenize: str = "13a") -> Score:
    """Corpus BLEU, 0 to 100, by sacreBLEU (Post 2018), with one reference per sentence.

    Give plain text: sacreBLEU tokenizes both sides itself, which makes scores comparable between
    papers. Raises ValueError for lists of different length or empty ones.
    """
    from sacrebleu.metrics import BLEU

    return _score(BLEU(tokenize=tokenize), hypotheses, references)


def chrf(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    """chrF2, 0 to 100: character n-grams (Popović 2015), more lenient than BLEU on word endings.

    Raises ValueError as `bleu` does.
    """
    from sacrebleu.metrics import CHRF

    return _score(CHRF(), hypotheses, references)


def _score(metric, hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    _check(hypotheses, references)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(value, metric.get_signature().format(short=False))


def bleu_by_hand(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], n: int = 4
) -> float:
    """Corpus BLEU, 0 to 100, of lists of tokens (Papineni et al. 2002), without smoothing.

    The geometric mean of the precisions of 1- to n-grams, where an n-gram counts at most as often
    as it occurs in the reference, times exp(1 − reference length / hypothesis length) when the
    hypotheses are shorter. Counts and lengths are summed over the corpus before dividing: it is not
    the mean of sentence scores. 0 when any precision is 0.
    """
    matches, totals = [0] * n, [0] * n
    # step 1: clipped matches and totals of every order, over all sentences
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        for order in range(1, n + 1):
            found, wanted = ngrams(hypothesis, order), ngrams(reference, order)
            matches[order - 1] += (found & wanted).total()
            totals[order - 1] += found.total()
    if min(matches) == 0:
        return 0.0
    # step 2: the brevity penalty of the corpus
    length, wanted_length = sum(map(len, hypotheses)), sum(map(len, references))
    brevity = min(1.0, math.exp(1 - wanted_length / length))
    # step 3: the geometric mean
    logs = [math.log(match / total) for match, total in zip(matches, totals, strict=True)]
    return 100 * brevity * math.exp(sum(logs) / n)


def ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """How often each run of `order` tokens occurs."""
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def exact_match(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """Share of sentences equal to their reference, ignoring surrounding whitespace, 0 to 1."""
    _check(hypotheses, references)
    equal = [h.strip() == r.strip() for h, r in zip(hypotheses, references, strict=True)]
    return sum(equal) / len(equal)


def alignment_error_rate(
    predicted: Iterable[Links], sure: Iterable[Links], possible: Iterable[Links] | None = None
) -> float:
    """AER of Och and Ney (2003), 0 (best) to 1, over all sentences together.

    1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|) for predicted links A, sure links S and possible links P,
    which contain S; without `possible` it is 1 − F1. Raises ValueError when there is no link at
    all, or when the numbers of sentences differ.
    """
    certain = [set(links) for links in sure]
    wide = certain if possible is None else [set(links) for links in possible]
    hits = size = 0
    for a, s, p in zip(map(set, predicted), certain, wide, strict=True):
        hits += len(a & s) + len(a & (p | s))
        size += len(a) + len(s)
    if size == 0:
        raise ValueError("there is no link to compare: give at least one alignment")
    return 1 - hits / size


def bootstrap(
    hypotheses: Sequence[str], references: Sequence[str], samples: int = 1000, seed: int = 12345
) -> np.ndarray:
    """BLEU of `samples` samples of the sentences, drawn with replacement (Koehn 2004).

    Their 2.5 and 97.5 % quantiles are a 95 % interval of BLEU, their standard deviation is its
    standard error. Raises ValueError for lists of different length or empty ones.
    """
    _check(hypotheses, references)
    counts = _statistics(hypotheses, references)
    rng = np.random.default_rng(seed)
    drawn = (rng.integers(0, len(counts), len(counts)) for _ in range(samples))
    return _bleu_of(np.array([counts[rows].sum(0) for rows in drawn]))


class Comparison(NamedTuple):
    """Paired bootstrap of two systems: `difference` is first minus second, in BLEU points."""

    first: float
    second: float
    difference: float
    interval: tuple[float, float]
    p_value: float
    signature: str

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.first:.2f} against {self.second:.2f}: {self.difference:+.2f} "
            f"[{low:+.2f}, {high:+.2f}], p = {self.p_value:.3f} ({self.signature})"
        )


def paired_bootstrap(
    first: Sequence[str],
    second: Sequence[str],
    references: Sequence[str],
    samples: int = 1000,
    seed: int = 12345,
    confidence: float = 0.95,
) -> Comparison:
    """Test whether the BLEU of `first` differs from that of `second` (Koehn 2004).

    Sentences are drawn with replacement, the same for both systems, `samples` times. `interval` is
    that of the difference. `p_value` is two-sided, as in sacreBLEU: (count + 1) / (samples + 1),
    where count is the number of samples at least as far from their mean as `difference` from 0.
    Raises ValueError for lists of different length or empty ones.
    """
    one, two = (bleu(system, references) for system in (first, second))
    counts = [_statistics(system, references) for system in (first, second)]
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, len(references), len(references)) for _ in range(samples)]
    of_first, of_second = (_bleu_of(np.array([own[r].sum(0) for r in rows])) for own in counts)
    drawn = of_first - of_second
    tail = (1 - confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    difference = one.value - two.value
    extreme = int((np.abs(drawn - drawn.mean()) >= abs(difference)).sum())
    return Comparison(
        one.value,
        two.value,
        difference,
        (float(low), float(high)),
        (extreme + 1) / (samples + 1),
        f"{one.signature}|bs:{samples}|seed:{seed}",
    )


def _statistics(hypotheses: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """One row per sentence: lengths, then matches and totals of each order."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="13a", effective_order=True)  # otherwise sentence scores warn
    rows = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        one = metric.sentence_score(hypothesis, [reference])
        rows.append([one.sys_len, one.ref_len, *one.counts, *one.totals])
    return np.array(rows, dtype=np.int64)


def _bleu_of(sums: np.ndarray) -> np.ndarray:
    """BLEU of each row, the sum of some sentences' rows of `_statistics`.

    Where no precision is zero this is the formula of `bleu_by_hand`; sacreBLEU smoothes the rest.
    """
    from sacrebleu.metrics import BLEU

    made, wanted, matches, totals = sums[:, 0], sums[:, 1], sums[:, 2:6], sums[:, 6:10]
    usual = (matches > 0).all(axis=1)
    scores = np.empty(len(sums))
    logs = np.log(matches[usual] / totals[usual]).mean(axis=1)
    brevity = np.minimum(0.0, 1 - wanted[usual] / made[usual])
    scores[usual] = 100 * np.exp(logs + brevity)
    for row in np.flatnonzero(~usual):
        scores[row] = BLEU.compute_bleu(
            correct=matches[row].tolist(),
            total=totals[row].tolist(),
            sys_len=int(made[row]),
            ref_len=int(wanted[row]),
            smooth_method="exp",
        ).score
    return scores


def _check(hypotheses: Sequence[str], references: Sequence[str]) -> None:
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError("give lists of sentences: write [text] for one text")
    if len(hypotheses) != len(references):
        raise ValueError(
            f"{len(hypotheses)} translations have {len(references)} references: give one each"
        )
    if not hypotheses:
        raise ValueError("there is no translation to score: give at least one")
