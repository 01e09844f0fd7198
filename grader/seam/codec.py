"""Encodes values that pass between judge and student: JSON plus raw buffers, never pickle.

A value is a JSON tree whose arrays point into one byte payload. What arrives is validated (nesting,
counts, dtypes, that every buffer lies inside the payload) and rebuilt as plain objects, so a
subclass that overrides `__eq__` or `__array__` never reaches a test. This is the only place where
an answer is measured: whatever passes, NumPy or torch can turn into one array of MAX_ARRAY bytes.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import PROTOCOL, StudentError

MAX_DEPTH = 16
MAX_ITEMS = 200_000
MAX_DIMENSIONS = 8
MAX_TEXT = 1_000_000
MAX_PAYLOAD = 64 * 2**20
MAX_ARRAY = 8 * MAX_PAYLOAD  # bytes: 8 for each number, as float64
MAX_BITS = 256  # of an integer

TORCH_DTYPES = frozenset(
    "bool int8 int16 int32 int64 uint8 float16 bfloat16 float32 float64".split()
)
NUMPY_DTYPES = TORCH_DTYPES - {"bfloat16"} | {"uint16", "uint32", "uint64"}

Tree = dict[str, Any]

_CHARACTER = 4  # bytes in an array of text
_AS_THEY_ARE = frozenset({type(None), bool, float})
_PLAIN = _AS_THEY_ARE | {int, str}  # exactly these types: JSON has no subclasses


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")  # without torch imported there are no tensors
    return torch is not None and isinstance(value, torch.Tensor)


class Encoder:
    """Turns values into a tree and a payload.

    Anything but plain data goes to `on_opaque`, which returns a tree (a handle) or raises.
    """

    def __init__(self, on_opaque: Callable[[object], Tree]):
        self.on_opaque = on_opaque
        self.buffers: list[bytes] = []
        self.size = self.items = 0

    def payload(self) -> bytes:
        return b"".join(self.buffers)

    def encode(self, value: object, depth: int = 0) -> Tree:
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS:
            raise StudentError(PROTOCOL, "the value is nested too deeply or has too many parts")
        if type(value) in _AS_THEY_ARE:  # most values, so the rest of the list is not gone through
            return {"k": "v", "v": value}
        if isinstance(value, (np.generic, np.ndarray)) and value.dtype == np.longdouble:
            value = value.astype(np.float64)  # no library sends more than that
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, float)):
            return {"k": "v", "v": value if value is None else _plain_number(value)}
        if isinstance(value, int):
            if value.bit_length() > MAX_BITS:
                raise StudentError(PROTOCOL, f"an integer of more than {MAX_BITS} bits")
            return {"k": "v", "v": int(value)}
        if isinstance(value, str):
            return {"k": "v", "v": str(value)[:MAX_TEXT]}
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {"k": kind, "v": [self.encode(item, depth + 1) for item in value]}
        if isinstance(value, dict):
            pairs = [
                [self.encode(key, depth + 1), self.encode(item, depth + 1)]
                for key, item in value.items()
            ]
            return {"k": "dict", "v": pairs}
        if isinstance(value, np.ndarray) and value.dtype.name in NUMPY_DTYPES:
            return self._array("numpy", value.dtype.name, value.shape, np.asarray(value).tobytes())
        if _is_tensor(value):
            return self._tensor(value)
        return self.on_opaque(value)

    def _tensor(self, tensor: Any) -> Tree:
        import torch

        plain = tensor.detach().cpu().contiguous()
        name = str(plain.dtype).removeprefix("torch.")
        if name not in TORCH_DTYPES or plain.is_sparse:
            raise StudentError(PROTOCOL, f"a tensor of dtype {name} cannot be sent")
        raw = plain.view(torch.int16) if name == "bfloat16" else plain
        return self._array("torch", name, tuple(plain.shape), raw.numpy().tobytes())

    def _array(self, library: str, dtype: str, shape: tuple[int, ...], raw: bytes) -> Tree:
        offset, self.size = self.size, self.size + len(raw)
        if self.size > MAX_PAYLOAD:
            raise StudentError(PROTOCOL, f"more than {MAX_PAYLOAD // 2**20} MiB of array data")
        self.buffers.append(raw)
        return {"k": library, "dtype": dtype, "shape": list(shape), "at": offset}


def _plain_number(value: bool | float) -> bool | float:
    return bool(value) if isinstance(value, bool) else float(value)


class Decoder:
    """Rebuilds plain values from an untrusted tree. Raises StudentError if it is malformed.

    `on_handle(number, type_name)` returns the object that represents a handle on this side.
    """

    def __init__(self, payload: bytes, on_handle: Callable[[int, str], object]):
        self.payload, self.on_handle = payload, on_handle
        self.items = self.size = self.numbers = self.longest = 0

    def decode(self, tree: object, depth: int = 0) -> Any:
        self.items += 1
        if depth > MAX_DEPTH or self.items > MAX_ITEMS or not isinstance(tree, dict):
            raise StudentError(PROTOCOL, "the answer is not a well-formed value")
        kind, value = tree.get("k"), tree.get("v")
        if type(value) is int and value.bit_length() > MAX_BITS:
            raise StudentError(PROTOCOL, f"an integer of more than {MAX_BITS} bits")
        if type(value) is str and len(value) > MAX_TEXT:
            raise StudentError(PROTOCOL, f"a text of more than {MAX_TEXT} characters")
        if kind == "v" and type(value) in _PLAIN:
            self.longest = max(self.longest, len(value) if type(value) is str else 0)
            return value
        if kind in ("list", "tuple") and isinstance(value, list):
            items = self._parts(value, self.decode, depth + 1)
            return tuple(items) if kind == "tuple" else items
        if kind == "dict" and isinstance(value, list):
            return dict(self._parts(value, self._pair, depth + 1, arrays=False))
        if kind in ("numpy", "torch"):
            return self._array(kind, tree)
        if kind == "handle" and isinstance(tree.get("n"), int):
            return self.on_handle(tree["n"], str(tree.get("type", "object"))[:200])
        raise StudentError(PROTOCOL, "the answer is not a well-formed value")

    def _parts(
        self,
        values: list[object],
        decode: Callable[[object, int], Any],
        depth: int,
        arrays: bool = True,
    ) -> list[Any]:
        """The parts of a value, which as an array of text would all be as long as the longest.

        With `arrays`, numbers of arrays among them count: those of a list can join its texts, those
        of a dictionary, a model's weights say, stay apart.
        """
        before, self.longest = self.longest, 0
        items, numbers = self.items, self.numbers
        parts = [decode(value, depth) for value in values]
        count = self.items - items + (self.numbers - numbers if arrays else 0)
        if self.longest * count * _CHARACTER > MAX_ARRAY:
            raise StudentError(PROTOCOL, "too long a text among too many items")
        self.longest = max(self.longest, before)
        return parts

    def _pair(self, pair: object, depth: int) -> tuple[Any, Any]:
        if not isinstance(pair, list) or len(pair) != 2:
            raise StudentError(PROTOCOL, "the answer is not a well-formed value")
        before = self.longest
        key = self.decode(pair[0], depth)
        self.longest = before  # only values are made into arrays
        if not (key is None or isinstance(key, (bool, int, float, str))):
            raise StudentError(PROTOCOL, "a dictionary key that is neither text nor a number")
        return key, self.decode(pair[1], depth)

    def _array(self, library: str, tree: Tree) -> Any:
        dtype, shape, offset = tree.get("dtype"), tree.get("shape"), tree.get("at")
        allowed = NUMPY_DTYPES if library == "numpy" else TORCH_DTYPES
        if not (
            isinstance(dtype, str)
            and dtype in allowed
            and isinstance(offset, int)
            and isinstance(shape, list)
            and len(shape) <= MAX_DIMENSIONS
            and all(type(length) is int and 0 <= length <= MAX_PAYLOAD for length in shape)
        ):
            raise StudentError(PROTOCOL, "an array with an impossible dtype or shape")
        stored = np.dtype("int16" if dtype == "bfloat16" else dtype)
        count = math.prod(shape)
        most = MAX_PAYLOAD if count else MAX_ITEMS  # a 0 hides the other sizes, which cost no bytes
        if math.prod(length or 1 for length in shape) > most:
            raise StudentError(PROTOCOL, "an array with an impossible dtype or shape")
        if offset < 0 or offset + count * stored.itemsize > len(self.payload):
            raise StudentError(PROTOCOL, "an array that lies outside its message")
        self.size += count * stored.itemsize  # arrays may overlap, and each is copied
        self.numbers += count
        if self.size > MAX_PAYLOAD:
            raise StudentError(PROTOCOL, f"more than {MAX_PAYLOAD // 2**20} MiB of array data")
        array = np.frombuffer(self.payload, stored, count, offset).reshape(shape).copy()
        if stored == np.bool_:  # bytes other than 0 and 1 would be undefined behavior
            array = np.asarray(array.view(np.uint8) != 0)  # of no axis, it would be a scalar
        if library == "numpy":
            return array
        import torch

        tensor = torch.from_numpy(array)
        return tensor.view(torch.bfloat16) if dtype == "bfloat16" else tensor
