"""A small page in a notebook: type a sentence, see its translation, the beam and the alignment.

    show(look, plot_alignment, "Two dogs play in the snow.")

`look(text, width)` gives `(hypotheses, source_words, target_words, weights)`: pairs of a score and
a text, the best first, and the attention between the words of the first. `plot(weights, source,
target, ax)` draws that. The first sentence is shown as ordinary output, so that a notebook which
nobody can click, a printed one or a page of the book, has it too.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image, display

Look = Callable[
    [str, int], tuple[Sequence[tuple[float, str]], Sequence[str], Sequence[str], np.ndarray]
]
Plot = Callable[..., Any]

HINT = "Run this cell in a notebook to type a sentence of your own."


class TranslationPage:
    """The fields of the page, `text` and `width`, and the `answer` below them.

    Enter, or another width, asks `look` again. What `look` cannot do is told in the answer.
    """

    def __init__(self, look: Look, plot: Plot, text: str, width: int = 5) -> None:
        self._look, self._plot = look, plot
        self.text = ipywidgets.Text(value=text, description="English", continuous_update=False)
        self.text.layout.width = "90%"
        self.width = ipywidgets.IntSlider(
            value=width, min=1, max=10, description="beam", continuous_update=False
        )
        self.answer = ipywidgets.HTML(value="Change the sentence and press Enter.")
        self.box = ipywidgets.VBox([self.text, self.width, self.answer])
        for field in (self.text, self.width):
            field.observe(lambda change: self.translate(), "value")

    def translate(self) -> None:
        """Put the answer to what the fields hold below them."""
        if not self.text.value.strip():
            self.answer.value = "Type a sentence."
            return
        self.answer.value = "…"
        try:
            beam, image, told = self._seen(self.text.value, self.width.value)
        except Exception as error:  # a callback's own traceback would be seen by nobody
            self.answer.value = html.escape(f"{type(error).__name__}: {error}")
            return
        rows = "".join(f"<tr><td>{s:.2f}</td><td>{html.escape(t)}</td></tr>" for s, t in beam)
        picture = base64.b64encode(image).decode()
        self.answer.value = (
            f"<p><b>{html.escape(beam[0][1])}</b></p>"
            f"<table><tr><th>score</th><th>beam</th></tr>{rows}</table>"
            f'<img alt="{html.escape(told)}" src="data:image/png;base64,{picture}">'
        )

    def print_first(self) -> None:
        """The answer as ordinary output: text and a picture."""
        beam, image, told = self._seen(self.text.value, self.width.value)
        print(f"{self.text.value} → {beam[0][1]}")
        for score, text in beam:
            print(f"  {score:7.2f}  {text}")
        display(Image(data=image, alt=told))
        print(f"Figure: {told}")

    def _seen(self, text: str, width: int) -> tuple[Sequence[tuple[float, str]], bytes, str]:
        """The beam, the heat map as PNG, and what it shows in words."""
        beam, source, target, weights = self._look(text, width)
        height = 1.5 + 0.3 * len(target)
        figure, ax = plt.subplots(figsize=(2.5 + 0.4 * len(source), height), layout="constrained")
        try:
            self._plot(weights, source, target, ax)
            image = io.BytesIO()
            figure.savefig(image, format="png", dpi=80)
        finally:
            plt.close(figure)
        most = [
            f"{word} at {source[int(row.argmax())]}"
            for word, row in zip(target, weights, strict=True)
        ]
        return beam, image.getvalue(), "where each word looks most: " + ", ".join(most)


def show(look: Look, plot: Plot, text: str, width: int = 5) -> None:
    """Display the page for `text`, answered, and fields to go on with."""
    page = TranslationPage(look, plot, text, width)
    page.print_first()
    view = {"version_major": 2, "version_minor": 0, "model_id": page.box.model_id}
    data = {"application/vnd.jupyter.widget-view+json": view, "text/plain": HINT}
    display(data, raw=True)
