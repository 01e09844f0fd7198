"""What every part of a result is: fixed once it is made, and in JSON what it is in memory."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Number = int | float  # kept as it came: a sum of nothing is 0, and of points 10.0


class Record(BaseModel):
    """Fields with the names that they have in JSON; keys of another version are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    def as_json(self) -> dict[str, Any]:
        """What is stored and exported: a field that was never given has no key."""
        return self.model_dump(exclude_unset=True)
