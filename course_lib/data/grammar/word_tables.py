"""Reads the words of the grammars from the TOML files beside this module."""

import sys
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@cache
def tables(name: str = "words") -> dict[str, Any]:
    """The tables of `NAME.toml`, in their order."""
    path = Path(__file__).with_name(f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))
