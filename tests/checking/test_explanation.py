"""What an exception means is read from real code that raises, in a notebook's namespace."""

import math

import in_process
import numpy as np
import pytest
import torch
from torch import nn
from world_tables import cases, texts

from grader.checking.explanation import SIGNS, diagnosis, explain
from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell
from grader.seam import StudentError
from grader.seam.loading import load

X, X3 = np.ones((2, 3)), np.ones((2, 3, 3))
ROWS = {"x": X, "x3": X3, "t": torch.ones(2, 3), "t3": torch.ones(2, 3, 3)}
HELPERS = texts("helpers", "explanation.toml")


def message_of(body, value=None):
    """What is said of a function `softmax` with this body, called with one argument."""
    scope = {"np": np, "math": math, "torch": torch, "nn": nn, "F": nn.functional}
    exec(compile(HELPERS, "<cell 1>", "exec"), scope)
    source = f"def softmax(x, axis=-1):\n    {body}\n"
    exec(compile(source, "<cell 2>", "exec"), scope)
    student = in_process.student(scope)
    try:
        student.softmax(value)
    except StudentError as error:
        return explain(error, ["softmax", "Own"])
    raise AssertionError("nothing was raised")


HANDOUT = "differs from the handout"


@cases("advice", "explanation.toml")
def test_the_advice_fits_what_was_raised(argument, body, words, monkeypatch):
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115
    message = message_of(body, ROWS[argument])
    assert words in message.cause, message
    assert HANDOUT not in message.cause
    assert len(message.cause) < 200


@cases("called", "explanation.toml")
def test_the_handout_is_named_only_for_what_the_test_itself_calls(source, call):
    scope = {"nn": nn}
    exec(compile(source, "<cell 2>", "exec"), scope)
    student = in_process.student(scope)
    with pytest.raises(StudentError) as caught:
        eval(call, {"softmax": student.softmax, "x": torch.ones(2)})
    other = source.startswith(("softmax", "def own"))
    cause = explain(caught.value, ["softmax"]).cause
    assert (HANDOUT in cause) != other
    assert ("method is `self`" in cause) == source.startswith("class")


@cases("stubs", "explanation.toml")
def test_only_a_stub_is_told_as_not_written(body, got):
    message = message_of(body)
    assert got in message.got
    assert ("exercise that is not written" in message.cause) == got.startswith("write ")


@cases("first_errors", "explanation.toml")
def test_the_first_error_of_a_cell_is_the_one_told(source, first):
    found = collect([Cell(1, "code", source)], ["F"])
    statements = [vars(statement) for statement in found.statements]
    job = {"statements": statements, "substitutes": [], "forbidden": []}
    namespace, unavailable, _ = load({**job, "unavailable": found.unavailable})
    with pytest.raises(StudentError, match=first) as caught:
        in_process.student(namespace, unavailable).F()
    assert caught.value.kind == "LOAD_ERROR"
    known = "NameError" in caught.value.message
    assert ("`Kind` is neither" in explain(caught.value, ["F"]).cause) == known


def test_what_is_shown_as_certain_quotes_nothing_that_the_code_may_choose():
    """A likely cause is shown in places that do not limit what hidden tests may tell."""
    assert not [sign for sign in SIGNS if sign.certain and "{" in sign.meaning]


def test_what_is_not_known_is_not_explained():
    assert diagnosis("ValueError", "something of its own") == ("", False)
    for said in ("Torch not compiled with CUDA enabled", "Found no NVIDIA driver on your system"):
        assert "x.device" in diagnosis("RuntimeError", said)[0]
