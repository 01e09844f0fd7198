"""`course demo` and its options."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="folder for the demo's report")] = Path("out/demo"),
    jobs: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Grade a small bundled class and point out what to look at."""
    from . import demo_command

    raise typer.Exit(demo_command.run(out, jobs))
