"""A notebook without the outputs of its cells."""

from __future__ import annotations

import json
from typing import Any


def without_outputs(data: bytes) -> bytes:
    """The same notebook with empty outputs; the bytes as they are if it is no notebook."""
    try:
        document: Any = json.loads(data.decode("utf-8-sig"))
        for cell in document["cells"]:
            if cell["cell_type"] == "code":
                cell["outputs"], cell["execution_count"] = [], None
    except (ValueError, KeyError, TypeError, RecursionError):
        return data
    return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"
