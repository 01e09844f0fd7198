"""A language model that only counts: interpolated Kneser-Ney n-grams (Chen and Goodman 1999).

It is what a neural language model must beat: no parameters to train, and fast.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence


class NgramModel:
    """Interpolated Kneser-Ney with one discount for all orders, estimated from the counts.

    `order` tokens are looked at, the predicted one included. Every token of the vocabulary has a
    probability above zero. Raises ValueError for an order below 1.
    """

    def __init__(self, tokens: Sequence[int], vocab_size: int, order: int = 3) -> None:
        if order < 1:
            raise ValueError(f"order = {order}: give 1 or more")
        self.vocab_size, self.order = vocab_size, order
        self._counts: list[dict[tuple[int, ...], Counter[int]]] = []
        highest: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for end in range(order - 1, len(tokens)):
            highest[tuple(tokens[end - order + 1 : end])][tokens[end]] += 1
        self._counts = [highest]
        for _ in range(order - 1):
            # a shorter context counts in how many longer ones a token continued it
            continued: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
            for context, followers in self._counts[0].items():
                continued[context[1:]].update(followers.keys())
            self._counts.insert(0, continued)
        self._totals = [
            {context: (followers.total(), len(followers)) for context, followers in level.items()}
            for level in self._counts
        ]
        self._discounts = [_discount(level.values()) for level in self._counts]

    def probability(self, context: Sequence[int], token: int) -> float:
        """The probability of `token` after the last tokens of `context`."""
        p = 1 / self.vocab_size
        for length in range(min(self.order - 1, len(context)) + 1):
            key = tuple(context[len(context) - length :])
            if key not in self._totals[length]:
                break
            (total, kinds), discount = self._totals[length][key], self._discounts[length]
            seen = max(self._counts[length][key][token] - discount, 0.0)
            p = (seen + discount * kinds * p) / total
        return p

    def perplexity(self, tokens: Sequence[int]) -> float:
        """exp of the mean negative log probability of every token after the first.

        Raises ValueError for fewer than two tokens.
        """
        if len(tokens) < 2:
            raise ValueError(f"{len(tokens)} tokens: give at least 2: the first is not predicted")
        logs = [
            math.log(self.probability(tokens[max(0, i - self.order + 1) : i], tokens[i]))
            for i in range(1, len(tokens))
        ]
        return math.exp(-sum(logs) / len(logs))


def _discount(followers: Iterable[Counter[int]]) -> float:
    """n₁ / (n₁ + 2 n₂), from how many n-grams occur once and twice."""
    occurring = Counter(count for one in followers for count in one.values())
    once, twice = occurring[1], occurring[2]
    return once / (once + 2 * twice) if once else 0.5
