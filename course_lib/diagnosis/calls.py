"""How the parts of a model are called: their arguments, and outputs put in place of theirs."""

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

Instead = Callable[[list[Any], Any], Any]  # (arguments, output) → another output


@dataclass
class Calls:
    """The calls of some parts while they were watched, by the part's name."""

    given: dict[str, list[list[Any]]] = field(default_factory=dict)  # arguments, in their order
    returned: dict[str, list[Any]] = field(default_factory=dict)

    def first(self, name: str) -> list[Any] | None:
        """The arguments of the first call, or None."""
        calls = self.given.get(name)
        return calls[0] if calls else None


@contextmanager
def watched(
    parts: Mapping[str, nn.Module], instead: Mapping[str, Instead] | None = None
) -> Iterator[Calls]:
    """Record the calls of `parts`; those named in `instead` return what it makes."""
    calls = Calls()

    def hook(name: str) -> Callable[..., Any]:
        def keep(part: nn.Module, given: Any, named: Any, output: Any) -> Any:
            bound = inspect.signature(part.forward).bind(*given, **named)
            bound.apply_defaults()
            calls.given.setdefault(name, []).append(list(bound.arguments.values()))
            calls.returned.setdefault(name, []).append(output)
            replace = (instead or {}).get(name)
            return replace(calls.given[name][-1], output) if replace else output

        return keep

    hooks = [
        part.register_forward_hook(hook(name), with_kwargs=True) for name, part in parts.items()
    ]
    try:
        yield calls
    finally:
        for one in hooks:
            one.remove()


def doubled(given: list[Any], _: Any) -> Any:
    """A stand-in for a dropout: twice its input, so that it shows wherever it is applied."""
    return 2 * given[0]


def distinct(model: nn.Module) -> nn.Module:
    """A copy in evaluation mode whose gains and biases are no longer alike.

    New norms all have gains of 1 and biases of 0, so exchanged ones would not show; nor would a
    relative bias that begins with zeros.
    """
    made, generator = copy.deepcopy(model).eval(), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in made.parameters():
            if parameter.dim() == 1 or not parameter.any():
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.add_(0.3 * noise.to(parameter))
    return made


def drawn(part: nn.Module, *shape: int, seed: int = 0) -> Tensor:
    """Random numbers of the type and on the device of the part's parameters."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(next(part.parameters()))


def of_class(model: nn.Module, *names: str) -> dict[str, Any]:
    """The parts whose class has one of these names, by their path in the model."""
    return {path: part for path, part in model.named_modules() if type(part).__name__ in names}
