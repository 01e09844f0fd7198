"""The answer first: which configuration to take, how good it is, and how sure that is."""

from __future__ import annotations

from ..findings import ALPHA
from ..space import DEFAULT, FACTORS
from ..trial import Row
from .confirmation import confirmation
from .document import Block, Paragraph, Section, Table, section
from .material import Material
from .wording import amount, changes, counted, interval, level, number, p_value, percent, signed


def answer(material: Material) -> Section:
    found, chosen = material.findings, material.findings.recommended
    blocks: list[Block | str]
    if chosen is None:
        blocks = [Paragraph(_why_none(material), "lead")]
    else:
        blocks = [
            Paragraph(_recommendation(material, chosen), "lead"),
            _do_they_differ(material),
            _choice(material, chosen),
            _survivors(chosen),
            _against_default(material, chosen),
            _chance(material, chosen),
            _optimism(len(found.eligible)),
            _configuration(chosen),
        ]
    return section("The answer", *blocks, _unfinished(material), *confirmation(material))


def _why_none(material: Material) -> str:
    found = material.findings
    if not found.complete:
        return (
            "**There is nothing to recommend yet:** no trial is complete, so nothing was measured."
        )
    if not found.eligible:
        return (
            "**There is nothing to recommend:** every configuration with a complete trial also has "
            "a failed one, and a configuration that fails with some seeds is not to be relied on."
        )
    best = found.eligible[0]
    highest = (
        f"The highest mean so far is {number(best['mean'])} ({material.quality}), measured for "
        f"{_called(best)}"
    )
    if all(line["n"] < 2 for line in found.measured):
        return (
            "**Nothing can be recommended yet:** no configuration has two complete trials, so the "
            f"noise between seeds is not known, and no difference can be told from it. {highest}. "
            "Run a second seed."
        )
    return (
        "**Nothing can be recommended:** all seeds of every configuration gave exactly the same "
        f"quality, so the noise between seeds cannot be estimated. {highest}. Check that the seed "
        "reaches the training, or measure on a harder validation split."
    )


def _recommendation(material: Material, chosen: Row) -> str:
    noise = material.findings.noise
    assert noise is not None
    low, high = noise.interval_of_mean(chosen)
    ceiling = ""  # an interval from Student's t does not know that an accuracy ends at 100 %
    if material.measure.startswith("accuracy in percent") and high > 100:
        ceiling = " (which does not know that an accuracy ends at 100)"
    return (
        f"**Take {_called(chosen)}.** Its mean quality over "
        f"{counted(chosen['n'], 'seed')} is {number(chosen['mean'])} ({material.quality}), with a "
        f"95 % interval of {interval(low, high)}{ceiling}. One training takes "
        f"{amount(chosen['train_seconds'])} s."
    )


def _do_they_differ(material: Material) -> str:
    """Whether the configurations differ at all."""
    found = material.findings
    m, p, margin = len(found.eligible), found.p_of_no_difference, found.margin
    if p is None:
        return "It is the only configuration measured: there is nothing to compare it with."
    assert margin is not None
    same = {line["n"] for line in found.eligible} == {found.n_seeds}
    each = " each" if same else " (the median over configurations)"
    detectable = (
        f"With {counted(found.n_seeds, 'seed')}{each}, two means must lie {number(margin)} points "
        "apart before their difference can be told from noise (95 % interval, one pair of "
        "configurations)"
    )
    if p >= ALPHA:
        spread = found.eligible[0]["mean"] - found.eligible[-1]["mean"]
        return (
            f"**This is a null result.** The {m} configurations do not differ by more than the "
            f"noise between seeds explains (one-way analysis of variance, {p_value(p)}): "
            f"from the highest mean to the lowest it is {number(spread)} points. {detectable}. "
            "The study does not show that all are equally good; it cannot tell them apart."
        )
    return (
        f"The {m} configurations do differ by more than the noise between seeds explains (one-way "
        f"analysis of variance, {p_value(p)}). {detectable}."
    )


def _choice(material: Material, chosen: Row) -> str:
    """Why this one: cheapest of those as good as the best."""
    found = material.findings
    m, k, best = len(found.eligible), len(found.as_good), found.eligible[0]
    if m == 1:
        return ""
    if k == 1:
        return (
            f"It has the highest mean, and none of the other {m - 1} configurations comes within "
            "that margin of it."
        )
    near = f"All {m} configurations lie" if k == m else f"{k} of the {m} configurations lie"
    near += " within that margin of the highest mean, and of these the one that trains fastest is "
    if chosen is best:
        return near + "taken; it is also the one with the highest mean."
    return near + (
        f"taken: {amount(chosen['train_seconds'])} s a training, against "
        f"{amount(best['train_seconds'])} s of {_called(best)}, whose mean of "
        f"{number(best['mean'])} is the highest. It is recommended because it is cheaper, not "
        "because it is better."
    )


def _survivors(chosen: Row) -> str:
    if not chosen["pruned"]:
        return ""
    return (
        f"**Its mean is of survivors only:** {counted(chosen['pruned'], 'trial')} of it "
        f"{'was' if chosen['pruned'] == 1 else 'were'} pruned, so the mean is too high."
    )


def _against_default(material: Material, chosen: Row) -> str:
    """The gain from changing the default, with its interval; "" when there is no other."""
    found, noise = material.findings, material.findings.noise
    base = found.line_of(DEFAULT)
    if len(found.eligible) < 2 or noise is None:
        return ""
    if base is None:
        return "The default has no complete trial, so there is no comparison with it."
    if found.key(base) == found.key(chosen):
        return "It is the default: nothing that was tried is a reason to leave it."
    difference = chosen["mean"] - base["mean"]
    half = noise.half_width(chosen["n"], base["n"])
    text = (
        f"Against the default its quality is {signed(difference)} points, with a 95 % interval of "
        f"{interval(difference - half, difference + half)}: "
    )
    if abs(difference) < half:
        return text + "not distinguishable from no difference."
    return text + (
        f"{'better' if difference > 0 else 'worse'} by more than noise, though the interval does "
        "not allow for its having been chosen from several."
    )


def _chance(material: Material, chosen: Row) -> str:
    found = material.findings
    m, mine = len(found.eligible), found.chance_of(chosen)
    if m < 2 or mine is None:
        return ""
    text = (
        "How sure is that? If the study were repeated with this noise around the means it "
        "measured, the recommended configuration would have the highest mean in "
        f"{percent(mine)} of the repetitions"
    )
    if chosen is not found.eligible[0]:
        text += f", and the one that was highest this time in {percent(found.chances[0])}"
    return f"{text}; pure luck among {m} would give {percent(1 / m)}."


def _optimism(m: int) -> str:
    if m < 2:
        return ""
    return (
        f"Its mean was seen before it was chosen out of {m}, so it is probably somewhat too high; "
        "only seeds that took no part in the choice can say by how much."
    )


def _unfinished(material: Material) -> str:
    left = len(material.findings.unfinished)
    if not left:
        return ""
    return (
        f"**The study is not finished:** {counted(left, 'trial')} {'is' if left == 1 else 'are'} "
        "still waiting or running, and the answer may change with them."
    )


def _configuration(chosen: Row) -> Table:
    return Table(
        ["factor", "recommended", "default"],
        [[f"`{f}`", level(chosen[f]), level(DEFAULT[f])] for f in FACTORS],
        "The recommended configuration beside the default, the paper's base model and training",
    )


def _called(line: Row) -> str:
    """As part of a sentence: "the default" or "the configuration with n_layers 4"."""
    name = changes(line)
    return name if name == "the default" else f"the configuration with {name}"
