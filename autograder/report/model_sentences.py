"""What became of a trained model, in plain sentences for the person who trained it."""

from __future__ import annotations

import math
from typing import Any

PENDING = "The model has not been scored: this grading ran without the hidden labels."
FILES_WANTED = "Hand in the folder `submission` that the notebook writes, beside the notebook."


def model_sentences(exercise: dict[str, Any]) -> list[str]:
    """For an exercise of the kind "model"; nothing for any other."""
    if exercise["kind"] != "model":
        return []
    told = exercise.get("model")
    if not told:
        return [PENDING]
    scale = (
        f"Points rise from {told['zero_at']:g} % of the hidden labels right, for none, to "
        f"{told['full_at']:g} %, for all."
    )
    if told["accuracy"] is None:
        wanted = [] if told["handed_in"] else [FILES_WANTED]
        return [f"No points for the model: {told['problem']}.", *wanted, scale]
    share, examples = told["accuracy"] / 100, told["examples"]
    error = 100 * math.sqrt(share * (1 - share) / examples)
    return [
        f"Your model is right on {told['accuracy']:.1f} % of {examples:,} sentences whose labels "
        f"it never saw (one standard error: {error:.1f} points). {scale}",
        f"Your own predict was asked again for {told['recomputed']:,} of them, in "
        f"{told['seconds']:.0f} s; the sentences came from: {told['source']}.",
        *(f"{note[0].upper()}{note[1:]}." for note in told["notes"]),
    ]
