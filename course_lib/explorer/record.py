"""Records the attention weights inside a model, which its own output does not show."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def recorded(model: Any, attention: type[Any]) -> Iterator[dict[str, Any]]:
    """Weights of every `attention` module inside `model`, by the module's name, while it is open.

    Yields a dict that each call fills: "encoder.layers.0.attention" → what the module returned as
    its weights in its last call. `attention` takes `need_weights`, as multi-head attention does.
    """
    found: dict[str, Any] = {}

    def ask(module: Any, args: tuple, options: dict) -> tuple[tuple, dict]:
        return args[:4], {**options, "need_weights": True}

    hooks = []
    for name, module in model.named_modules():
        if isinstance(module, attention):

            def keep(module: Any, args: tuple, output: tuple, name: str = name) -> None:
                found[name] = output[1]

            hooks += [
                module.register_forward_pre_hook(ask, with_kwargs=True),
                module.register_forward_hook(keep),
            ]
    try:
        yield found
    finally:
        for hook in hooks:
            hook.remove()
