"""Text from strangers, made safe to show: nothing invisible, and no terminal control codes."""

import json
import re
import unicodedata

_IN_SCRIPTS = "\u00ad\u200b\u200c\u200d\u200e\u200f"  # invisible, but legitimate in many scripts
_BREAKS = re.compile(r"[\s\u2028\u2029]")


def visible(text: str) -> str:
    """Shows control characters, lone surrogates and bidi marks as ⟨U+202E⟩, tabs as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character) for character in text.replace("\r\n", "\n").expandtabs(4))


def visible_name(text: str) -> str:
    """The same in one line, so that no name passes for a line of its own."""
    return visible(_BREAKS.sub(lambda found: _code(found[0]) if found[0] != " " else " ", text))


def visible_json(value: object) -> str:
    """JSON in one line that means the value exactly and sends nothing to a terminal."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isascii():
        return text
    return "".join(c if _shown(c) == c else json.dumps(c)[1:-1] for c in text)


def _shown(character: str) -> str:
    if character == "\n" or unicodedata.category(character) not in ("Cc", "Cf", "Cs"):
        return character
    return character if character in _IN_SCRIPTS else _code(character)


def _code(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
