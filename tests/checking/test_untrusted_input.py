"""What a submission could once do: stop or stall the grading of a class, or earn points."""

import json
import struct
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import proofs
import pytest
from world import notebook, packed

from autograder.scorers.accuracy import Accuracy
from grader.checking.messages import MOST_SHOWN, Message
from grader.grading import class_run, judge_process
from grader.intake import archives, plain_files, submissions
from grader.judge.models import code_answers, scorer
from grader.judge.models.scorer import HiddenLabels
from grader.notebook import notebook_file
from grader.notebook.collect import MAX_NOTICES, collect, decided
from grader.notebook.foreign_imports import foreign_imports
from grader.notebook.notebook_file import Cell
from grader.seam import Student, StudentError
from grader.seam.codec import MAX_PAYLOAD, Decoder, Encoder

A1 = proofs.COURSE.assignment("a1")


def collected(source, names=("softmax", "scaled_scores")):
    return collect([Cell(1, "code", source)], names)


def within(seconds, function, *arguments):
    started = time.process_time()
    found = function(*arguments)
    assert time.process_time() - started < seconds
    return found


class Answers:
    """A worker that gives the same answer to every request."""

    def __init__(self, answer):
        self.answer = answer

    def request(self, request, payload, deadline):
        return self.answer, b""


FORGED = ["PASSED", "FAILED", "GRADED", "UNGRADED", "", "A B", 3, ["PASSED"]]
HONEST = ["TIMEOUT", "NOT_WRITTEN", "ValueError", "OSError"]


@pytest.mark.parametrize("kind", FORGED + HONEST)
def test_a_forged_error_cannot_name_its_own_verdict_and_an_honest_one_keeps_its_kind(kind):
    with pytest.raises(StudentError) as caught:
        Student(Answers({"error": {"kind": kind, "message": "x"}})).softmax(1.0)
    assert caught.value.kind == ("PROTOCOL" if kind in FORGED else kind)


def array(**parts):
    return {"k": "numpy", "dtype": "int8", "shape": [4], "at": 0} | parts


def listed(*values):
    return {"k": "list", "v": [v if isinstance(v, dict) else {"k": "v", "v": v} for v in values]}


def pair(key, value):
    return [{"k": "v", "v": key}, {"k": "v", "v": value}]


LONG = "x" * 10**6
LINES = array(shape=[1500])


# As an array of text, each item of a list takes as much room as the longest.
FILLS_THE_MEMORY = [
    listed(LONG, *[""] * 1500),
    listed(LONG, *range(1500)),
    listed(*[""] * 1500, LONG),
    listed(listed(LONG), *[listed("")] * 1500),
    listed(listed("x" * 10**5, *[""] * 1500), *[LINES] * 1500),
    {"k": "dict", "v": [[{"k": "v", "v": "a"}, listed(LONG, *[""] * 1500)]]},
    {"k": "dict", "v": [pair("a", LONG), *(pair(number, "") for number in range(1500))]},
]
FORGED_VALUES = [
    (array(dtype=["int8"]), bytes(4)),
    (array(shape=[0, *[2**26] * 7]), b""),
    (array(shape=[2**26, 0]), b""),
    (array(k="torch", shape=[0, *[2**26] * 7]), b""),
    ({"k": "v", "v": 10**4000}, b""),
    ({"k": "v", "v": "x" * (10**6 + 1)}, b""),
    ({"k": "list", "v": [array(shape=[2**20])] * 65}, bytes(2**20)),  # all the same bytes
    *((tree, bytes(1500)) for tree in FILLS_THE_MEMORY),
]


@pytest.mark.parametrize(("tree", "payload"), FORGED_VALUES, ids=range(len(FORGED_VALUES)))
def test_a_forged_value_is_a_protocol_error(tree, payload):
    with pytest.raises(StudentError) as caught:
        Decoder(payload, lambda number, name: None).decode(tree)
    assert caught.value.kind == "PROTOCOL"


def test_long_texts_arrive_where_they_are_few():
    for tree in (listed(LONG), listed(LONG, "", 1.0), listed(*["a sentence" * 20] * 10_000)):
        assert len(Decoder(b"", lambda number, name: None).decode(tree)) == len(tree["v"])


def test_a_model_of_names_words_and_weights_arrives():
    weights = array(dtype="float32", shape=[4_000_000])
    words = listed(*["word" * 10] * 10_000)
    pairs = [pair("classifier.words" * 10, "a text" * 100), [{"k": "v", "v": "weights"}, weights]]
    tree = {"k": "dict", "v": [*pairs, [{"k": "v", "v": "vocabulary"}, words]]}
    assert len(Decoder(bytes(16_000_000), lambda number, name: None).decode(tree)) == 3


def test_a_judge_has_a_limit_of_its_own(monkeypatch):
    """What a test computes of an answer may still be large: then this test fails."""
    monkeypatch.setattr(judge_process, "MEMORY_MIB", 256)
    with ProcessPoolExecutor(1, initializer=judge_process.limit_memory) as pool:
        assert pool.submit(broadcast, 10).result() == 100
        with pytest.raises(MemoryError):
            pool.submit(broadcast, 20_000).result()
        assert pool.submit(broadcast, 10).result() == 100


def broadcast(n):
    return (np.ones((n, 1)) * np.ones(n)).size


def test_empty_arrays_and_the_largest_payload_still_arrive():
    decoder = Decoder(bytes(MAX_PAYLOAD), lambda number, name: None)
    assert decoder.decode(array(shape=[MAX_PAYLOAD])).nbytes == MAX_PAYLOAD
    assert decoder.decode(array(shape=[3, 0, 5])).shape == (3, 0, 5)


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["bool", "float32", "int64"])
@pytest.mark.parametrize("shape", [[], [1], [2, 3]])
def test_arrays_of_any_number_of_axes_arrive(library, dtype, shape):
    """A tensor of one bool and no axis once ended the judge."""
    decoder = Decoder(b"\1" * 48, lambda number, name: None)
    found = decoder.decode(array(k=library, dtype=dtype, shape=shape))
    assert type(found).__module__.startswith(library)
    assert list(found.shape) == shape
    assert str(found.dtype).endswith(dtype)


@pytest.mark.parametrize(
    "source",
    [
        "if a:\n    x = 1\n" + "elif a:\n    x = 1\n" * 5_000,
        "x = " + "1+" * 800 + "1; y = 2",
        "x = " + "-" * 800 + "1; y = 2",
        "def softmax(x):\n    nonlocal y",
        "def softmax(x):\n    x = 1\n    global x",
        "def softmax(x, x):\n    pass",
        "def softmax():\n    from os import *",
    ],
    ids=range(7),
)
def test_code_that_does_not_compile_is_a_notice(source):
    found = collected(source)
    assert any("cell 1" in notice and "not valid Python" in notice for notice in found.notices)
    assert found.statements == []


def test_a_text_of_very_many_values_is_not_read():
    endless = "def softmax(x):\n    return f'" + "{x}" * 130_000 + "'"
    assert "braces" in within(1.0, collected, endless).unavailable["softmax"]
    assert not collected("LETTERS = {" + "'a': {}, " * 900 + "}").unavailable


@pytest.mark.parametrize("names", ["x" * 10**6, ["x" * 10**6], {"x": "y"}, 3, None])
def test_names_of_changed_arguments_are_short_texts(names):
    found = {"value": 1.0, "changed": names, "touched": []}
    ok = Encoder(lambda handle: None).encode(found)
    with pytest.raises(StudentError, match="parts it should"):
        Student(Answers({"ok": ok})).softmax(1.0)


def test_a_message_has_an_end():
    message = Message("a number", "x" * 10**6)
    assert (len(message.got), message.got[-1], message.expected) == (MOST_SHOWN, "…", "a number")


def test_the_line_of_what_does_not_compile_is_that_in_the_cell():
    found = collected("y = 1\n\ndef softmax(x, x):\n    pass")
    assert found.unavailable["softmax"].startswith("cell 1, line 3 is not valid")


@pytest.mark.parametrize("mark", ["\f", "\x1c", "\u2028", "\x85"])
def test_only_the_line_ends_of_python_end_a_line(mark):
    found = collected(f"'''{mark}'''\nz = '{mark}'\ndef softmax(x):\n    return z\n")
    assert [s.source for s in found.statements] == [
        f"z = '{mark}'",
        "def softmax(x):\n    return z",
    ]


def test_many_statements_take_time_in_proportion():
    skipped = "def softmax(x):\n    return y\ny = []\n" + "y.append(1)\n" * 8_000
    assert within(10.0, collected, skipped).refused.keys() == {"softmax"}
    again = "from z import y\ndef softmax(x):\n    return y\n" + "y = 1\n" * 8_000
    assert len(within(10.0, collected, again).statements) == 2
    chain = "softmax = a0\n" + "".join(f"a{i} = a{i + 1}\n" for i in range(8_000))
    found = collected(chain)
    assert len(within(10.0, found.closure, ["softmax"])) == 8_001


@pytest.mark.parametrize("depth", [800, 2_500])
def test_long_chains_of_attributes_are_read_once(depth):
    """Read anew at each of its dots, this took minutes; at each depth of a call, it ended early."""
    lines = f"    y = x{'.y' * depth}\n" * (100_000 // depth)
    found = collected(
        "def softmax(x):\n" + lines + "    return g(x)\n\ndef g(x):\n    return x.__code__"
    )
    verdicts = within(20.0, decided, A1, found)
    assert verdicts["1.1"].message.endswith("__code__")
    assert foreign_imports(proofs.COURSE, A1, found, ["softmax"]) == {}


def test_notices_are_counted_when_there_are_too_many():
    found = collected("!ls\n" * 5_000)
    assert len(found.notices) == MAX_NOTICES + 1
    assert found.notices[-1] == f"and {5_000 - MAX_NOTICES} more notices of this kind"


def test_half_a_character_is_replaced_wherever_it_is():
    cell = {"cell_type": "code", "source": ["x = 1 # \ud800"], "metadata": {}}
    cell["metadata"]["nbgrader"] = {"grade_id": "\udfff"}
    (found,) = notebook_file.read(json.dumps({"cells": [cell]}).encode())
    assert (found.source, found.grade_id) == ("x = 1 # ?", "?")


def test_a_notebook_without_an_assignment_is_looked_at_in_safety(tmp_path):
    branches = notebook("if a:\n    x = 1\n" + "elif a:\n    x = 1\n" * 900)
    (tmp_path / "ada.ipynb").write_text(branches, encoding="utf-8")
    (found,) = submissions.find(tmp_path, ["a1"])
    assert class_run.resolve(found, proofs.COURSE).assignment == "a1"


def test_a_zip_file_of_very_many_entries_is_refused_before_they_are_read(tmp_path):
    path = tmp_path / "ada.zip"
    path.write_bytes(packed({str(number): b"" for number in range(2_100)}))
    with pytest.raises(plain_files.RefusedError, match="more than 1000 entries"):
        archives.entries(path)


def test_an_inner_zip_file_does_not_count(tmp_path):
    inner = packed({str(number): b"" for number in range(900)})
    (tmp_path / "ada.zip").write_bytes(packed({"a1.ipynb": b"{}", "old.zip": inner}))
    assert len(archives.entries(tmp_path / "ada.zip")) == 2


def test_a_huge_header_of_weights_is_not_parsed():
    empty = '"%d":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}'
    header = ("{" + ",".join(empty % number for number in range(40_000)) + "}").encode()
    with pytest.raises(scorer.Unusable, match="more tensors than any model"):
        code_answers._shuffled(struct.pack("<Q", len(header)) + header, 0)


def test_a_huge_config_counts_as_empty():
    assert scorer.about({"config.json": b'{"data": {"a": 1}}'}, "data") == {"a": 1}
    assert scorer.about({"config.json": b'{"data": {"a": 1}}' + b" " * 2**20}, "data") == {}


def test_a_table_with_very_many_columns_is_read_once():
    rows = 1_500
    names = ",".join(f"c{number}" for number in range(40_000))
    table = f"row,prediction,{names}\n" + "".join(f"{row},1\n" for row in range(rows))
    hidden = HiddenLabels("mirror", ("a",) * rows, (1,) * rows, "f" * 64)
    kind = Accuracy()
    found, notes = within(
        3.0, kind.score, [1] * rows, np.arange(rows), {"predictions.csv": table.encode()}, hidden
    )
    assert (found["agreement"], notes) == (1.0, [])


@pytest.mark.parametrize("shape", [(2**24, 1), (2**24,), (2, 2**24)])
def test_an_answer_of_millions_of_labels_is_refused_before_it_is_read(shape):
    labels, started = np.zeros(shape, np.int8), time.process_time()
    with pytest.raises(scorer.Unusable):
        Accuracy().read(labels, 2, "predict")
    assert time.process_time() - started < 0.5  # reading them takes ten times as long and more
