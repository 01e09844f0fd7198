"""Times as people and programs write them; without a time zone, a time is refused."""

from __future__ import annotations

import datetime
import re

EXAMPLE = "2027-02-20T23:59:00+00:00"


def with_zone(text: str) -> datetime.datetime:
    """An ISO time with its zone: Z, UTC, +01:00 or +0100. Raises ValueError, in one sentence."""
    iso = re.sub(r"\s*(?:Z|UTC|GMT)$", "+00:00", text.strip())
    iso = re.sub(r"\s*([+-]\d\d):?(\d\d)$", r"\1:\2", iso)
    iso = re.sub(r"(\.\d{6})\d+", r"\1", iso)  # nanoseconds
    try:
        when = datetime.datetime.fromisoformat(iso)
    except ValueError:
        raise ValueError(f"{text!r} is not a time such as {EXAMPLE}") from None
    if when.tzinfo is None:
        raise ValueError(f"the time {text} has no time zone: write +00:00 after it")
    return when
