"""The confirmation: fresh seeds for the recommended configuration, and the test split, once."""

from __future__ import annotations

from collections.abc import Sequence

from ..intervals import mean_interval
from ..trial import Row
from .document import Table
from .material import Material
from .wording import changes, interval, listed, number

UNTOUCHED = (
    "**The test split has not been touched.** Every number of this report is from the validation "
    "split. `course study confirm` trains the recommended configuration with fresh seeds and "
    "measures it on the test split, once."
)


def confirmation(material: Material) -> list[str | Table]:
    """Blocks of the section that gives the answer."""
    record = material.confirmation
    if record is None:
        return [UNTOUCHED]
    seeds = listed([str(seed) for seed in record["seeds"]])
    return [
        "**Confirmed with fresh seeds.** The configuration that was recommended "
        f"({changes(record['configuration'])}) was trained again with the seeds {seeds}, "
        "which took no part in the choice. This is the only use of the test split.",
        Table(
            ["split", "#trainings", "#mean", "#95 % interval", f"#each ({material.quality})"],
            [_cells("validation", record["validation"]), _cells("test", record["test"])],
            "The confirmation; its intervals are from these seeds alone",
        ),
        _change(material, record),
    ]


def _cells(split: str, values: Sequence[float]) -> list[str]:
    mean, low, high = mean_interval(values)
    each = ", ".join(map(number, values))
    return [split, str(len(values)), number(mean), interval(low, high), each]


def _change(material: Material, record: Row) -> str:
    """How the validation quality of the study held, and whether the answer has changed since."""
    found = material.findings
    line = found.line_of(record["configuration"])
    if line is None:
        return ""
    fresh = mean_interval(record["validation"])[0]
    way = "lower" if fresh < line["mean"] else "higher"
    text = (
        f"On the validation split the fresh seeds reach {number(fresh)} on average, "
        f"{number(abs(fresh - line['mean']))} points {way} than the {number(line['mean'])} of the "
        "study."
    )
    if found.recommended is not None and found.key(found.recommended) != found.key(line):
        text += (
            " The study has changed since: it recommends another configuration now, and this "
            "confirmation says nothing about that one."
        )
    return text
