"""How many examples the validation split has, where the study lets one know."""

from __future__ import annotations

from ...data.registry import DataError, read
from .material import Material


def validation_size(material: Material) -> int | None:
    """The recorded size; else the registry's, if every accuracy is a whole number of that many.

    None where neither is to be had, and where quality is no accuracy in percent: another data set
    may have served in place of the one that the profile names.
    """
    if not material.measure.startswith("accuracy in percent"):
        return None
    if material.data is not None:
        return material.data["splits"].get("validation")
    if material.settings is None:
        return None
    try:
        splits = read().entry(material.settings.dataset).splits
    except DataError:
        return None
    n = next((split.rows for split in splits if split.name == "validation"), None)
    right = [row["quality"] * (n or 0) / 100 for row in material.findings.complete]
    return n if right and all(abs(k - round(k)) < 1e-6 for k in right) else None
