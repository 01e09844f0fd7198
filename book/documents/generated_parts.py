"""Parts of documents that the build writes, between `<!-- KIND: NAME -->` and `<!-- /KIND -->`."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.library.components import BuildError


def filled(text: str, kind: str, part: Callable[[str], str]) -> str:
    """The document with all parts of a kind; `part` gives the text of a name.

    A line that begins with a comment is no Markdown, so a part goes below such a beginning.
    """

    def whole(found: re.Match[str]) -> str:
        made = part(found[1])
        begins_line = not text[: found.start()].rpartition("\n")[2]
        gap = "\n" if begins_line and not made.startswith("\n") else ""
        return f"<!-- {kind}: {found[1]} -->{gap}{made}<!-- /{kind} -->"

    return re.sub(rf"<!-- {kind}: (\w+) -->.*?<!-- /{kind} -->", whole, text, flags=re.DOTALL)


def results(folder: Path, name: str) -> dict[str, Any]:
    """The contents of a results file. Raises BuildError if it is not there."""
    path = folder / f"{name}.json"
    if not path.exists():
        raise BuildError(f"results/{name}.json is missing: run its command first")
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
