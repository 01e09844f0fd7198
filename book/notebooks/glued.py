"""`glue` of a lecture's cells: keeps a figure or a number for a {glue:…} of the page's text.

What MyST-NB's own `glue` writes, without what importing that costs every kernel: more than a second
for a schema of notebooks, which no cell needs.
"""

from typing import Any

from IPython.core.formatters import format_display_data
from IPython.display import display as show
from IPython.display import publish_display_data

KEPT = "application/papermill.record/"  # MyST-NB takes an output of such a type out of the page


def glue(name: str, value: Any, display: bool = True) -> None:
    """Keep what a notebook would display of a value, under a name of its own; display it, too."""
    shown, about = format_display_data(value)
    prefix = "" if display else KEPT
    publish_display_data(
        {prefix + kind: data for kind, data in shown.items()},
        about | {"scrapbook": {"name": name, "mime_prefix": prefix}},
    )


def kept_or_shown(name: str, value: Any, display: bool = True) -> None:
    """`glue` where no page shows a figure later: it is shown here, anything else is kept."""
    if hasattr(value, "savefig"):
        show(value)
    else:
        glue(name, value, display=False)
