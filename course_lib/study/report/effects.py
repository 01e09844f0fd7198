"""What the factors do: alone, together, and their shares in the spread of quality."""

from __future__ import annotations

from collections.abc import Sequence

from ..findings import ALPHA
from ..interactions import interactions as differences_from_the_sum
from ..sensitivity import sensitivity as differences_from_the_default
from ..space import DEFAULT, FACTORS
from ..trial import Row
from .document import Drawing, Paragraph, Section, Table, section
from .figures import bars, forest
from .material import Material
from .wording import changes, counted, interval, level, listed, number, percent, probability, signed

INTERACTION = (
    "One factor at a time says nothing about two changed together. The configurations drawn at "
    "random do: if factors act independently, the quality of such a configuration is the "
    "default's plus the single effects of everything it changes. What is measured beyond that "
    "sum is interaction. It belongs to the whole configuration: which of its factors interact "
    "cannot be told from it, and a few configurations do not speak for all combinations."
)
FANOVA = (
    "Functional analysis of variance (fANOVA; Hutter et al. 2014) fits a random forest to the "
    "quality of all complete trials and asks what share of the forest's variance each factor "
    "explains alone, averaged over all levels of the others. It is a summary of where the "
    "spread comes from. It is no test: noise between seeds is shared out as well, so a factor "
    "without any effect gets a bar too. It has no direction, it leaves out interactions, and "
    "with one factor at a time around the default most combinations are the forest's guess. "
    "Where it disagrees with the sensitivity above, believe the sensitivity."
)


def sensitivity(material: Material) -> Section:
    found, title = material.findings, "Sensitivity"
    if found.noise is None:
        return section(title, "Not known, as the noise between seeds is not known.")
    base = found.line_of(DEFAULT)
    if base is None:
        text = "The default has no complete trial: there is nothing to compare with."
        return section(title, text)
    rows = differences_from_the_default(found.summary, DEFAULT, FACTORS)
    if not rows:
        text = "No configuration that differs from the default in one factor alone was measured."
        return section(title, text)
    labels = [f"{row['factor']} {level(row['level'])}" for row in rows]
    drawing = Drawing(
        "sensitivity",
        "What one change to the default changes",
        "Each line is one comparison with the default and its 95 % interval. Filled and coloured: "
        "Holm-adjusted p below 5 %, blue for better, orange for worse. Hollow and grey: not told "
        "from noise.",
        forest(rows, labels, "quality minus that of the default (points)"),
    )
    table = Table(
        ["factor", "level", "#difference", "#95 % interval", "#p", "#p, Holm"],
        [
            [f"`{row['factor']}`", level(row["level"]), *_difference(row, "p", "adjusted")]
            for row in rows
        ],
        "Differences in points of quality; the default's level of each factor is left out",
    )
    verdict = _which_differ(rows, found.p_of_no_difference)
    return section(title, verdict, _multiple_comparisons(len(rows), base["n"]), drawing, table)


def _which_differ(rows: Sequence[Row], p_of_all: float | None) -> str:
    sure = [row for row in rows if row["adjusted"] < ALPHA]
    m = len(rows)
    if not sure:
        text = (
            f"**No single change has a detectable effect.** Of {counted(m, 'comparison')} with the "
            "default, none has a Holm-adjusted p-value below 5 %. That is not evidence that the "
            "factors do nothing: effects inside the intervals below remain possible."
        )
        if p_of_all is not None and p_of_all < ALPHA:
            text += (
                " All configurations taken together do differ (see “The answer”): that test asks "
                "about any difference, also between two that are not the default."
            )
        return text
    changes = listed(
        [f"`{row['factor']}` {level(row['level'])} ({signed(row['difference'])})" for row in sure]
    )
    verb = "differs" if len(sure) == 1 else "differ"
    text = f"Of {counted(m, 'change')} to the default, {len(sure)} {verb} from it: {changes}."
    return text + (" The rest cannot be told from noise." if len(sure) < m else "")


def _multiple_comparisons(m: int, n_default: int) -> Paragraph:
    return Paragraph(
        f"{counted(m, 'comparison')} of this kind would give one false alarm or more in "
        f"{100 * (1 - 0.95**m):.0f} % of all studies if each were tested at 5 % and they were "
        "independent. The adjusted p-values are Holm's: the smallest is multiplied by the number "
        "of comparisons, the next by one less, and so on, which keeps that chance below 5 % for "
        "all of them together. The intervals are not adjusted, each holds for its own comparison; "
        f"all share the default's {counted(n_default, 'trial')}, so an unlucky default shifts them "
        "all alike.",
        "note",
    )


def _difference(row: Row, *p_values: str) -> list[str]:
    """The cells of a difference, its interval, and its p-values."""
    return [
        signed(row["difference"]),
        interval(row["low"], row["high"]),
        *(probability(row[p]) for p in p_values),
    ]


def interactions(material: Material) -> Section:
    """As far as configurations that were drawn at random let one speak of them."""
    found, title = material.findings, "Interactions"
    several = [
        line
        for line in found.measured
        if sum(line[factor] != DEFAULT[factor] for factor in FACTORS) > 1
    ]
    if found.noise is None or found.line_of(DEFAULT) is None or not several:
        return section(
            title,
            "Nothing can be said: that takes the noise between seeds, the default, and "
            "configurations that change several of its factors at once.",
        )
    rows = differences_from_the_sum(found.summary, DEFAULT, FACTORS)
    if not rows:
        return section(
            title,
            "No configuration changes several factors whose single effects were all measured, so "
            "there is no sum to compare with.",
        )
    labels = [_in_two_lines(changes(row)) for row in rows]
    drawing = Drawing(
        "interactions",
        "Measured quality minus the sum of single effects",
        "Each line is a configuration that changes several factors, with its 95 % interval. At 0 "
        "the single effects add up. Filled and coloured: Holm-adjusted p below 5 %.",
        forest(rows, labels, "measured minus predicted quality (points)", line_height=0.5),
    )
    table = Table(
        ["changes", "#measured", "#predicted", "#difference", "#95 % interval", "#p, Holm"],
        [
            [
                changes(row),
                number(row["mean"]),
                number(row["predicted"]),
                *_difference(row, "adjusted"),
            ]
            for row in rows
        ],
        "Configurations that change several factors, against the sum of their single effects",
    )
    left_out = _left_out(len(several) - len(rows))
    return section(title, INTERACTION, _which_interact(rows), left_out, drawing, table)


def _left_out(n: int) -> Paragraph | str:
    if not n:
        return ""
    text = f"{counted(n, 'configuration')} that {'changes' if n == 1 else 'change'} several factors"
    return Paragraph(f"{text} cannot be compared: a single effect is missing.", "note")


def _which_interact(rows: Sequence[Row]) -> str:
    sure = [row for row in rows if row["adjusted"] < ALPHA]
    if not sure:
        return (
            f"**No interaction is detected.** None of {counted(len(rows), 'configuration')} "
            "differs from its sum by more than noise (Holm-adjusted p-values, all above 5 %). The "
            "intervals are wide, because every sum carries the noise of several means."
        )
    below = sum(row["difference"] < 0 for row in sure)
    return (
        f"{len(sure)} of {counted(len(rows), 'configuration')} "
        f"{'differs' if len(sure) == 1 else 'differ'} from the sum of single effects "
        f"(Holm-adjusted p below 5 %), {below} of them below it: there the factors do not act "
        "independently."
    )


def _in_two_lines(name: str) -> str:
    parts = name.split(", ")
    half = (len(parts) + 1) // 2
    if len(parts) < 3:
        return name
    return ", ".join(parts[:half]) + ",\n" + ", ".join(parts[half:])


def importance(material: Material) -> Section:
    """The share of each factor in the spread of quality, by fANOVA."""
    found = material.importance
    if isinstance(found, str):
        return section("Importance", f"There is none. {found}")
    drawing = Drawing(
        "importance",
        "Share of the explained variance, by factor",
        f"From {counted(found.n_trials, 'complete trial')}; all shares add up to 100 %. "
        + "; ".join(f"{factor} {percent(share)}" for factor, share in found.shares.items())
        + ".",
        bars(found.shares, "share of the variance that single factors explain"),
    )
    return section("Importance", FANOVA, drawing)
