"""What became of a trained model, in plain sentences for the person who trained it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..gradebook.exercise_result import ExerciseResult, ModelResult

PENDING = "The model has not been scored: this grading ran without the hidden labels."
FILES_WANTED = "Hand in the folder `submission` that the notebook writes, beside the notebook."
RATIO = ("validation_perplexity", "training_perplexity")


def model_sentences(exercise: ExerciseResult) -> list[str]:
    """For an exercise of the kind "model"; nothing for any other."""
    if exercise.kind != "model":
        return []
    told = exercise.model
    if told is None:
        return [PENDING]
    in_bleu = told.measure == "bleu"
    unit = "BLEU" if in_bleu else "% of the hidden labels right"
    top = f"{told.full_at:g} {unit.split()[0]}"
    scale = f"Points rise from {told.zero_at:g} {unit}, for none, to {top}, for all."
    if told.reached is None:
        wanted = [] if told.handed_in else [FILES_WANTED]
        return [f"No points for the model: {told.problem}.", *wanted, scale]
    sentences = _translated(told) if in_bleu else _classified(told, told.reached)
    sentences[0] += f" {scale}"
    return [*sentences, *(f"{note[0].upper()}{note[1:]}." for note in told.notes)]


def _classified(told: ModelResult, accuracy: float) -> list[str]:
    share = accuracy / 100
    error = 100 * math.sqrt(share * (1 - share) / told.examples)
    return [
        f"Your model is right on {accuracy:.1f} % of {told.examples:,} sentences whose labels "
        f"it never saw (one standard error: {error:.1f} points).",
        f"Your own predict was asked again for {told.recomputed:,} of them, in "
        f"{told.seconds:.0f} s; the sentences came from: {told.source}.",
    ]


def _translated(told: ModelResult) -> list[str]:
    sentences = [
        f"Your model reaches {told.bleu:.1f} BLEU on sentences whose references it never saw; "
        f"with other sentences it might have been {told.low:.1f} to {told.high:.1f} (95 % "
        "interval, by bootstrap).",
        f"Your own translate was asked again for {told.recomputed:,} of {told.examples:,} "
        f"sentences, in {told.seconds:.0f} s ({told.sentences_per_second:g} sentences a "
        f"second of CPU time); they came from: {told.source}.",
        f"BLEU is sacreBLEU's: `{told.signature}`.",
    ]
    if told.agreement is not None:
        sentences.append(
            f"Your translations.txt says the same for {100 * told.agreement:.1f} % of them."
        )
    if measured := told.measured:
        values = [f"{name.replace('_', ' ')} {value:.4g}" for name, value in measured.items()]
        sentences.append(f"By your own account: {', '.join(values)}{_ratio(measured)}.")
    return sentences


def _ratio(measured: Mapping[str, float]) -> str:
    """Perplexity of validation over that of training: how much was learned by heart."""
    upper, lower = (measured.get(name, 0.0) for name in RATIO)
    return f" (validation over training: {upper / lower:.2f})" if upper > 0 and lower > 0 else ""
