"""What is taken from a notebook, and what is said about the rest."""

import pytest

from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell


def collected(*sources, names=("softmax",)):
    cells = [Cell(number, "code", source) for number, source in enumerate(sources, start=1)]
    return collect(cells, names)


def kept(result):
    return [name for statement in result.statements for name in statement.names]


def test_imports_and_definitions_are_kept_plots_loops_and_prints_are_not():
    result = collected(
        "import numpy as np\nprint(1)",
        "def softmax(x):\n    return np.exp(x)\nfor i in range(10**9): softmax(i)\nsoftmax(3)",
    )
    assert kept(result) == ["np", "softmax"]


def test_only_needed_assignments_are_kept():
    result = collected("EPS = 1e-9\nSLOW = open('data')", "def softmax(x):\n    return x + EPS")
    assert kept(result) == ["EPS", "softmax"]


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


@pytest.mark.parametrize(
    ("imports", "skipped"),
    [
        ("import sys", "try:\n    sys.path[:0] = ['here']\nexcept OSError:\n    pass"),
        ("import sys", "with open('x') as f:\n    sys.path.insert(0, f.read())"),
        ("import matplotlib.pyplot as plt", "for k in 'ab':\n    plt.rcParams[k] = 3"),
        ("from matplotlib import rcParams", "for k in 'ab':\n    rcParams.update({k: 3})"),
        ("import torch", "while True:\n    torch.backends.cudnn.benchmark = True\n    break"),
    ],
)
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


def test_a_modulo_at_the_start_of_a_line_is_no_magic():
    result = collected("def softmax(x):\n    return (x\n    % 3)")
    assert kept(result) == ["softmax"]


def test_a_cell_that_does_not_parse_costs_only_its_own_names():
    result = collected("def softmax(x:\n    return x", "def other(x):\n    return x")
    assert "not valid Python" in result.unavailable["softmax"]
    assert kept(result) == ["other"]


def test_guarded_imports_are_kept():
    result = collected(
        "try:\n    import torch\nexcept ImportError:\n    torch = None",
        "def softmax(x):\n    return torch",
    )
    assert kept(result) == ["torch", "torch", "softmax"]


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
