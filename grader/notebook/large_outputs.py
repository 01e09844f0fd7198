"""Empties the largest outputs of a notebook that is too large, without parsing it as a whole.

Parsed JSON takes many times the file's size in memory, so this searches the bytes for brackets and
quotation marks instead.
"""

import re
from collections.abc import Iterator

MAX_STEPS = 30_000_000  # brackets and quotation marks: some 10 seconds
_MARK = re.compile(rb'["\[\]{}]')
_IS_KEY = re.compile(rb"\s*:")
# where outputs are: how deep their bracket is, and the keys on the way to it by their depth
_OUTPUTS = {
    3: {1: b'"cells"', 3: b'"outputs"'},
    2: {1: b'"metadata"', 2: b'"widgets"'},
}
_BACKSLASH = 0x5C
MAX_DEPTH = 1_000  # of brackets: no parser of JSON reads more
SMALL = 1_000  # bytes of outputs that are not worth emptying


def within(data: bytes, most: int) -> bytes:
    """The notebook with its largest outputs emptied, one by one, until it has `most` bytes.

    An emptied output still shows whether there was a picture. If that is not enough, or if this is
    not a notebook, the result is larger than `most`.
    """
    if len(data) <= most:
        return data
    cut, left = dict[tuple[int, int], bytes](), len(data)
    for start, end in sorted(_outputs(data), key=lambda span: span[0] - span[1]):
        if left <= most or end - start <= SMALL:
            break
        cut[start, end] = _emptied(data, start, end)
        left -= end - start - len(cut[start, end])
    parts, at = list[bytes](), 0
    for (start, end), instead in sorted(cut.items()):
        parts += [data[at:start], instead]
        at = end
    return b"".join([*parts, data[at:]])


def _emptied(data: bytes, start: int, end: int) -> bytes:
    """The stand-in for a cell's outputs, or for the state of widgets."""
    if data[start : start + 1] == b"{":
        return b"{}"
    drawn = data.find(b'"image/', start, end) >= 0
    shown = b'"data": {"image/png": ""}' if drawn else b'"data": {}'
    return b'[{"output_type": "display_data", "metadata": {}, ' + shown + b"}]"


def _outputs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where the outputs of each cell and the state of widgets begin and end."""
    depth, keys = 0, dict[int, bytes]()
    opened, inside = -1, 0  # of the outputs that are being passed: their start and their depth
    for start, end in _marks(data):
        mark = data[start:end]
        if mark in (b"[", b"{"):
            if not inside and _is_output(depth, keys):
                inside, opened = depth + 1, start
            depth += 1
            if depth > MAX_DEPTH:
                return
        elif mark in (b"]", b"}"):
            depth -= 1
            if inside == depth + 1:
                yield opened, end
                inside = 0
        elif depth <= 3 and _IS_KEY.match(data, end):
            keys[depth] = mark


def _is_output(depth: int, keys: dict[int, bytes]) -> bool:
    """Whether the bracket that comes next at this depth opens outputs."""
    path = _OUTPUTS.get(depth)
    return path is not None and all(keys.get(level) == key for level, key in path.items())


def _marks(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each bracket and each string begins and ends; ends early after `MAX_STEPS`."""
    at, opened = 0, -1  # `opened`: where the string began that is being passed
    for _ in range(MAX_STEPS):
        if opened < 0:
            found = _MARK.search(data, at)
            if found is None:
                return
            start, at = found.span()
            if found[0] == b'"':
                opened = start
            else:
                yield start, at
            continue
        before, at = at, data.find(b'"', at) + 1
        if at == 0:
            return
        if data[at - 2] == _BACKSLASH and _ends_odd(data[before : at - 1]):
            continue
        yield opened, at
        opened = -1


def _ends_odd(text: bytes) -> bool:
    """Whether an odd number of backslashes is at the end, so that they escape what follows."""
    return (len(text) - len(text.rstrip(b"\\"))) % 2 == 1
