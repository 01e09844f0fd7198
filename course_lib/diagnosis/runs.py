"""Where a model that cannot be run goes wrong: at a part that gets or returns what it may not.

Parts are watched while the model is called. What a part gets is its caller's work; what it returns
or raises, having got the right things, is its own. The first of these is what to mend.
"""

import inspect
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import torch
from torch import Tensor, nn

from .check import Check, Fault, listed

NAME = "runs"
CALLER = "look at where it is called: its docstring says what it takes"
OWN = "what it is given is right: look at its own code"
BOOLEAN = "True = may attend: compare with `==`, `!=` or `>=`, and join two masks with `&`"
AXES = "the last two axes are queries and keys: are the mask and the states of the same tokens?"
STATES = {  # class → which arguments are states, (batch, n, d_model)
    "LayerNorm": 1,
    "FeedForward": 1,
    "EncoderLayer": 1,
    "Encoder": 1,
    "DecoderLayer": 2,
    "Decoder": 2,
    "MultiHeadAttention": 3,
}
OTHERS = ("TransformerEmbedding", "EncoderClassifier", "Transformer")  # they take token ids
ALONE = ("LayerNorm", "FeedForward", "TransformerEmbedding")  # others return a pair


def runs(model: nn.Module, *token_ids: Tensor) -> Check:
    """Whether `model(*token_ids, need_weights=True)` gives a pair, or where it goes wrong first.

    Raises NotImplementedError for what is not written yet.
    """
    begun: list[str] = []  # and not finished
    faults: list[Fault] = []  # which count only if nothing comes of them
    hooks: list[Any] = []

    def watch(name: str, part: nn.Module) -> None:
        def before(part: nn.Module, given: Any, named: Any) -> None:
            begun.append(name)
            faults.extend(
                (f"{name} is given {one}", way) for one, way in _given(part, given, named)
            )

        def after(part: nn.Module, given: Any, output: Any) -> None:
            begun.pop()
            faults.extend((f"{name} returns {one}", OWN) for one in _output(part, given, output))

        hooks.append(part.register_forward_pre_hook(before, with_kwargs=True))
        hooks.append(part.register_forward_hook(after))

    for path, part in model.named_modules():
        if type(part).__name__ in (*STATES, *OTHERS):
            watch(path or type(part).__name__, part)
    try:
        with torch.no_grad():
            logits, _ = model.eval()(*token_ids, need_weights=True)
    except Exception as error:  # the student's own code: it may raise anything
        if isinstance(error, NotImplementedError) and "not implemented for" not in str(error):
            raise
        faults.append((f"{begun[-1] if begun else 'the model'} raises {_said(error)}", OWN))
        return Check(NAME, False, *faults[0])
    finally:
        for hook in hooks:
            hook.remove()
    return Check(NAME, True, f"logits {tuple(logits.shape)}", "")


def first_failure(
    models: Sequence[tuple[nn.Module, Mapping[str, object]]], *token_ids: Tensor
) -> list[dict[str, object]]:
    """The check of the first model that cannot be run, as plain data; empty if all can.

    Each comes with the arguments that it was built with, where they are not the usual ones.
    """
    for model, arguments in models:
        check = runs(model, *token_ids)
        if check.ok is False:
            built = f" (with {listed(arguments)})" if arguments else ""
            return [asdict(replace(check, measured=check.measured + built))]
    return []


def _said(error: Exception) -> str:
    """The exception, with the cell and line of the student's own code."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if one.filename.startswith("<cell")]
    where = f" ({own[-1].filename.strip('<>')}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}{where}"


def _given(part: nn.Module, given: Any, named: Any) -> Iterator[Fault]:
    """Faults of the arguments of a part, each with its advice."""
    try:
        bound = inspect.signature(part.forward).bind(*given, **named)
    except TypeError as error:
        yield f"other arguments than it takes: {error}", CALLER
        return
    bound.apply_defaults()
    names, values = list(bound.arguments), list(bound.arguments.values())
    n = STATES.get(type(part).__name__, 0)
    for name, state in zip(names[:n], values[:n], strict=True):
        if not isinstance(state, Tensor) or state.ndim != 3 or not state.is_floating_point():
            yield f"`{name}` = {_shown(state)}, not states (batch, n, d_model)", CALLER
            return
    if n == 3 and values[1].shape != values[2].shape:
        shapes = f"{_shown(values[1])} and {_shown(values[2])}"
        yield f"`key` and `value` of different shapes, {shapes}", CALLER
    if n == 0 or type(part).__name__ in ALONE:
        return
    # Self-attention reads its own sequence; cross-attention, or the second mask, the other one.
    read = [values[1]] if n == 3 else values[:n]
    for name, mask, states in zip(names[n:], values[n:], read, strict=False):
        scores = len(states), 1, values[0].shape[1], states.shape[1]
        shown = "({}, heads, {}, {})".format(*scores[:1], *scores[2:])
        if mask is not None and (not isinstance(mask, Tensor) or mask.dtype != torch.bool):
            yield f"`{name}` = {_shown(mask)}, not booleans", BOOLEAN
        elif mask is not None and not _fits(mask, scores):
            yield f"`{name}` = {_shown(mask)}, but the scores are {shown}", AXES


def _fits(mask: Tensor, scores: tuple[int, ...]) -> bool:
    """Whether a mask broadcasts to scores of any number of heads, and adds no other axis."""
    try:
        shape = torch.broadcast_shapes(mask.shape, scores)
    except RuntimeError:
        return False
    return len(shape) == 4 and (shape[0], *shape[2:]) == (scores[0], *scores[2:])


def _output(part: nn.Module, given: Any, output: Any) -> Iterator[str]:
    """Faults of what a part returns."""
    kind, first = type(part).__name__, output
    if kind not in ALONE:
        if not isinstance(output, tuple) or len(output) != 2:
            yield f"{_shown(output)}, not a pair (output, weights)"
            return
        first = output[0]
    if kind in OTHERS and kind not in ALONE or not given or not isinstance(given[0], Tensor):
        return
    wanted: tuple[Any, ...] = tuple(given[0].shape)
    if kind == "TransformerEmbedding":
        wanted += (getattr(getattr(part, "tokens", None), "embedding_dim", None),)
    if not isinstance(first, Tensor) or first.shape != wanted:
        yield f"{_shown(first)}, not {wanted}"


def _shown(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"a {type(value).__name__}"
    return str(tuple(value.shape))
