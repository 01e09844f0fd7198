"""The recommended configuration against the default, in one sentence or two."""

from __future__ import annotations

import math

from scipy import stats

from ...findings import Row
from ..material import Material
from ..wording import interval, signed


def against_default(material: Material, chosen: Row) -> str:
    """What changing from the default gains, with its interval; "" when there is no other."""
    found = material.findings
    base = found.line_of(found.default)
    noise = found.noise
    if len(found.sound) < 2 or noise is None:
        return ""
    if base is None:
        return "The default has no complete trial, so there is no comparison with it."
    if found.key(base) == found.key(chosen):
        return "It is the default: nothing that was tried is a reason to leave it."
    difference = chosen["mean"] - base["mean"]
    quantile = float(stats.t.ppf(0.975, df=noise.degrees))
    half = quantile * noise.s * math.sqrt(1 / chosen["n"] + 1 / base["n"])
    told = (
        f"Against the default its quality is {signed(difference)} points, with a 95 % interval of "
        f"{interval(difference - half, difference + half)}: "
    )
    if abs(difference) < half:
        return told + "not distinguishable from no difference."
    which = "better" if difference > 0 else "worse"
    return told + (
        f"{which} by more than noise, though the interval does not allow for its having been "
        "chosen from several."
    )
