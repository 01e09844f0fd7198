"""The score of a trained model, in plain sentences for the student who trained it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..gradebook.exercise_result import ExerciseResult, ModelResult

PENDING = "The model has not been scored yet: this grading ran without the hidden labels."
HAND_IN = "Hand in the folder `submission` that the notebook writes, next to the notebook."
RATIO = ("validation_perplexity", "training_perplexity")


def model_sentences(exercise: ExerciseResult) -> list[str]:
    """For an exercise of the kind "model"; empty for any other."""
    if exercise.kind != "model":
        return []
    model = exercise.model
    if model is None:
        return [PENDING]
    in_bleu = model.measure == "bleu"
    unit = "BLEU" if in_bleu else "% of the hidden labels right"
    top = f"{model.full_at:g} {unit.split()[0]}"
    scale = f"Points rise linearly from zero at {model.zero_at:g} {unit} to the maximum at {top}."
    if model.reached is None:
        advice = [] if model.handed_in else [HAND_IN]
        return [f"No points for the model: {model.problem}.", *advice, scale]
    sentences = _translated(model) if in_bleu else _classified(model, model.reached)
    sentences[0] += f" {scale}"
    return [*sentences, *(f"{note[0].upper()}{note[1:]}." for note in model.notes)]


def shortfall(model: ModelResult) -> str:
    """Why the model has not all points, in a few words."""
    if model.reached is None:
        return model.problem
    unit = "BLEU" if model.measure == "bleu" else "%"
    return f"the model reaches {model.reached:.1f} {unit}, all points take {model.full_at:g}"


def _classified(model: ModelResult, accuracy: float) -> list[str]:
    share = accuracy / 100
    error = 100 * math.sqrt(share * (1 - share) / model.recomputed)
    return [
        f"Your model is right on {accuracy:.1f} % of {model.recomputed:,} sentences whose labels "
        f"it never saw (standard error: {error:.1f} percentage points).",
        f"The grader ran your predict again on {model.recomputed:,} of {model.examples:,} "
        f"sentences, in {model.seconds:.0f} s; they came from: {model.source}.",
    ]


def _translated(model: ModelResult) -> list[str]:
    sentences = [
        f"Your model reaches {model.bleu:.1f} BLEU on sentences whose references it never saw "
        f"(95 % bootstrap interval over sentences: {model.low:.1f} to {model.high:.1f}).",
        f"The grader ran your translate again on {model.recomputed:,} of {model.examples:,} "
        f"sentences, in {model.seconds:.0f} s ({model.sentences_per_second:g} sentences per "
        f"second of CPU time); they came from: {model.source}.",
        f"BLEU is computed by sacreBLEU: `{model.signature}`.",
    ]
    if model.agreement is not None:
        sentences.append(f"Your translations.txt agrees on {100 * model.agreement:.1f} % of them.")
    if measured := model.measured:
        values = [f"{name.replace('_', ' ')} {value:.4g}" for name, value in measured.items()]
        sentences.append(f"You reported: {', '.join(values)}{_ratio(measured)}.")
    return sentences


def _ratio(measured: Mapping[str, float]) -> str:
    """Validation over training perplexity, a measure of memorization."""
    upper, lower = (measured.get(name, 0.0) for name in RATIO)
    return f" (validation over training: {upper / lower:.2f})" if upper > 0 and lower > 0 else ""
