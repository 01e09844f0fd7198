"""`check("A1.1")` in a notebook: redefinitions, single steps, and nothing left behind."""

import sys
import types

import numpy as np
import pytest

from grader.checking import notebook
from grader.library.components import Component

RIGHT = "import numpy as np\n" + Component.parse("course_lib.numpy_forms.attention:softmax").source
WRONG = "import numpy as np\ndef softmax(x, axis=-1):\n    return np.exp(x) / np.exp(x).sum()\n"


@pytest.fixture
def kernel(monkeypatch):
    """A `__main__` of its own, in which cells are run as a kernel would."""
    from jaxtyping import Float, Real

    main = types.ModuleType("__main__")
    main.__dict__.update(Float=Float, Real=Real)
    monkeypatch.setitem(sys.modules, "__main__", main)

    def run(source):
        exec(compile(source, "<cell 1>", "exec"), main.__dict__)

    return run


@pytest.mark.filterwarnings("error")
def test_a_redefinition_is_picked_up(kernel, capsys):
    kernel(WRONG)
    assert notebook.check("A1.1") < 10
    assert "expected" in capsys.readouterr().out
    kernel(RIGHT)
    assert notebook.check("A1.1") == 10
    captured = capsys.readouterr()
    assert "3 of 3 visible checks pass" in captured.out
    assert captured.err == ""


def test_a_check_leaves_generators_and_modules_as_they_were(kernel):
    import scipy.special

    kernel(RIGHT)
    theirs, state = scipy.special.softmax, np.random.get_state()[1].tolist()
    notebook.check("A1.1")
    assert scipy.special.softmax is theirs
    assert np.random.get_state()[1].tolist() == state


STEP = """
import math

from course_lib.decoding.search import Hypothesis

def is_final(found, bound, width, n_best):
    safe = sum(h.score >= bound for h in found) >= n_best
    return bound == -math.inf or len(found) >= width or safe
"""


def test_one_step_of_an_exercise_is_checked_alone_and_gives_no_points(kernel, capsys):
    kernel(STEP)
    assert notebook.check("A4.11", "is_final") is None
    assert "4.11 Beam search, is_final: 1 of 1 visible checks pass" in capsys.readouterr().out
    kernel(STEP.replace(">= n_best", "> 0"))
    notebook.check("A4.11", "is_final")
    assert "the best score decides" in capsys.readouterr().out


def test_a_step_that_is_not_there_is_one_sentence(capsys):
    assert notebook.check("A4.11", "merge") is None
    assert "there is no such step; leave it out to check all" in capsys.readouterr().out


def test_an_exercise_that_is_not_there_is_one_sentence(capsys):
    assert notebook.check("A1.99") == 0.0
    assert "no exercise '1.99'" in capsys.readouterr().out


def test_a_block_is_left_with_a_reason(capsys):
    with notebook.needs("1.1"):
        raise notebook.Skip("nothing was trained here")
    assert capsys.readouterr().out == "nothing was trained here\n"


def test_needs_skips_what_is_not_written_and_shows_what_is_wrong(kernel, capsys):
    stub = Component.parse("course_lib.numpy_forms.attention:softmax").stub("A1.1: not written")
    kernel("import numpy as np\n" + stub)
    with notebook.needs("1.1"):
        sys.modules["__main__"].softmax(np.zeros(3))
    assert "Not written yet: 1.1" in capsys.readouterr().out
    kernel(RIGHT)
    with pytest.raises(NameError), notebook.needs("1.1"):
        undefined_name  # noqa: F821


def test_a_check_names_the_earlier_exercise_to_repair_first(kernel, capsys):
    forms = "course_lib.numpy_forms.attention"
    names = ("softmax", "scaled_scores", "attention")
    sources = {name: Component.parse(f"{forms}:{name}").source for name in names}
    kernel("import math\nimport numpy as np\nfrom jaxtyping import Bool\n")
    kernel("def _check_shapes(*_): pass")
    for name, wrong in (("scaled_scores", "math.sqrt(d_k)"), ("attention", "weights @")):
        for source in sources.values():
            kernel(source)
        kernel(sources[name].replace(wrong, f"2 * {wrong}"))
        notebook.check("A1.4")
        told = capsys.readouterr().out
        assert ("! 1.3 fails: repair it first\n" in told) == (name == "scaled_scores")
        assert "1.4 Scaled dot-product attention: " in told
