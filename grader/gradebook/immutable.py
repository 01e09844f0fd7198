"""The base class of every part of a result: immutable, with the same fields in JSON."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Number = int | float  # not converted: an empty sum is 0, a sum of points 10.0


class Record(BaseModel):
    """Fields are named as in JSON; unknown keys, as from another version, are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def as_json(self) -> dict[str, Any]:
        """What is stored and exported; a field that was never set has no key."""
        return self.model_dump(exclude_unset=True)
