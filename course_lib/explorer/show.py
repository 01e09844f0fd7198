"""`show_attention`: displays the explorer in a notebook.

The page is in a sandboxed frame with its text in `srcdoc`. So it needs no package, no server
and no network, and runs in JupyterLab, Notebook, VS Code, Colab, Kaggle and nbconvert's HTML; keys
pressed in it reach no shortcut of the notebook. Viewers that drop frames (GitHub, a notebook that
is not trusted) show the picture below it; a terminal shows the text.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from .maps import AttentionMaps, attention_maps
from .page import height, page
from .picture import described, picture

LIMIT = 40_000  # weights
STYLE = "border:0;width:100%;max-width:680px"


@dataclass(frozen=True)
class Explorer:
    """The explorer as a notebook displays it: equal maps give equal bytes."""

    kinds: tuple[AttentionMaps, ...]

    def _repr_html_(self) -> str:
        names = ", ".join(maps.name for maps in self.kinds)
        drawn = base64.b64encode(picture(self.kinds).encode()).decode()
        return (
            f'<iframe title="Attention explorer: {escape(names)}" sandbox="allow-scripts" '
            f'style="{STYLE}" height="{height(self.kinds)}" '
            f'srcdoc="{escape(page(self.kinds))}"></iframe>\n'
            "<details><summary>All maps as a picture</summary>\n"
            f'<img src="data:image/svg+xml;base64,{drawn}" alt="{escape(described(self.kinds))}">\n'
            "</details>"
        )

    def __repr__(self) -> str:
        return described(self.kinds)


def explorer(*kinds: AttentionMaps) -> Explorer:
    """The explorer of these maps. Raises ValueError if there are none, or too many weights."""
    if not kinds:
        raise ValueError("give at least one attention_maps(weights, words)")
    size = sum(maps.weights.size for maps in kinds)
    if size > LIMIT:
        raise ValueError(
            f"{size:,} weights are more than one page takes ({LIMIT:,}): choose a shorter "
            "sentence, or fewer layers or heads"
        )
    return Explorer(tuple(kinds))


def show_attention(
    weights: Any, queries: Sequence[str], keys: Sequence[str] | None = None, name: str = "attention"
) -> None:
    """Display the explorer of one kind of attention; see `attention_maps` for the arguments."""
    show_maps(attention_maps(weights, queries, keys, name))


def show_maps(*kinds: AttentionMaps) -> None:
    """Display the explorer of several kinds of attention, such as self- and cross-attention."""
    from IPython.display import display

    display(explorer(*kinds))
