"""What is taken from a notebook, and what is said about the rest."""

import pytest
from world_tables import cases

from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell


def collected(*sources, names=("softmax",)):
    cells = [Cell(number, "code", source) for number, source in enumerate(sources, start=1)]
    return collect(cells, names)


def kept(result):
    return [name for statement in result.statements for name in statement.names]


@cases("collected")
def test_what_is_needed_and_safe_is_kept(cells, names):
    assert kept(collected(*cells)) == names


def test_a_local_variable_needs_no_global_of_the_same_name():
    result = collected(
        "def softmax(x):\n    out = x\n    return out", "for out in range(3):\n    pass"
    )
    assert not result.refused


def test_a_stub_never_overrides_a_written_definition():
    stub = 'def softmax(x):\n    """Doc."""\n    raise NotImplementedError("A1.1")'
    result = collected("def softmax(x):\n    return x", stub)
    assert kept(result) == ["softmax"]
    assert result.defined_in["softmax"] == 1
    assert collected(stub).unwritten == {"softmax"}


def test_the_last_definition_counts_and_the_report_says_which():
    result = collected("def softmax(x):\n    return 1", "def softmax(x):\n    return 2")
    assert result.defined_in["softmax"] == 2
    assert any("cell 2, counts" in notice for notice in result.notices)


def test_a_needed_name_set_by_a_loop_is_refused_with_its_cell():
    result = collected(
        "TABLE = {}\ndef softmax(x):\n    return TABLE[x]", "for i in range(3):\n    TABLE[i] = i"
    )
    assert "cell 2" in result.refused["softmax"]
    assert "pass it as an argument" in result.refused["softmax"]


@cases("settings_of_packages")
def test_a_setting_of_a_package_is_no_value_of_the_student(imports, skipped):
    name = imports.split()[-1]
    own = f"{imports}\ndef softmax(x):\n    return {name}, x"
    assert not collected(own, skipped).refused


HELPED = "def helper(x):\n    return x\ndef softmax(x):\n    return helper(x)"
TABLED = "TABLE = {}\ndef softmax(x):\n    return TABLE[x]"


@pytest.mark.parametrize(
    "cells",
    [
        [HELPED, "print([helper for helper in (1, 2)])"],
        [HELPED, "for helper in (1, 2):\n    print(helper)"],
        ["for helper in (1, 2):\n    print(helper)", HELPED],
        [HELPED, "with open('x') as f:\n    def plot(a, helper):\n        b = helper.pop()"],
        ["for TABLE in ({}, {}):\n    print(TABLE)", TABLED],
        ["for i in (1, 2):\n    TABLE[i] = i", TABLED],
        ["import helper\ndef softmax(x):\n    return helper(x)", "with f() as helper:\n    pass"],
    ],
)
def test_a_name_that_a_loop_takes_for_itself_refuses_nothing(cells):
    assert not collected(*cells).refused


@pytest.mark.parametrize(
    "skipped",
    [
        "for TABLE in (1, 2):\n    pass",
        "[TABLE.update({i: i}) for i in range(3)]",
        "with f():\n    def fill(i):\n        TABLE[i] = i\n    fill(3)",
        "with f():\n    def fill():\n        global TABLE\n        TABLE = 3\n    fill()",
    ],
)
def test_a_value_that_only_skipped_code_knows_is_refused(skipped):
    assert "`TABLE` is set in cell 2" in collected(TABLED, skipped).refused["softmax"]
    assert collected(TABLED, skipped, "TABLE |= {1: 1}").refused  # follows from an unknown value
    assert not collected(TABLED, skipped, "TABLE = {1: 1}").refused


WITH_EPS = "def softmax(x):\n    return x + EPS"


@pytest.mark.parametrize("value", ["1e-9", "-1 / 8", "'a'", "0", "(1, 2)"])
def test_a_constant_keeps_its_value_when_a_later_loop_takes_its_name(value):
    loop = "for i, EPS in enumerate((1, 2)):\n    print(softmax(EPS))"
    result = collected(f"EPS = {value}", WITH_EPS, loop, "i = 3\ndef plot():\n    return EPS")
    assert not result.refused
    assert "EPS" in kept(result)
    assert "a loop in cell 3 takes the name `EPS`: its value from cell 1 counts" in result.notices
    assert not collected("EPS: float = 1", f"{WITH_EPS}\nif EPS:\n    for EPS in []: pass").refused


def test_a_constant_that_a_last_cell_sets_again_has_its_last_value_and_a_notice():
    said = "`EPS` is set again in cell 3: its last value counts"
    assert said in collected("EPS = 1", WITH_EPS, "EPS = 2").notices
    assert not collected("EPS = 1", "EPS = 2", WITH_EPS).notices


@pytest.mark.parametrize(
    "cells",
    [
        ["EPS = 1", "for EPS in (1, 2):\n    pass", WITH_EPS],  # it is used after that
        ["EPS = 1", WITH_EPS, "for EPS in (1, 2):\n    if EPS:\n        break"],  # a search
        ["EPS = 1", WITH_EPS, "for EPS in (1, 2):\n    EPS += 1"],
        ["EPS = 1", WITH_EPS, "while True:\n    EPS = 2"],
        ["EPS = 1", WITH_EPS, "with f() as EPS:\n    pass"],
        ["EPS = None", WITH_EPS, "for EPS in (1, 2):\n    pass"],
        ["EPS = best()", WITH_EPS, "for EPS in (1, 2):\n    pass"],
        ["EPS = 1\nEPS += 1", WITH_EPS, "for EPS in (1, 2):\n    pass"],
        ["EPS = [1]\nEPS[0] = 1", WITH_EPS, "for EPS in (1, 2):\n    pass"],
        ["for EPS in (1, 2):\n    pass", WITH_EPS],
        ["EPS = 1", WITH_EPS, "for EPS in (1, 2):\n    pass", "EPS = EPS * 2"],
    ],
)
def test_a_constant_whose_value_a_loop_may_decide_is_refused(cells):
    assert "`EPS` is set in cell" in collected(*cells).refused["softmax"]


def test_an_import_or_a_helper_keeps_its_name_when_a_last_cell_takes_it():
    imported = "from tools import helper\ndef softmax(x):\n    return helper(x)"
    for own in (imported, HELPED):
        result = collected(own, "helper = {'runs': 3}\ndef plot():\n    return helper")
        assert kept(result) == ["helper", "softmax", "plot"]
        assert any("`helper` is set again in cell 2" in notice for notice in result.notices)
    for again in ("helper = cached(helper)", "helper = 3\ndef softmax(x):\n    return x + helper"):
        assert "helper" in kept(collected(imported, again))[2:]
    assert kept(collected("from tools import softmax", "softmax = best")) == ["softmax"] * 2


def test_a_counter_of_calls_is_kept():
    counted = "def softmax(x):\n    global calls\n    calls += 1\n    return x"
    assert kept(collected("calls = 0", counted)) == ["calls", "softmax"]


def test_magics_and_shell_lines_may_stand_anywhere():
    result = collected(
        "%matplotlib inline\n!pip install x\nimport numpy as np",
        "%%time\ndef softmax(x):\n    return x",
        "%%bash\nls",
        "if True:\n    !ls\n    def helper(): pass",
    )
    assert kept(result) == ["np", "softmax", "helper"]
    assert any("pip install" in notice for notice in result.notices)


def test_a_cell_that_does_not_parse_costs_only_its_own_names():
    result = collected("def softmax(x:\n    return x", "def other(x):\n    return x")
    assert "not valid Python" in result.unavailable["softmax"]
    assert kept(result) == ["other"]


def test_the_closure_follows_helpers_and_constants():
    result = collected(
        "import numpy as np\nSCALE = 2\ndef helper(x): return SCALE * x",
        "def softmax(x): return helper(np.exp(x))",
        "def unrelated(x): return x",
    )
    names = [name for statement in result.closure(["softmax"]) for name in statement.names]
    assert names == ["np", "SCALE", "helper", "softmax"]


def test_expressions_nested_without_end_do_not_stop_the_judge():
    result = collected("x = " + "(" * 10_000 + ")" * 10_000, "y = " + "-" * 200_000 + "1")
    assert kept(result) == []
