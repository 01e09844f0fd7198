"""What can be counted of a translation's mistakes, to find the sentences worth reading."""

from collections import Counter
from collections.abc import Mapping, Sequence


def error_signs(
    source: Sequence[str],
    hypothesis: Sequence[str],
    reference: Sequence[str],
    counts: Mapping[str, int],
    rare: int = 5,
) -> dict[str, list[str]]:
    """Words that hint at a mistake, each list in alphabetical order.

    `"dropped"`: words of the reference that the hypothesis lacks, as often as it lacks them;
    `"added"`: the other way round; `"repeated"`: words of the hypothesis that stand next to
    themselves; `"rare"`: words of the source that training had less than `rare` times, by
    `counts`. Repeated and rare words are told once. They are signs and no verdict: a right
    translation may use other words than the reference.
    """
    made, wanted = Counter(hypothesis), Counter(reference)
    return {
        "dropped": sorted((wanted - made).elements()),
        "added": sorted((made - wanted).elements()),
        "repeated": sorted({a for a, b in zip(hypothesis, hypothesis[1:], strict=False) if a == b}),
        "rare": sorted({word for word in source if counts.get(word, 0) < rare}),
    }
