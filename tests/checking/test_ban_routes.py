"""What an exercise forbids raises while its tests run, whatever way led to it; what that costs."""

import pkgutil
import re
import sys
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase

import in_process
import proofs
import pytest

from grader.checking.exceptions.explanation import explain
from grader.notebook.collect import collect, decided
from grader.notebook.notebook_file import Cell
from grader.seam import StudentError, switches, torch_calls
from grader.seam.errors import POLICY
from grader.seam.loading import load

COURSE = proofs.COURSE
NAMES = sorted(
    {
        name
        for assignment in COURSE.graded
        for exercise in assignment.exercises
        for name in assignment.forbidden_in(exercise)
    }
)
# Other names of the same, and what it is done with inside.
ALIASES = {
    "sacrebleu.corpus_bleu": ["sacrebleu.compat.corpus_bleu"],
    "sacrebleu.metrics.BLEU": ["sacrebleu.BLEU", "sacrebleu.metrics.bleu.BLEU"],
    "scipy.special.softmax": ["scipy.special._logsumexp.softmax"],
    "torch._scaled_dot_product_*": [
        "torch._scaled_dot_product_attention_math",
        "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu",
    ],
    "torch._transformer_*": ["torch._transformer_encoder_layer_fwd"],
    "torch.float_power": ["torch.Tensor.float_power", "torch.ops.aten.float_power"],
    "torch.lerp": ["torch.Tensor.lerp", "torch.ops.aten.lerp"],
    "torch.layer_norm": ["torch._C._VariableFunctions.layer_norm"],
    "torch.linalg.matrix_exp": [
        "torch._C._linalg.linalg_matrix_exp", "torch.ops.aten.linalg_matrix_exp",
    ],
    "torch.matrix_exp": ["torch.Tensor.matrix_exp", "torch.ops.aten.matrix_exp.default"],
    "torch.native_*_norm": [
        "torch.native_layer_norm", "torch.ops.aten.native_layer_norm.default",
        "torch.native_group_norm",
    ],
    "torch.nn.Transformer*": [
        "torch.nn.TransformerEncoderLayer", "torch.nn.modules.transformer.Transformer",
        "torch.nn.modules.TransformerDecoder",
    ],
    "torch.nn.LayerNorm": ["torch.nn.modules.normalization.LayerNorm"],
    "torch.nn.functional.*softm*": [
        "torch.nn.functional.softmax", "torch.nn.functional.softmin", "torch._safe_softmax",
        "torch.nn.functional.gumbel_softmax", "torch.sparse.softmax",
    ],
    "torch.nn.functional.group_norm": ["torch.group_norm", "torch.ops.aten.group_norm.default"],
    "torch.nn.functional.kl_div": ["torch.kl_div", "torch.ops.aten.kl_div"],
    "torch.nn.functional.scaled_dot_product_attention": [
        "torch._C._nn.scaled_dot_product_attention", "torch.ops.aten.scaled_dot_product_attention",
    ],
    "torch.ops.aten.cross_entropy_loss": ["torch._C._nn.cross_entropy_loss"],
    "torch.sgn": ["torch.Tensor.sgn", "torch.ops.aten.sgn"],
    "torch.softmax": ["torch.Tensor.softmax", "torch.special.softmax", "torch._softmax"],
}  # fmt: skip
ARGUMENTS = {  # that a compiled function of torch must get before it announces itself
    r".*\.special\.softmax|torch\.softmax|.*Tensor\.softmax|.*functional\.softmax": "x, -1",
    r"torch\.log_softmax|.*\.softmin|torch\._safe_softmax|torch\.sparse\.softmax": "x, -1",
    r"torch\._softmax": "x, -1, False",
    r".*gumbel_softmax": "x",
    r"torch\.group_norm|.*aten\.group_norm.*": "x, 1",
    r".*native_group_norm": "x, None, None, 1, 2, 12, 1, 1e-5",
    r".*scaled_dot_product.*": "x, x, x",
    r".*\.native_layer_norm.*": "x, (4,), None, None, 1e-5",
    r".*\.layer_norm": "x, (4,)",
    r".*cross_entropy.*": "x[0, 0], torch.tensor([0, 1, 2])",
    r".*kl_div": "x, x",
    r".*matrix_exp.*": "x[..., :3]",
    r".*\.sgn": "x",
    r".*\.float_power": "x, 2.0",
    r".*\.lerp": "x, x, 0.5",
    r".*_native_multi_head_attention": "x[0], x[0], x[0], 4, 2, torch.zeros(12, 4), "
    "torch.zeros(12), torch.zeros(4, 4), torch.zeros(4)",
    r".*_transformer_encoder_layer_fwd": "x[0], 4, 2, torch.zeros(12, 4), torch.zeros(12), "
    "torch.zeros(4, 4), torch.zeros(4), False, False, 1e-5, *[torch.zeros(4)] * 4, "
    "torch.zeros(4, 4), torch.zeros(4), torch.zeros(4, 4), torch.zeros(4)",
}
HEAD = """
import functools, importlib, sys, threading
from concurrent.futures import ThreadPoolExecutor

def reached(path, start=importlib.import_module):
    head, *rest = path.split(".")
    found = start(head)
    for number, part in enumerate(rest):
        if not hasattr(found, part):
            start(".".join([head, *rest[:number + 1]]))
        found = getattr(found, part)
    return found

def arguments():
    import torch
    x = torch.ones(1, 2, 3, 4)
    return [{arguments}]
"""
HIDDEN_HEAD = """
import _thread, threading
from concurrent.futures import ThreadPoolExecutor
import torch
"""
ROUTES = {
    "a string": "def use(): return reached('{a}' + '{b}')(*arguments())",
    "__import__": "def use(): return reached('{path}', __import__)(*arguments())",
    "sys.modules": "def use():\n"
    "    reached('{path}')\n"
    "    return reached('{path}', sys.modules.get)(*arguments())",
    "eval": "def use(): return eval(\"reached('{path}')\" + '(*arguments())')",
    "kept from before": "kept = reached('{path}')\ndef use(): return kept(*arguments())",
    "kept where no name is": "kept = [functools.partial(reached('{path}'))]\n"
    "def use(): return kept[0](*arguments())",
    "a default": "def use(one=reached('{path}')): return one(*arguments())",
    "a thread": "kept = reached('{path}')\n"
    "def use(): return ThreadPoolExecutor().submit(kept, *arguments()).result()",
    "another put in its place": "kept = reached('{path}')\n"
    "def use(): return kept(*arguments())\n"
    "owner, name = reached('{owner}'), '{name}'\n"
    "try:\n    setattr(owner, name, print)\n"
    "except (AttributeError, TypeError):\n    pass",
    "imported again": "kept = reached('{path}')\n"
    "def use():\n"
    "    if '{owner}' in sys.modules and '{path}'[:5] != 'torch':\n"
    "        importlib.reload(sys.modules[getattr(kept, '__module__', '')])\n"
    "        return reached('{path}')(*arguments())\n"
    "    return kept(*arguments())",
}


def paths(name):
    return [*([] if "*" in name else [name]), *ALIASES.get(name, [])]


def notebook(path, route):
    given = (a for pattern, a in ARGUMENTS.items() if re.fullmatch(pattern, path))
    owner, _, name = path.rpartition(".")
    text = route.format(path=path, owner=owner, name=name, a=path[:-3], b=path[-3:])
    return HEAD.format(arguments=next(given, "")) + text


def loaded(source, forbidden):
    statement = {"cell": 3, "line": 1, "source": source, "names": ["use"]}
    job = {"statements": [statement], "unavailable": {}, "substitutes": [], "forbidden": forbidden}
    namespace, unavailable, problems = load(job)
    assert not problems
    return in_process.student(namespace, unavailable)


@pytest.fixture
def restored(monkeypatch):
    """What a notebook puts in the place of a name is taken out again."""

    @contextmanager
    def around(path):
        owner, _, name = path.rpartition(".")
        with monkeypatch.context() as patches:
            with suppress(ImportError, AttributeError, TypeError):
                found = pkgutil.resolve_name(path)
                patches.setattr(pkgutil.resolve_name(owner), name, found)
            yield

    return around


@pytest.mark.parametrize("name", NAMES)
def test_no_route_leads_to_what_is_forbidden(name, restored):
    """Each ban of course.toml and exam.toml, by ten routes and by every other name of the same."""
    for path in paths(name):
        for route, text in ROUTES.items():
            with restored(path):
                student = loaded(notebook(path, text), [name])
                student.begin(forbid=[name])
                with pytest.raises(StudentError) as caught:
                    student.use()
            assert caught.value.kind == POLICY, (path, route, str(caught.value))
            said = caught.value.message
            assert fnmatchcase(said, name) or said == torch_calls.REPLACED, (path, route, said)


MADE_BEFORE = {
    "an instance": ("torch.nn.LayerNorm", "kept = torch.nn.LayerNorm(4)"),
    "a method": (
        "torch.nn.LayerNorm",
        "layer = torch.nn.LayerNorm(4)\ndef kept(x): return forward(layer, x)\n"
        "forward = torch.nn.LayerNorm.forward",
    ),
    "a subclass": (
        "torch.nn.LayerNorm",
        "class Own(torch.nn.LayerNorm): pass\ndef kept(x): return Own(4)(x)",
    ),
    "traced": (
        "torch.layer_norm",
        "kept = torch.jit.trace(torch.nn.LayerNorm(4), torch.ones(2, 4))",
    ),
    "behind another name": (
        "torch.softmax",
        "real = torch.Tensor.softmax\ndef kept(x): return real(x, -1)\n"
        "torch.Tensor.softmax = lambda x, axis: real(x, axis)",
    ),
}

HIDDEN_PLACES = {
    "when the answer is read": "class Lazy(tuple):\n"
    "    def __iter__(self): return iter([torch.softmax(torch.ones(2), 0)])\n"
    "def use(): return Lazy([0])",
    "when a number is read": "class Lazy(float):\n"
    "    def __float__(self): return torch.softmax(torch.ones(2), 0)[0].item()\n"
    "def use(): return Lazy(0)",
    "in a gradient's hook": "def use():\n"
    "    x, found = torch.ones(2, requires_grad=True), []\n"
    "    x.register_hook(lambda gradient: found.append(torch.softmax(gradient, 0)))\n"
    "    x.sum().backward()\n"
    "    return found[0]",
    "in a backward of one's own": "class Own(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(context, x): return 1 * x\n"
    "    @staticmethod\n"
    "    def backward(context, gradient): return torch.softmax(gradient, 0)\n"
    "def use():\n"
    "    x = torch.ones(2, requires_grad=True)\n"
    "    return torch.autograd.grad(Own.apply(x).sum(), x)[0]",
    "in a thread from before": "pool = ThreadPoolExecutor(1)\n"
    "begun = pool.submit(int).result()\n"
    "def use(): return pool.submit(torch.softmax, torch.ones(2), 0).result()",
    "in a thread with a run of its own": "class Own(threading.Thread):\n"
    "    result = ValueError()\n"
    "    def run(self):\n"
    "        try: self.result = torch.softmax(torch.ones(2), 0)\n"
    "        except Exception as error: self.result = error\n"
    "def use():\n"
    "    thread = Own()\n"
    "    thread.start()\n"
    "    thread.join()\n"
    "    if isinstance(thread.result, Exception): raise thread.result\n"
    "    return thread.result",
    "in a thread without a class": "def use():\n"
    "    found, done = [], threading.Event()\n"
    "    def work():\n"
    "        try: found.append(torch.softmax(torch.ones(2), 0))\n"
    "        except Exception as error: found.append(error)\n"
    "        done.set()\n"
    "    _thread.start_new_thread(work, ())\n"
    "    done.wait()\n"
    "    if isinstance(found[0], Exception): raise found[0]\n"
    "    return found[0]",
}


@pytest.mark.parametrize("place", HIDDEN_PLACES)
def test_no_place_hides_what_is_forbidden(place, monkeypatch):
    for owner, name in torch_calls.STARTS:  # what a worker does for good ends here with the test
        monkeypatch.setattr(owner, name, getattr(owner, name))
    pytest.importorskip("torch")
    torch_calls.watch_new_threads()
    student = loaded(HIDDEN_HEAD + HIDDEN_PLACES[place], ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    with pytest.raises(StudentError, match=r"^POLICY: torch\.softmax$"):
        student.use()
    student.begin()
    student.use()  # what is not forbidden works, in the same places


SWITCHES = {
    "switched off": "off = torch._C.DisableTorchFunction\n"
    "def use():\n    with off(): return torch.softmax(x, 0)",
    "by its other name": "def use():\n"
    "    with torch.DisableTorchFunction(): return torch.softmax(x, 0)",
    "by its state": "off = torch._C._TorchFunctionState.ALL_DISABLED\n"
    "def use():\n    torch._C._set_torch_function_state(off)\n    return torch.softmax(x, 0)",
    "sent on": "def use(): return operation.redispatch(cpu, x, 0, False)",
    "sent on, boxed": "kept = operation._handle.redispatch_boxed\n"
    "def use(): return kept(cpu, x, 0, False)",
    "called boxed": "def use():\n"
    "    return torch._C._dispatch_call_boxed(operation._handle, x, 0, False)",
    "mode taken off": "def use():\n"
    "    mode = overrides._pop_mode()\n"
    "    try: return torch.softmax(x, 0)\n"
    "    finally: overrides._push_mode(mode)",
    "mode taken off in C": "from torch._C import _pop_torch_function_stack as off\n"
    "def use():\n"
    "    mode = off()\n"
    "    try: return torch.softmax(x, 0)\n"
    "    finally: overrides._push_mode(mode)",
    "mode taken off for a while": "def use():\n"
    "    with overrides._pop_mode_temporarily(): return torch.softmax(x, 0)",
    "mode left": "class Own(overrides.TorchFunctionMode): pass\n"
    "def use():\n"
    "    Own().__exit__(None, None, None)\n"
    "    return torch.softmax(x, 0)",
}
SWITCHES_HEAD = """
import torch
from torch import overrides
x, operation = torch.ones(2), torch.ops.aten._softmax.default
cpu = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
"""


@pytest.fixture
def guarded(monkeypatch):
    """As in a worker, which has imported torch, until the test ends."""
    pytest.importorskip("torch")
    for owner, name in switches.places():
        monkeypatch.setattr(owner, name, getattr(owner, name))
    switches.guard()


@pytest.mark.parametrize("way", SWITCHES)
def test_what_tells_of_torch_is_not_switched_off(guarded, way):
    student = loaded(SWITCHES_HEAD + SWITCHES[way], ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    with pytest.raises(StudentError, match=r"^POLICY: torch\._C\."):
        student.use()


def test_what_torch_switches_itself_works_under_a_ban(guarded):
    """Devices as contexts, functions of torch in Python, and modes of one's own."""
    source = (
        "import torch\nfrom torch.nn import functional\n"
        "class Own(torch.overrides.TorchFunctionMode):\n"
        "    def __torch_function__(self, function, types, args=(), kwargs=None):\n"
        "        return function(*args, **(kwargs or {}))\n"
        "def use(x):\n"
        "    with torch.device('cpu'), Own():\n"
        "        y = functional.normalize(functional.dropout(x, 0.0), dim=0)\n"
        "    return torch.nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)[0].shape, y.shape"
    )
    student = loaded(source, ["torch.softmax"])
    student.begin(forbid=["torch.softmax"])
    assert student.use(torch_ones(1, 3, 4)) == ((1, 3, 4), (1, 3, 4))
    student = loaded(f"{SWITCHES_HEAD}{SWITCHES['switched off']}", ["torch.softmax"])
    student.begin()
    assert student.use().tolist() == [0.5, 0.5]


def torch_ones(*shape):
    return pytest.importorskip("torch").ones(*shape)


@pytest.mark.parametrize("what", MADE_BEFORE)
def test_what_was_made_before_the_ban_does_not_work_under_it(what, restored):
    name, source = MADE_BEFORE[what]
    text = f"import torch\n{source}\ndef use(): return bool(kept(torch.ones(2, 4)).sum())"
    with restored("torch.Tensor.softmax"):
        student = loaded(text, [name])
        student.begin(forbid=[name])
        with pytest.raises(StudentError) as caught:
            student.use()
        assert caught.value.kind == POLICY, str(caught.value)


def test_a_ban_ends_with_the_call():
    """A test in the same process, and the next exercise, use what was forbidden."""
    special = pytest.importorskip("scipy.special")
    student = loaded("from scipy.special import softmax\ndef use(): return softmax([0, 0])", [])
    student.begin(forbid=["scipy.special.softmax"])
    with pytest.raises(StudentError):
        student.use()
    assert special.softmax([0, 0]).tolist() == [0.5, 0.5]
    student.begin()
    assert student.use().tolist() == [0.5, 0.5]


def test_a_module_that_is_imported_under_the_ban_has_what_is_forbidden_refused(monkeypatch):
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    student = loaded("def use():\n    import colorsys\n    return colorsys.rgb_to_hls(0, 0, 0)", [])
    student.begin(forbid=["colorsys.rgb_to_hls"])
    with pytest.raises(StudentError, match=r"^POLICY: colorsys\.rgb_to_hls$"):
        student.use()
    student.begin()
    assert student.use() == (0.0, 0.0, 0.0)


def test_a_compiled_function_of_another_library_is_replaced_where_it_stands():
    student = loaded("import math\ndef use(): return math.exp(0)", [])
    student.begin(forbid=["math.exp"])
    with pytest.raises(StudentError, match=r"^POLICY: math\.exp$"):
        student.use()
    student.begin()
    assert student.use() == 1.0


def test_what_an_allowed_function_does_inside_is_allowed():
    """torch's attention, which 2.4 allows, calls a fused function that is forbidden by itself."""
    torch = pytest.importorskip("torch")
    source = (
        "import torch\nlayer = torch.nn.MultiheadAttention(4, 2, batch_first=True)\n"
        "def use(x): return layer(x, x, x, need_weights=False)[0]"
    )
    student = loaded(source, [])
    student.begin(forbid=["torch.nn.functional.scaled_dot_product_attention"])
    assert student.use(torch.ones(1, 3, 4)).shape == (1, 3, 4)


# What a ban costs, what is said of it, and whom it must not touch.


SOFTMAX = "course_lib.numpy_forms.attention:softmax"
ATTENTION = "course_lib.numpy_forms.attention:attention"
BORROWED = """
from scipy.special import softmax as borrowed

def softmax(x, axis=-1):
    return borrowed(x, axis=axis)
"""
BORROWED_WITHOUT_A_MASK = """
import numpy as np
import scipy.special

def attention(query, key, value, mask=None):
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ValueError(f"shapes {query.shape}, {key.shape} and {value.shape} do not fit")
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    if mask is None:
        weights = scipy.special.softmax(scores, axis=-1)
    else:
        largest = np.max(np.where(mask, scores, -np.inf), axis=-1, keepdims=True)
        shifted = np.where(mask, scores - np.where(np.isfinite(largest), largest, 0.0), -np.inf)
        weights = np.exp(shifted)
        total = weights.sum(axis=-1, keepdims=True)
        weights = weights / np.where(total == 0, 1.0, total)
    return weights @ value, weights
"""


def test_the_message_says_what_was_used_where_and_what_is_allowed():
    data = proofs.notebook("a1", "solution", {SOFTMAX: BORROWED})
    tests = [test for test in proofs.graded(data, "a1", only=["1.1"]).tests if test.message]
    assert {test.outcome for test in tests} == {POLICY}
    message = tests[0].message
    assert message.expected == "your own code, with `np.exp`, `np.max` and sums"
    assert re.fullmatch(r"a call of `scipy\.special\.softmax` in cell \d+, line 4", message.got)
    assert message.cause == "1.1 asks you to write this yourself: it is forbidden under any name"
    assert message.seen


def test_only_the_tests_that_run_it_lose_their_points():
    data = proofs.notebook("a1", "solution", {ATTENTION: BORROWED_WITHOUT_A_MASK})
    result = proofs.graded(data, "a1")
    code = {exercise.id: exercise for exercise in result.exercises if exercise.tests}
    lost = [test for exercise in code.values() for test in exercise.tests if not test.points]
    assert {test.outcome for test in lost} == {POLICY}
    assert 0 < code.pop("1.4").points < 18
    assert {id: e.points for id, e in code.items()} == {id: e.max_points for id, e in code.items()}


@pytest.mark.parametrize(
    "written",
    [
        "import ctypes\ndef softmax(x, axis):\n    return ctypes.pythonapi",
        "import ctypes as c\ndef softmax(x, axis):\n    return c.CDLL(None)",
        "from ctypes import CDLL\ndef softmax(x, axis):\n    return CDLL(None)",
        "def softmax(x, axis):\n    import ctypes",
        "def softmax(x, axis):\n    from importlib import util as u\n    return u.find_spec('x')",
        "def softmax(x, axis):\n    return __import__('scipy.special')",
        "def softmax(x, axis):\n    return getattr(x, '__globals__')",
        "def softmax(x, axis):\n    pass\nsoftmax.__code__ = (lambda x: x).__code__",
        "from types import FunctionType as F\nf = F\ndef softmax(x, axis):\n    return f(x)",
        "import types\nclass C:\n    F = types.FunctionType\ndef softmax(x, axis):\n    return C()",
        "import torch\ndef softmax(x, axis):\n    return torch.ops.aten._softmax(x, axis, False)",
        "import torch as t\ndef softmax(x, axis):\n    return t._C._VariableFunctions.softmax(x)",
        "from torch.utils import _python_dispatch as p\ndef softmax(x, axis):\n    return p",
        "import torch.library\ndef softmax(x, axis):\n    return torch.library.Library",
        "def softmax(x, axis):\n    return eval('x')",
        "def softmax(x, axis):\n    exec('import scipy')",
        "class B:\n    def go(self, x):\n        return x.__class__.__subclasses__()\nb = B()\n"
        "def softmax(x, axis):\n    return b.go(x)",
    ],
)
def test_what_leads_around_a_ban_is_read_from_the_source(written):
    a1 = COURSE.assignment("a1")
    found = decided(a1, collect([Cell(3, "code", written)], ["softmax", "scaled_scores"]))
    assert found["1.1"].kind == POLICY
    message = explain(found["1.1"], ["softmax"], "1.1", a1.bans(a1.exercise("1.1")))
    assert "cell 3" in message.got
    assert "1.1 forbids" in message.cause


@pytest.mark.parametrize(
    "written",
    [
        "def softmax(x, axis):\n    mode = 'eval'\n    return mode",
        "def softmax(x, axis):\n    ctypes = x\n    return ctypes.sum()",
        "import gc\ndef softmax(x, axis):\n    gc.collect()\n    return x",
        "def softmax(x, axis):\n    'Not by ctypes, nor by exec.'\n    return x",
        "import torch\ndef softmax(x, axis):\n    return torch.no_grad()",
        "def softmax(model, axis):\n    return model.eval()",
        "import ctypes\ndef other(x):\n    return ctypes\ndef softmax(x, axis):\n    return x",
        "def softmax(x, axis):\n    return x.__class__.__name__",
    ],
)
def test_ordinary_code_leads_around_nothing(written):
    collected = collect([Cell(3, "code", written)], ["softmax", "scaled_scores"])
    assert decided(COURSE.assignment("a1"), collected) == {}
