"""What commands say: every line goes through here, because any of it may quote a stranger."""

from __future__ import annotations

import sys

from ..course.visible import visible, visible_json


def say(text: object) -> None:
    print(visible(str(text)))


def warn(text: object) -> None:
    print(visible(str(text)), file=sys.stderr)


def say_json(value: object) -> None:
    """Print a value for another program."""
    print(visible_json(value))
