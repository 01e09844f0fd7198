"""The student's side of the seam: carries out a test's requests on a notebook's functions.

Used unchanged by the notebook's own `check` (`LocalBackend`) and by the sandboxed worker. It has no
expected values and no tests; it receives one request at a time and answers with plain data or an
opaque handle.
"""

import json
import random
import sys
import traceback
from typing import Any

import numpy as np

from . import errors, forbidden
from .codec import Decoder, Encoder, Tree
from .errors import (  # types of defaults that a test is shown
    LOAD_ERROR,
    MISSING,
    NOT_WRITTEN,
    OOM,
    POLICY,
    PolicyViolation,
    StudentError,
)

PLAIN = (bool, int, float, str)  # types of a default that a test is shown


class Executor:
    """Answers requests about `namespace`, a notebook's top-level names.

    `unavailable` says why a name is missing ({"softmax": "cell 3 does not parse: …"}).
    """

    def __init__(self, namespace: dict[str, Any], unavailable: dict[str, str] | None = None):
        self.namespace = namespace
        self.unavailable = unavailable or {}
        self.handles: list[object] = []
        self.rules = forbidden.Rules([])
        self._rules: dict[tuple[str, ...], forbidden.Rules] = {}  # by what they forbid

    def respond(self, request: Tree, payload: bytes) -> tuple[Tree, bytes]:
        """Answer a request: `{"ok": value}` or `{"error": …}`. Never raises."""
        encoder = Encoder(self._keep)
        try:
            verb = getattr(self, f"verb_{request['verb']}", None)
            if verb is None:
                raise StudentError("PROTOCOL", f"no verb {request['verb']!r}")
            decoder = Decoder(payload, self._resolve)
            arguments = {key: decoder.decode(tree) for key, tree in request["arguments"].items()}
            with self.rules.imposed():  # an answer may be of a class that computes when it is read
                answer = encoder.encode(verb(**arguments))
            return {"ok": answer}, encoder.payload()
        except BaseException as error:
            reason = self.unavailable.get(getattr(error, "name", None) or "")
            if isinstance(error, NameError) and reason:  # a name that could not be loaded: say why
                return {"error": {"kind": LOAD_ERROR, "message": reason, "where": ""}}, b""
            return {"error": _describe(error)}, b""

    # Verbs. Their arguments are decoded already; their results are encoded by `respond`.

    def verb_begin(self, seed: int, forbid: list[str]) -> None:
        """Start a test: drop old handles, seed every global generator, set the rules."""
        self.handles.clear()
        self.rules = self._rules.setdefault(tuple(forbid), forbidden.Rules(forbid))
        self.rules.begin()
        _seed_everything(seed)

    def verb_names(self) -> list[str]:
        return sorted(name for name in self.namespace if not name.startswith("_"))

    def verb_call(
        self, target: Any, path: str, args: list[Any], kwargs: dict[str, Any], seed: int | None
    ) -> dict[str, Any]:
        """Call a name or a handle; returns the value and the array arguments changed in place."""
        function = self._at(target, path)
        given = {str(index): value for index, value in enumerate(args)} | kwargs
        before, contents = _fingerprints(given), _contents(given)
        if seed is not None:
            _seed_everything(seed)
        value = function(*args, **kwargs)
        after, written = _fingerprints(given) if before else {}, _contents(given)
        return {
            "value": value,
            "changed": [name for name in before if before[name] != after.get(name)],
            "touched": [name for name in contents if contents[name] != written.get(name)],
        }

    def verb_varied(
        self, target: Any, args: list[Any], kwargs: dict[str, Any], forms: list[str]
    ) -> dict[str, bool]:
        """Whether a call holds in these other forms of its arguments: see `variations`."""
        from . import variations

        return variations.holds((target, args, kwargs), forms)

    def verb_make(self, source: str, data: dict[str, Any]) -> object:
        """Evaluate a test's expression on this side, to build generators, callables or modules."""
        scope = {"np": np, "student": self.namespace, **data}
        if "torch" in sys.modules:
            scope["torch"] = sys.modules["torch"]
        return _Made(eval(source, scope))

    def verb_get(self, target: Any, path: str) -> object:
        return self._at(target, path)

    def verb_set(self, target: Any, path: str, value: object) -> None:
        *parents, last = path.split(".")
        owner: Any = self._at(target, ".".join(parents))
        setattr(owner, last, value)

    def verb_bases(self, target: Any) -> list[str]:
        kind = target if isinstance(target, type) else type(target)
        return [f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__]

    def verb_signature(self, target: Any) -> list[list[Any]]:
        """Name, kind and default (None unless plain data) of every parameter."""
        import inspect

        parameters = inspect.signature(target).parameters.values()
        return [
            [p.name, p.kind.name, p.default if type(p.default) in PLAIN else None]  # type: ignore[arg-type]
            for p in parameters
        ]

    def verb_count_steps(self, target: Any, args: list[Any], kwargs: dict[str, Any]) -> int:
        """Bytecode instructions executed in the notebook's own code during one call.

        For a loop over tokens, a comprehension or `np.vectorize` the number grows with n; for a
        vectorized expression it does not. Unlike a time, it is the same on every machine.
        """
        from .steps import counted

        return counted(self.namespace, lambda: target(*args, **kwargs))

    def verb_axes(self, target: Any) -> dict[str, Any]:
        from . import axes

        return axes.read(target)

    def verb_module(self, target: Any, action: str, state: dict[str, Any]) -> object:
        from . import modules

        return modules.act(target, action, state)

    def verb_vjp(self, target: Any, **options: Any) -> dict[str, Any]:
        from . import modules

        return modules.vector_jacobian_product(target, **options)

    def verb_trace(self, target: Any, **options: Any) -> dict[str, Any]:
        from . import modules

        return modules.trace(target, **options)

    # Helpers of the verbs.

    def _resolve(self, number: int, name: str) -> object:
        """The object of a handle, or of a name in the notebook (number -1)."""
        if number >= 0:
            return self.handles[number]
        if name not in self.namespace:
            reason = self.unavailable.get(name)
            raise StudentError(LOAD_ERROR if reason else MISSING, reason or name)
        return self.namespace[name]

    def _at(self, found: Any, path: str) -> Any:
        """The attribute or item at a dotted path."""
        for part in path.split(".") if path else []:
            found = found[int(part)] if part.isdigit() else getattr(found, part)
        return found

    def _keep(self, value: object) -> Tree:
        thing = value.thing if isinstance(value, _Made) else value
        self.handles.append(thing)
        return {"k": "handle", "n": len(self.handles) - 1, "type": type(thing).__qualname__}


class _Made:
    """Marks what a test made here: it is always sent as a handle, even if it is an array."""

    def __init__(self, thing: object):
        self.thing = thing


def _seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    if torch := sys.modules.get("torch"):
        # unlike `torch.manual_seed`, this formats no stack trace for each unused device type
        torch.default_generator.manual_seed(seed)
        if torch.cuda.is_initialized():
            torch.cuda.manual_seed_all(seed)


def _fingerprints(given: dict[str, Any]) -> dict[str, bytes]:
    """The bytes of every array argument, to detect whether the call changes one."""
    prints = {}
    for name, value in given.items():
        encoder = Encoder(_no_handle)
        try:
            encoder.encode(value)
        except StudentError:
            continue
        if encoder.buffers:
            prints[name] = encoder.payload()
    return prints


def _contents(given: dict[str, Any]) -> dict[str, str]:
    """The contents of lists, dicts and dataclasses among the arguments, apart from arrays."""
    return {
        name: json.dumps(Encoder(_no_handle).encode(held))
        for name, value in given.items()
        for held in [vars(value) if hasattr(value, "__dataclass_fields__") else value]
        if isinstance(held, (list, dict))
    }


def _no_handle(value: object) -> Tree:
    return {"k": "v", "v": None}


def _describe(error: BaseException) -> Tree:
    """Kind, message, and the last line of the student's own code that was running."""
    if isinstance(error, StudentError):
        return {"kind": error.kind, "message": error.message, "where": error.where}
    kinds = {NotImplementedError: NOT_WRITTEN, PolicyViolation: POLICY, MemoryError: OOM}
    kind = next((name for known, name in kinds.items() if isinstance(error, known)), None)
    if kind == NOT_WRITTEN and not errors.is_of_a_stub(error):
        kind = None
    message = errors.text_of(error)
    if isinstance(error, RuntimeError) and "DefaultCPUAllocator" in message:
        kind = OOM  # torch's MemoryError
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith("<cell") or "ipykernel" in f.filename]
    where = ""
    if own:  # in a live kernel the cell has no number that a reader could look up
        cell = own[-1].filename.strip("<>") if own[-1].filename.startswith("<") else "its cell"
        where = f"{cell}, line {own[-1].lineno}"
    # the student's own exception class counts as the built-in one that it derives from
    known = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    return {"kind": kind or known, "message": message[:2000], "where": where}


class LocalBackend:
    """Runs every request in this process, through the same encoding as for a worker."""

    def __init__(self, executor: Executor):
        self.executor = executor

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        answer, data = self.executor.respond(json.loads(json.dumps(request)), payload)
        return json.loads(json.dumps(answer)), data
