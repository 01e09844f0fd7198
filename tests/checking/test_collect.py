"""What is taken from a notebook, and what is said about the rest."""

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
    assert collected(own, f"for {name} in range(3):\n    pass").refused


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
