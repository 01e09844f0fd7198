"""The student's notebook, for use in a test as if it were a module.

    def test_shift(student):
        expect.close(student.softmax(np.zeros(3)), [1/3, 1/3, 1/3])

    layer = student.SelfAttention(4, rng=student.make("np.random.default_rng(0)"))
    layer.set("w_q", np.eye(4))
    output, weights = layer(x)

A test receives plain data; anything else that the student's code returns is an opaque `Handle`.
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

from .codec import Decoder, Encoder, Tree
from .errors import shaped, told_by

VARIED_SECONDS = 20.0  # for a call in all forms


class Backend(Protocol):
    """Carries one request to the student's side and its answer back."""

    def request(self, request: Tree, payload: bytes, deadline: float | None) -> tuple[Tree, bytes]:
        """Raises StudentError when the other side hangs, dies or answers nonsense."""
        ...


@dataclass(frozen=True)
class CallResult:
    """One call: its value, and the names or positions of arguments it changed in place.

    `changed` are arrays, or hold some; `touched` are lists, dicts and dataclasses.
    """

    value: Any
    changed: list[str]
    touched: list[str]

    def __post_init__(self) -> None:
        for names in (self.changed, self.touched):
            if not (isinstance(names, list) and all(len(str(name)) <= 200 for name in names[:99])):
                raise TypeError("these are no names of arguments")
            del names[99:]


@dataclass(frozen=True)
class Call:
    """A call that a test has made, and the arguments that were changed by it."""

    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    changed: list[str]

    @property
    def name(self) -> str:
        return str(getattr(self.target, "name", None) or getattr(self.target, "type_name", ""))


@dataclass(frozen=True)
class Gradients:
    """A vector-Jacobian product: gradients by argument position and by parameter name."""

    value: Any
    arguments: dict[int, Any]
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Traced:
    """One forward pass: output and number of calls of every submodule, by name."""

    value: Any
    outputs: dict[str, Any]
    calls: dict[str, int]


class Student:
    """The notebook under test. `student.softmax(x)` calls its `softmax`."""

    def __init__(self, backend: Backend):
        self._backend = backend
        self._raised = False
        self.gave_none = False  # whether a call did so since the test began
        self.calls = list[Call]()  # since the test began

    def __getattr__(self, name: str) -> "Function":
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, name)

    def begin(self, seed: int = 0, forbid: list[str] | None = None) -> None:
        """Start a test: fresh handles, seeded generators, this exercise's rules."""
        self._ask("begin", seed=seed, forbid=forbid or [])
        self._raised = self.gave_none = False
        self.calls.clear()

    def raised(self) -> bool:
        """Whether some call raised since the test began, also if the test expected that."""
        return self._raised

    def names(self) -> list[str]:
        return self._ask("names")

    def make(self, source: str, *, deadline: float | None = None, **data: Any) -> "Handle":
        """Evaluate a Python expression on the student's side (`np`, `torch` and `data` in scope).

        For arguments that cannot be sent as data: generators, callables, modules. `student` in the
        expression is the notebook's namespace, a dict.
        """
        return self._ask("make", deadline=deadline, source=source, data=data)

    def call(
        self,
        target: "Function | Handle | str",
        *args: Any,
        seed: int | None = None,
        deadline: float | None = None,
        **kwargs: Any,
    ) -> CallResult:
        """Call with options: seed the global generators first, report changed arguments."""
        answer = self._ask(
            "call",
            deadline=deadline,
            target=target,
            path="",
            args=list(args),
            kwargs=kwargs,
            seed=seed,
        )
        result: CallResult = shaped(CallResult, answer)
        self.gave_none |= result.value is None
        self.calls.append(Call(target, args, kwargs, [*result.changed, *result.touched]))
        return result

    def varied(self, call: Call, forms: list[str]) -> dict[str, bool]:
        """Whether a call holds in these other forms of its arguments: see `variations`."""
        how = {"target": call.target, "args": [*call.args], "kwargs": call.kwargs, "forms": forms}
        found = self._ask("varied", deadline=VARIED_SECONDS, **how) if forms else {}
        answers = found if isinstance(found, dict) else {}
        return {form: answers[form] is True for form in forms if form in answers}

    def count_steps(self, target: "Function | Handle", *args: Any, **kwargs: Any) -> int:
        """Bytecode instructions run in the notebook's code: grows with n if it loops over n."""
        return self._ask("count_steps", target=target, args=list(args), kwargs=kwargs)

    def vjp(
        self,
        target: "Function | Handle",
        *args: Any,
        cotangent: Any = None,
        output: int = 0,
        parameters: bool = False,
        **kwargs: Any,
    ) -> Gradients:
        """Gradients of the sum of one output, weighted by `cotangent` (default ones)."""
        how: dict[str, Any] = {"cotangent": cotangent, "output": output, "parameters": parameters}
        given: dict[str, Any] = {"target": target, "args": list(args), "kwargs": kwargs}
        result: Gradients = shaped(Gradients, self._ask("vjp", **given, **how))
        self.gave_none |= result.value is None
        return result

    def trace(self, target: "Handle", *args: Any, **kwargs: Any) -> Traced:
        """One forward pass of a module, with the output of every submodule."""
        return shaped(Traced, self._ask("trace", target=target, args=list(args), kwargs=kwargs))

    def _ask(self, verb: str, deadline: float | None = None, **arguments: Any) -> Any:
        encoder = Encoder(_handle_tree)
        request = {
            "verb": verb,
            "arguments": {name: encoder.encode(value) for name, value in arguments.items()},
        }
        answer, payload = self._backend.request(request, encoder.payload(), deadline)
        if "error" in answer:
            self._raised = True
            raise told_by(answer["error"])
        decoder = Decoder(payload, lambda number, type_name: Handle(self, number, type_name))
        return decoder.decode(answer.get("ok"))


class _Target:
    """The common part of a name and a handle."""

    _student: Student

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._student.call(self, *args, **kwargs).value  # type: ignore[arg-type]

    def get(self, path: str = "") -> Any:
        """The value at a dotted path (`layers.0.w_q`): data if possible, else a handle."""
        return self._student._ask("get", target=self, path=path)

    def bases(self) -> list[str]:
        """Full names of the class and its bases, in method resolution order."""
        return self._student._ask("bases", target=self)

    def signature(self) -> list[list[Any]]:
        """[name, kind, default] of every parameter."""
        return self._student._ask("signature", target=self)


@dataclass(frozen=True, eq=False)
class Function(_Target):
    """A name of the notebook."""

    _student: Student = field(repr=False)
    name: str


@dataclass(frozen=True, eq=False)
class Handle(_Target):
    """An object that stays on the student's side; equal only to itself."""

    _student: Student = field(repr=False)
    number: int
    type_name: str

    def set(self, path: str, value: Any) -> None:
        self._student._ask("set", target=self, path=path, value=value)

    def method(self, path: str, *args: Any, **kwargs: Any) -> Any:
        """Call the method at a dotted path."""
        answer = self._student._ask(
            "call", target=self, path=path, args=list(args), kwargs=kwargs, seed=None
        )
        return shaped(CallResult, answer).value

    def state_dict(self) -> dict[str, Any]:
        return self._module("state_dict")

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._module("load_state_dict", state)

    def parameters(self) -> dict[str, bool]:
        """Parameter names, and whether each requires gradients."""
        return self._module("parameters")

    def train(self) -> None:
        self._module("train")

    def eval(self) -> None:
        self._module("eval")

    def axes(self) -> dict[str, Any]:
        """A matplotlib Axes as data: see `seam.axes.read`."""
        return self._student._ask("axes", target=self)

    def _module(self, action: str, state: dict[str, Any] | None = None) -> Any:
        return self._student._ask("module", target=self, action=action, state=state or {})


def _handle_tree(value: object) -> Tree:
    if isinstance(value, Function):
        return {"k": "handle", "n": -1, "type": value.name}
    if isinstance(value, Handle):
        return {"k": "handle", "n": value.number, "type": value.type_name}
    raise TypeError(f"a test cannot send a {type(value).__name__}; build it with student.make(…)")
