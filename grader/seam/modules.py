"""Verbs for `torch.nn.Module`s and gradients, on the student's side of the seam."""

from typing import Any

import torch
from torch import nn


def act(module: nn.Module, action: str, state: dict[str, Any]) -> Any:
    """`state_dict`, `load_state_dict`, `train`, `eval`, or `parameters` (name → trainable)."""
    if not isinstance(module, nn.Module):
        raise TypeError(f"expected a torch.nn.Module, got a {type(module).__name__}")
    if action == "state_dict":
        return dict(module.state_dict())
    if action == "load_state_dict":
        buffers = dict(module.named_buffers())  # the code's own: a test sets parameters alone
        kept = {name: value for name, value in module.state_dict().items() if name in buffers}
        with torch.no_grad():
            module.load_state_dict(state | kept)
        return None
    if action == "parameters":
        return {name: bool(p.requires_grad) for name, p in module.named_parameters()}
    if action in ("train", "eval"):
        getattr(module, action)()
        return None
    raise ValueError(f"no such action: {action}")


def vector_jacobian_product(
    target: Any,
    args: list[Any],
    kwargs: dict[str, Any],
    cotangent: torch.Tensor | None,
    output: int,
    parameters: bool,
) -> dict[str, Any]:
    """Gradients of `(target(*args)[output] * cotangent).sum()`.

    By position for every floating-point tensor argument (None if it gets no gradient), and by name
    for the module's parameters if `parameters`. The default cotangent is ones. None has none.
    """
    inputs = {
        index: value.requires_grad_()
        for index, value in enumerate(args)
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    }
    named = dict(target.named_parameters()) if parameters else {}
    result = target(*args, **kwargs)
    chosen = result[output] if isinstance(result, (tuple, list)) else result
    wrt = [*inputs.values(), *named.values()]
    gradients: Any = [None] * len(wrt)  # for a result that does not require gradients
    if chosen is not None and chosen.requires_grad:
        weight = torch.ones_like(chosen) if cotangent is None else cotangent
        gradients = torch.autograd.grad(chosen, wrt, weight, allow_unused=True)
    return {
        "value": chosen,
        "arguments": dict(zip(inputs, gradients[: len(inputs)], strict=True)),
        "parameters": dict(zip(named, gradients[len(inputs) :], strict=True)),
    }


def trace(module: nn.Module, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The last output and the number of calls of every submodule in one forward pass, by name."""
    outputs: dict[str, Any] = {}
    calls: dict[str, int] = {}

    def hook(name: str) -> Any:
        def record(_: nn.Module, __: Any, result: Any) -> None:
            calls[name] = calls.get(name, 0) + 1
            if isinstance(result, torch.Tensor):
                outputs[name] = result.detach().clone()

        return record

    hooks = [m.register_forward_hook(hook(name)) for name, m in module.named_modules() if name]
    try:
        value = module(*args, **kwargs)
    finally:
        for handle in hooks:
            handle.remove()
    return {"value": value, "outputs": outputs, "calls": calls}
