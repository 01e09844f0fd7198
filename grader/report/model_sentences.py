"""The score of a trained model, in plain sentences for the student who trained it."""

from __future__ import annotations

from ..gradebook.exercise_result import ExerciseResult, ModelResult

PENDING = "The model has not been scored yet: this grading ran without the hidden labels."
HAND_IN = "Hand in the folder `submission` that the notebook writes, next to the notebook."


def model_sentences(exercise: ExerciseResult) -> list[str]:
    """For an exercise of the kind "model"; empty for any other."""
    if exercise.kind != "model":
        return []
    model = exercise.model
    if model is None:
        return [PENDING]
    in_words = model.unit_in_words or model.measure
    scale = (
        f"Points rise linearly from zero at {model.zero_at:g} {in_words} to the maximum at "
        f"{model.full_at:g} {in_words.split()[0]}."
    )
    if model.score is None:
        advice = [] if model.handed_in else [HAND_IN]
        return [f"No points for the model: {model.problem}.", *advice, scale]
    first, *more = model.told or [  # older grades do not say
        f"Your model reaches {model.score:.1f} ({model.measure}) on {model.recomputed:,} of "
        f"{model.examples:,} sentences, whose answers it never saw."
    ]
    notes = (f"{note[0].upper()}{note[1:]}." for note in model.notes)
    return [f"{first} {scale}", *more, *notes]


def shortfall(model: ModelResult) -> str:
    """Why the model has not all points, in a few words."""
    if model.score is None:
        return model.problem
    unit = model.unit or model.measure
    return f"the model reaches {model.score:.1f} {unit}, all points take {model.full_at:g}"
