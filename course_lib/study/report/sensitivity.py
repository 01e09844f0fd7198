"""The effect of each factor alone: the default against every change of one level."""

from __future__ import annotations

from collections.abc import Sequence

from ..findings import ALPHA
from ..sensitivity import sensitivity as differences_from_the_default
from ..space import DEFAULT, FACTORS
from ..trial import Row
from .document import Drawing, Paragraph, Section, Table, section
from .figures import forest
from .material import Material
from .wording import counted, interval, level, listed, probability, signed


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
            [
                f"`{row['factor']}`",
                level(row["level"]),
                signed(row["difference"]),
                interval(row["low"], row["high"]),
                probability(row["p"]),
                probability(row["adjusted"]),
            ]
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
