"""Style: permutations, accumulated sets, draws from a generator."""

import itertools
import operator
from collections import Counter


def pareto_front(points, maximize):
    if any(x != x for x in itertools.chain.from_iterable(points)):
        raise ValueError("NaN")
    beaten = set()
    for i, j in itertools.permutations(range(len(points)), 2):
        pairs = [
            (a, b) if up else (b, a)
            for a, b, up in zip(points[i], points[j], maximize, strict=False)
        ]
        if all(itertools.starmap(operator.ge, pairs)) and any(
            itertools.starmap(operator.gt, pairs)
        ):
            beaten.add(j)
    return sorted(set(range(len(points))) - beaten)


def successive_halving(curves, rungs, eta=3):
    (length, *others) = set(map(len, curves))
    limits = [0, *rungs, length]
    if others or not all(itertools.starmap(operator.lt, zip(limits, limits[1:], strict=False))):
        raise ValueError(f"lengths {[length, *others]}, rungs {rungs}")

    def ended(left, rung):
        ranked = sorted(left, key=lambda i: (-curves[i][rung - 1], i))
        return set(itertools.islice(ranked, (len(left) - 1) // eta + 1))

    fields = list(itertools.accumulate(rungs, ended, initial=set(range(len(curves)))))
    gaps = [end - start for start, end in zip(limits, limits[1:], strict=False)]
    return sorted(fields[-1]), sum(map(operator.mul, map(len, fields), gaps))


def chance_of_being_best(means, s, n_seeds, rng, n_draws=10_000):
    errors = [s * n**-0.5 for n in n_seeds]
    draws = (rng.normal(means, errors) for _ in range(n_draws))
    wins = Counter(int(drawn.argmax()) for drawn in draws)
    return np.array([wins[i] / n_draws for i in range(len(means))])
