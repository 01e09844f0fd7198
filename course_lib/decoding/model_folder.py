"""Reads a folder that `save_model` wrote: a model of fast forms, its tokenizer, its settings."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from torch import nn

from ..data.tokenization import TextTokenizer
from ..fast.forms import fast_model
from ..training.saved_model import SETTINGS, TOKENIZER

Model = TypeVar("Model", bound=nn.Module)
UNREADABLE = (OSError, AttributeError, KeyError, TypeError, ValueError, RuntimeError)


@contextmanager
def refusing(problem: type[Exception], lacks: str, advice: str) -> Iterator[None]:
    """Turns any fault of a folder into one sentence of a `problem`."""
    from safetensors import SafetensorError

    try:
        yield
    except (*UNREADABLE, ArithmeticError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise problem(f"{lacks} ({reason}): {advice}") from error


def read(
    folder: Path, weights: str, kind: Callable[..., Model]
) -> tuple[Model, TextTokenizer, dict[str, Any]]:
    """The model that `kind` makes of the settings, its tokenizer, and all that was saved of it.

    Raises an exception of UNREADABLE, or of safetensors, for a folder without them.
    """
    from safetensors.torch import load_file

    about = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    model = fast_model(kind, **about["model"])
    tensors = load_file(folder / weights)
    if broken := [name for name, tensor in tensors.items() if not tensor.isfinite().all()]:
        raise ValueError(
            f"{len(broken)} of {len(tensors)} weights are NaN or infinite, such as {broken[0]}: "
            "its training diverged"
        )
    model.load_state_dict(tensors)
    tokenizer = TextTokenizer.load(folder / TOKENIZER)
    known = about["model"]["vocab_size"]
    if tokenizer.vocab_size > known:
        raise ValueError(f"a tokenizer of {tokenizer.vocab_size} tokens for a model of {known}")
    return model.eval(), tokenizer, about
