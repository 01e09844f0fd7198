"""Signs of translation errors that can be counted, to find the sentences worth reading."""

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

    `"dropped"`: words of the reference missing from the hypothesis, as often as they are missing;
    `"added"`: the opposite; `"repeated"`: words of the hypothesis that occur twice in a
    row; `"rare"`: words of the source that training had less than `rare` times, by `counts`.
    Repeated and rare words are listed once. These are only hints: a correct translation may use
    other words than the reference.
    """
    made, wanted = Counter(hypothesis), Counter(reference)
    return {
        "dropped": sorted((wanted - made).elements()),
        "added": sorted((made - wanted).elements()),
        "repeated": sorted({a for a, b in zip(hypothesis, hypothesis[1:], strict=False) if a == b}),
        "rare": sorted({word for word in source if counts.get(word, 0) < rare}),
    }
