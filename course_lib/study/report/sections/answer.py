"""The answer first: which configuration to take, how good it is, and how sure that is."""

from __future__ import annotations

from ...findings import ALPHA, Row
from ..document import Block, Paragraph, Section, Table
from ..material import Material
from ..wording import (
    amount,
    counted,
    interval,
    level,
    number,
    p_value,
    percent,
)
from .confirmed import confirmed
from .difference import against_default


def answer(material: Material) -> Section:
    found = material.findings
    chosen = found.recommended
    blocks: list[Block]
    if chosen is None:
        blocks = [Paragraph(_why_none(material), "lead")]
    else:
        blocks = [Paragraph(_taken(material, chosen), "lead")]
        blocks += [Paragraph(text) for text in _reasons(material, chosen)]
        blocks.append(_configuration(material, chosen))
    if found.unfinished:
        blocks.append(Paragraph(_unfinished(material)))
    return Section("The answer", [*blocks, *confirmed(material)])


def _why_none(material: Material) -> str:
    found = material.findings
    if not found.complete:
        return (
            "**There is nothing to recommend yet:** no trial is complete, so nothing was measured."
        )
    if not found.sound:
        return (
            "**There is nothing to recommend:** every configuration with a complete trial also has "
            "a failed one, and a configuration that fails with some seeds is not to be relied on."
        )
    best = found.sound[0]
    highest = (
        f"The highest mean so far is {number(best['mean'])} ({material.quality}), measured for "
        f"{_called(material, best)}"
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


def _taken(material: Material, chosen: Row) -> str:
    noise = material.findings.noise
    assert noise is not None
    half = noise.half_width(chosen["n"])
    configuration = _called(material, chosen)
    return (
        f"**Take {configuration}.** Its mean quality over {counted(chosen['n'], 'seed')} is "
        f"{number(chosen['mean'])} ({material.quality}), with a 95 % interval of "
        f"{interval(chosen['mean'] - half, chosen['mean'] + half)}{_ceiling(material, half)}. One "
        f"training takes {amount(chosen['train_seconds'])} s."
    )


def _ceiling(material: Material, half: float) -> str:
    """An interval from Student's t does not know that an accuracy ends at 100 %."""
    chosen = material.findings.recommended
    accuracy = material.measure.startswith("accuracy in percent")
    if chosen is None or not accuracy or chosen["mean"] + half <= 100:
        return ""
    return " (which does not know that an accuracy ends at 100)"


def _reasons(material: Material, chosen: Row) -> list[str]:
    texts = [_field(material), _choice(material, chosen), _survivors(chosen)]
    texts.append(against_default(material, chosen))
    texts += [_chance(material, chosen), _optimism(material)]
    return [text for text in texts if text]


def _field(material: Material) -> str:
    """Whether the configurations differ at all."""
    found = material.findings
    m, p, margin = len(found.sound), found.p_of_no_difference, found.margin
    if p is None:
        return "It is the only configuration measured: there is nothing to compare it with."
    assert margin is not None
    seeds = counted(found.n_seeds, "seed")
    same = {line["n"] for line in found.sound} == {found.n_seeds}
    seeds += " each" if same else " (the median over configurations)"
    spread = found.sound[0]["mean"] - found.sound[-1]["mean"]
    detectable = (
        f"With {seeds}, two means must lie {number(margin)} points apart before their difference "
        "can be told from noise (95 % interval, one pair of configurations)"
    )
    if p >= ALPHA:
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
    m, k, best = len(found.sound), len(found.as_good), found.sound[0]
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
        f"{amount(best['train_seconds'])} s of {_called(material, best)}, whose mean of "
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


def _chance(material: Material, chosen: Row) -> str:
    found = material.findings
    if len(found.sound) < 2:
        return ""
    by_line = dict(zip(map(found.key, found.sound), found.chances, strict=True))
    mine = percent(by_line[found.key(chosen)])
    text = (
        "How sure is that? If the study were repeated with this noise around the means it "
        "measured, the recommended configuration would have the highest mean in "
        f"{mine} of the repetitions"
    )
    if chosen is not found.sound[0]:
        text += f", and the one that was highest this time in {percent(found.chances[0])}"
    return f"{text}; pure luck among {len(found.sound)} would give {percent(1 / len(found.sound))}."


def _optimism(material: Material) -> str:
    m = len(material.findings.sound)
    if m < 2:
        return ""
    return (
        f"Its mean was seen before it was chosen out of {m}, so it is probably somewhat too high; "
        "only seeds that took no part in the choice can say by how much."
    )


def _unfinished(material: Material) -> str:
    left = len(material.findings.unfinished)
    verb = "is" if left == 1 else "are"
    return (
        f"**The study is not finished:** {counted(left, 'trial')} {verb} still waiting or running, "
        "and the answer may change with them."
    )


def _configuration(material: Material, chosen: Row) -> Table:
    found = material.findings
    return Table(
        ["factor", "recommended", "default"],
        [
            [f"`{factor}`", level(chosen[factor]), level(found.default[factor])]
            for factor in found.factors
        ],
        "The recommended configuration beside the default, the paper's base model and training",
    )


def _called(material: Material, line: Row) -> str:
    """As part of a sentence: "the default" or "the configuration with n_layers 4"."""
    name = material.named(line)
    return name if name == "the default" else f"the configuration with {name}"
