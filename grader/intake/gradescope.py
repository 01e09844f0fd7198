"""Reads the list of submissions that an export of Gradescope contains."""

import datetime
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..classroom.receipt import Receipt, with_zone
from . import plain_files
from .download_names import Download

FILE = "submission_metadata.yml"
MAX_BYTES = 256 << 20


class ExportError(Exception):
    """The list cannot be read; one sentence."""


def read(folder: Path) -> dict[str, tuple[list[Download], Receipt | None]]:
    """Of each folder in an export: who handed it in, and when. Empty if there is no such list.

    Raises ExportError.
    """
    path = folder / FILE
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=1)  # it also holds the results of Gradescope's own tests, and can be long
def _read(path: Path, _saved: int) -> dict[str, tuple[list[Download], Receipt | None]]:
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads Ruby's objects, such as times, as the plain values they consist of."""

    Loader.add_multi_constructor("!", _plain)
    try:
        with plain_files.opened(path) as file:
            text = file.read(MAX_BYTES)
        found = yaml.load(text, Loader)
        return {str(name): (_submitters(about), _time(about)) for name, about in found.items()}
    except (yaml.YAMLError, plain_files.RefusedError, OSError) as error:
        why = " ".join(str(error).split())[:200]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        why = f"{type(error).__name__}: {error}"
    raise ExportError(f"{path}: cannot be read ({why}); export again, or move it away") from None


def _plain(loader: Any, _tag: str, node: Any) -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


def _submitters(about: Mapping[str, Any]) -> list[Download]:
    return [
        Download(
            "gradescope",
            tuple(str(one[key]) for key in (":sid", ":email", ":name") if one.get(key)),
            str(one.get(":name") or ""),
            str(one.get(":email") or ""),
        )
        for one in about.get(":submitters") or []
    ]


def _time(about: Mapping[str, Any]) -> Receipt | None:
    when = about.get(":created_at")
    if isinstance(when, Mapping):
        when = when.get("utc")
    if when is None:
        return None
    if not isinstance(when, datetime.datetime):
        when = with_zone(str(when), datetime.timezone.utc)
    if when.tzinfo is None:
        when = when.replace(tzinfo=datetime.timezone.utc)  # Gradescope writes UTC
    return Receipt(when, "gradescope")
