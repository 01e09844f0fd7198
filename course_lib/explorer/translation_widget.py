"""A notebook widget: type a sentence, see its translation, the beam and the alignment.

    show(look, plot_alignment, "Two dogs play in the snow.")

`look(text, width)` gives `(hypotheses, source_words, target_words, weights)`: pairs of score and
text, the best first, and the attention between the words of the best. `plot(weights, source,
target, ax)` draws it. The first sentence is also shown as ordinary output, for a notebook that is
not interactive, such as a printout or a page of the book.
"""

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
    """The input fields `text` and `width`, and the `answer` below them.

    Enter, or another width, calls `look` again. An error of `look` is shown in the answer.
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
        """Show the translation of the current input."""
        if not self.text.value.strip():
            self.answer.value = "Type a sentence."
            return
        self.answer.value = "…"
        try:
            beam, image, caption = self._render(self.text.value, self.width.value)
        except Exception as error:  # the traceback of a widget callback is not displayed
            self.answer.value = html.escape(f"{type(error).__name__}: {error}")
            return
        rows = "".join(f"<tr><td>{s:.2f}</td><td>{html.escape(t)}</td></tr>" for s, t in beam)
        picture = base64.b64encode(image).decode()
        self.answer.value = (
            f"<p><b>{html.escape(beam[0][1])}</b></p>"
            f"<table><tr><th>score</th><th>beam</th></tr>{rows}</table>"
            f'<img alt="{html.escape(caption)}" src="data:image/png;base64,{picture}">'
        )

    def print_first(self) -> None:
        """Show the translation as ordinary output: text and an image."""
        beam, image, caption = self._render(self.text.value, self.width.value)
        print(f"{self.text.value} → {beam[0][1]}")
        for score, text in beam:
            print(f"  {score:7.2f}  {text}")
        display(Image(data=image, alt=caption))
        print(f"Figure: {caption}")

    def _render(self, text: str, width: int) -> tuple[Sequence[tuple[float, str]], bytes, str]:
        """The beam, the heat map as PNG, and a caption."""
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
    """Display the translation of `text`, followed by the interactive fields."""
    page = TranslationPage(look, plot, text, width)
    page.print_first()
    view = {"version_major": 2, "version_minor": 0, "model_id": page.box.model_id}
    data = {"application/vnd.jupyter.widget-view+json": view, "text/plain": HINT}
    display(data, raw=True)
