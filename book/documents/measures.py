"""The measures of a results file, by name."""

import statistics
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measure:
    """One measure of a results file, with one value a seed or repetition."""

    values: tuple[float, ...]
    mean: float
    sd: float

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        return min(self.values)

    @property
    def high(self) -> float:
        return max(self.values)


class Measures(dict[str, Measure]):
    """The measures of a results file, by name."""

    @classmethod
    def of(cls, content: dict[str, Any]) -> "Measures":
        """Those of a file's content."""
        rows = content["measures"].items()
        return cls((n, Measure(tuple(m["values"]), m["mean"], m["sd"])) for n, m in rows)

    def __getattr__(self, name: str) -> Measure:
        return self[name]

    def lowest(self, ending: str) -> float:
        """The lowest median of the measures whose names end so."""
        return min(measure.median for name, measure in self.items() if name.endswith(ending))
