"""How much quality varies by chance alone: between seeds, and by the choice of the sentences."""

from __future__ import annotations

import math
from statistics import stdev

from .document import Paragraph, Section, section
from .material import Material
from .wording import counted, number


def noise(material: Material) -> Section:
    if material.findings.noise is None:
        unknown = (
            "Not known: it takes at least one configuration with two complete trials whose "
            "qualities differ. Without it this report gives no interval and no recommendation."
        )
        return section("Noise", unknown, _of_the_split(material))
    assumption = Paragraph(_assumption(material), "note")
    return section("Noise", _between_seeds(material), assumption, _of_the_split(material))


def _between_seeds(material: Material) -> str:
    found = material.findings
    assert found.noise is not None
    low, high = found.noise.interval_of_s()
    text = (
        "The same configuration gives another quality with another seed. Pooled over "
        f"{counted(len(found.measured), 'configuration')}, the standard deviation between seeds is "
        f"**s = {number(found.noise.s, 3)}** points, with {found.noise.degrees} degrees of freedom "
        f"(95 % interval of s itself: [{number(low, 3)}, {number(high, 3)}])."
    )
    if found.margin is None:
        return text
    return text + (
        f" With {counted(found.n_seeds, 'seed')} a configuration, the detectable difference of two "
        f"means is t · s · √(2/{found.n_seeds}) = **{number(found.margin)}** points."
    )


def _assumption(material: Material) -> str:
    several = [line["qualities"] for line in material.findings.measured if line["n"] > 1]
    own = sorted(map(stdev, several))
    return (
        "Intervals in this report use this s, unless they say otherwise. That takes for granted "
        "that all configurations are equally noisy: their own standard deviations run from "
        f"{number(own[0], 3)} to {number(own[-1], 3)}."
    )


def _of_the_split(material: Material) -> str:
    """The standard error of an accuracy on so many sentences."""
    n = validation_size(material)
    lines = material.findings.eligible
    if n is None or not lines:
        return ""
    share = (material.findings.recommended or lines[0])["mean"] / 100
    error = 100 * math.sqrt(share * (1 - share) / n)
    return (
        f"Seeds do not show everything: the validation split is itself a sample of {n:,} "
        f"sentences. An accuracy of {number(100 * share)} % on that many has a binomial standard "
        f"error of {number(error)} points, for a 95 % interval of some ±{number(1.96 * error)}. "
        "More seeds do not make it smaller. It matters for what to expect on other sentences, and "
        "less for comparisons, as all configurations are measured on the same ones."
    )


def validation_size(material: Material) -> int | None:
    """The size that the workers recorded; None without it, and where quality is no accuracy."""
    if not material.measure.startswith("accuracy in percent"):
        return None
    return (material.data or {}).get("splits", {}).get("validation")
