"""What was not tried: the limits of what this study can say."""

from __future__ import annotations

from itertools import combinations
from math import prod

from ..document import Block, Paragraph, Section, Table
from ..material import Material
from ..wording import counted, level


def untried(material: Material) -> Section:
    found = material.findings
    blocks: list[Block] = [Paragraph(_combinations(material)), _levels(material)]
    blocks += [Paragraph(text) for text in _fixed(material)]
    if not found.rows:
        blocks = [Paragraph("Everything: the study has no trial.")]
    return Section("What was not tried", blocks)


def _combinations(material: Material) -> str:
    found = material.findings
    n_all = prod(len(levels) for levels in found.factors.values())
    n_measured = len(found.measured)
    pairs = {
        ((f, line[f]), (g, line[g]))
        for line in found.measured
        for f, g in combinations(found.factors, 2)
    }
    n_pairs = sum(
        len(found.factors[f]) * len(found.factors[g]) for f, g in combinations(found.factors, 2)
    )
    text = (
        f"{counted(len(found.factors), 'factor')} at the levels below make {n_all:,} combinations; "
        f"{n_measured:,} of them {'was' if n_measured == 1 else 'were'} measured "
        f"({100 * n_measured / n_all:.1f} %), and {n_all - n_measured:,} were not. "
    )
    if n_pairs:
        text += (
            f"Of the {n_pairs:,} pairs of levels of two factors, {len(pairs):,} occur together in "
            "some measured configuration. "
        )
    return text + "A better one may be among the rest: this study cannot rule that out."


def _levels(material: Material) -> Table:
    found = material.findings
    rows = []
    for factor, levels in found.factors.items():
        counts = [sum(line[factor] == value for line in found.measured) for value in levels]
        shown = ", ".join(f"{level(v)} ({n})" for v, n in zip(levels, counts, strict=True))
        rows.append([f"`{factor}`", shown, level(found.default[factor])])
    return Table(
        ["factor", "levels (measured configurations)", "default"],
        rows,
        "The space of the study; what lies between or beyond these levels was not tried",
    )


def _fixed(material: Material) -> list[str]:
    found, settings = material.findings, material.settings
    texts: list[str] = []
    if settings is not None:
        texts.append(
            "The learning rate was fixed: every schedule rises to "
            f"{settings.learning_rate:g}, chosen beforehand and not "
            "tuned for each configuration, so a configuration that needs another rate looks worse "
            "than it is. Fixed as well: the optimizer (Adam, β₁ 0.9, β₂ 0.98), d_model "
            f"{settings.model.d_model}, d_ff {settings.model.d_ff}, a vocabulary of at most "
            f"{settings.vocab_size:,}, {settings.max_tokens:,} tokens a batch and one data set, "
            f"{(material.data or {}).get('name', settings.dataset)}."
        )
        texts.append(
            f"All of this holds for {settings.n_steps:,} steps. Regularization and model size "
            "often pay only in longer trainings, which were not tried."
        )
    if found.measured:
        most = max(line["n"] for line in found.measured)
        texts.append(f"No configuration was trained with more than {counted(most, 'seed')}.")
    return texts
