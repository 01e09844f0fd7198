"""Importance: the share of each factor in the spread of quality, by fANOVA."""

from __future__ import annotations

from ..document import Drawing, Paragraph, Section
from ..figures.bars import bars
from ..material import Material
from ..wording import counted, percent

TITLE = "Importance"
MEANING = (
    "Functional analysis of variance (fANOVA; Hutter et al. 2014) fits a random forest to the "
    "quality of all complete trials and asks what share of the forest's variance each factor "
    "explains alone, averaged over all levels of the others. It is a summary of where the spread "
    "comes from. It is no test: noise between seeds is shared out as well, so a factor without any "
    "effect gets a bar too. It has no direction, it leaves out interactions, and with one factor "
    "at a time around the default most combinations are the forest's guess. Where it disagrees "
    "with the sensitivity above, believe the sensitivity."
)


def weight(material: Material) -> Section:
    found = material.importance
    if isinstance(found, str):
        return Section(TITLE, [Paragraph(f"There is none. {found}")])
    drawing = Drawing(
        "importance",
        "Share of the explained variance, by factor",
        f"From {counted(found.n_trials, 'complete trial')}; all shares add up to 100 %. "
        + "; ".join(f"{factor} {percent(share)}" for factor, share in found.shares.items())
        + ".",
        bars(found.shares, "share of the variance that single factors explain"),
    )
    return Section(TITLE, [Paragraph(MEANING), drawing])
