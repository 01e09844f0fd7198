"""The front page's heat map: which English word each French one was translated from."""

from __future__ import annotations

import io
from typing import Any

from course_lib.analysis.attention_alignment import plot_alignment
from course_lib.analysis.translator_alignment import align
from course_lib.decoding.translator import Translator
from course_lib.drawings.palette import ROLES

from ..live import live_model

SENTENCE = "The old king never sleeps in his castle."  # French has another order, and one word more
INCHES, DOTS = (8.0, 5.87), 150  # of the other pictures' shape


def png(dark: bool) -> bytes:
    """The picture for a page in light or dark colors."""
    import matplotlib.pyplot as plt

    translator = Translator.load(live_model.FOLDER)
    (translation,) = translator.translate([SENTENCE])
    found = align(translator, SENTENCE, translation)
    paper, ink = ROLES["paper"], ROLES["ink"]
    back, front = (paper.dark_fill, ink.dark_fill) if dark else (paper.fill, ink.fill)
    colors: dict[Any, Any] = {
        "figure.facecolor": back,
        "axes.facecolor": back,
        "font.size": 14,
        "figure.constrained_layout.h_pad": 0.15,
        "figure.constrained_layout.w_pad": 0.15,
        **dict.fromkeys(
            ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"),
            front,
        ),
    }
    with plt.rc_context(colors):
        figure, ax = plt.subplots(figsize=INCHES, layout="constrained")
        plot_alignment(found.weights, found.source, found.target, ax)
        ax.set(title="", xlabel="", ylabel="")
        ax.tick_params(length=0)
        data = io.BytesIO()
        figure.savefig(data, format="png", dpi=DOTS)
        plt.close(figure)
    return data.getvalue()
