"""Reads from the code what a row of the paper page claims about it.

A value is referred to as one of

    module:name                     what a name holds
    module:function(parameter)      the default of a parameter, or of a dataclass's field
    module:MAPPING[key].attribute   an attribute of an entry
    results/NAME.json:measure       what was measured: one value if all seeds agree, else all
    data/registry.toml:NAME.split   the rows of a split
"""

import ast
import importlib
import inspect
import json
import re
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import torch

from book import CHECKOUT
from course_lib.config import PRESETS, TransformerConfig
from course_lib.data import registry
from course_lib.data.registry import DataError
from course_lib.transformer import Transformer
from grader.library.components import Component

PAPERS_TOKENS = 37_000  # §5.1 — "about 37000 tokens"
REGISTRY = "data/registry.toml"
_IN_CODE = re.compile(r"([\w.]+):([\w.]+)(?:\((\w+)\)|\[(\w+)\]\.(\w+))?")
_MEASURED = re.compile(r"results/\w+\.json")


@dataclass(frozen=True)
class ModelSize:
    """The size of one model, over a vocabulary of the paper's size."""

    config: TransformerConfig

    @cached_property
    def millions(self) -> float:
        """Its parameters in millions, to one decimal."""
        with torch.device("meta"):  # shapes without memory
            model = Transformer(PAPERS_TOKENS, **self.config.arguments)
        return round(sum(parameter.numel() for parameter in model.parameters()) / 1e6, 1)


SIZES = {name: ModelSize(config) for name, config in PRESETS.items()}


def value(reference: str) -> Any:
    """The value today. Raises ValueError if there is none."""
    file, _, name = reference.partition(":")
    try:
        if _MEASURED.fullmatch(file):
            values = json.loads((CHECKOUT / file).read_text("utf-8"))["measures"][name]["values"]
            return values[0] if len(set(values)) == 1 else values
        if file == REGISTRY:
            return _rows(name)
        if parts := _IN_CODE.fullmatch(reference):
            return _in_code(*parts.groups())
    except (ImportError, AttributeError, LookupError, OSError, StopIteration, DataError) as error:
        raise ValueError(f"{reference} is not there: {error}") from None
    raise ValueError(f"{reference!r} is not module:name(parameter) or module:NAME[key].x")


def _in_code(module: str, name: str, parameter: str, key: str, attribute: str) -> Any:
    held = attrgetter(name)(importlib.import_module(module))
    if parameter:
        return inspect.signature(held).parameters[parameter].default
    return attrgetter(attribute)(held[key]) if key else held


def _rows(name: str) -> int:
    data_set, _, split = name.partition(".")
    splits = registry.read().entry(data_set).splits
    return next(one.rows for one in splits if one.name == split)


def holder(reference: str) -> str:
    """The object that has the value, as "module:name"; "" if that is not code of the library."""
    found = re.match(r"course_(?:lib|study)\.[\w.]+:\w+", reference)
    return found[0] if found else ""


def lacks(reference: str) -> bool:
    """Whether "module:function(parameter)" has no such parameter. Raises ValueError without it."""
    function, _, parameter = reference.rstrip(")").partition("(")
    return parameter not in inspect.signature(value(function)).parameters


def calls(component: str, name: str) -> bool:
    """Whether the definition "module:name" calls `name`. Raises BuildError if it is not there."""
    nodes = ast.walk(ast.parse(Component.parse(component).source))
    called = (node.func for node in nodes if isinstance(node, ast.Call))
    return name in {getattr(function, "attr", getattr(function, "id", "")) for function in called}
