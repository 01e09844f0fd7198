"""Prints the messages of commands: all of them pass here, because any may quote a stranger."""

import json
import sys

from ..course.visible import visible, visible_json


def say(text: object) -> None:
    print(visible(str(text)))


def warn(text: object) -> None:
    print(visible(str(text)), file=sys.stderr)


def say_json(value: object) -> None:
    """Print a value for another program; a character that the output has not is escaped."""
    text, encoding = visible_json(value), sys.stdout.encoding or "utf-8"
    there = text.encode(encoding, "ignore").decode(encoding) == text
    print(text if there else json.dumps(value))
