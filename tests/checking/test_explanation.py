"""What an exception means is read from real code that raises, in a notebook's namespace."""

import math

import in_process
import numpy as np
import pytest
import torch
from torch import nn

from grader.checking.exceptions.diagnosis import SIGNS, diagnosis
from grader.checking.exceptions.explanation import explain
from grader.notebook.collect import collect
from grader.notebook.notebook_file import Cell
from grader.seam import StudentError
from grader.seam.loading import load

X, X3 = np.ones((2, 3)), np.ones((2, 3, 3))
ROWS = {"x": X, "x3": X3, "t": torch.ones(2, 3), "t3": torch.ones(2, 3, 3)}
HELPERS = """
class Own(nn.Module):
    def __init__(self, n, name="w_q", bias=True):
        super().__init__()
        setattr(self, name, nn.Linear(n, n, bias=bias))

    def forward(self, x):
        return x

class Half(nn.Module):
    def __init__(self):
        self.w = nn.Linear(2, 2)

class Lacking(nn.Module):
    pass

class Empty:
    pass

class Forgets(nn.Module):
    def __init__(self):
        super().__init__()
        n_heads = 2

    def forward(self, x):
        return self.n_heads

def nothing(x):
    x + 1

def pair(x):
    return x, x

def helper(x, axis):
    return x

def given():
    raise NotImplementedError("write given")

def load_into(module, other):
    module.load_state_dict(other.state_dict())
"""


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
ANY = "count axes from the end"


@pytest.mark.parametrize(
    ("argument", "body", "words"),
    [
        # arguments
        ("x", "return softmax()", "`softmax` is called without `x`, which"),  # by itself
        ("x", "return helper(x)", "`helper` is called without `axis`, which it needs"),
        ("x", "return helper(x, 1, 2)", "`helper` is called with other arguments"),
        ("x", "return helper(x, dim=1)", "`helper` has no argument `dim`"),
        (
            "t",
            "return torch.softmax(x)",
            "`softmax` is called without `dim`",
        ),  # torch's, of the same name
        ("x", "return np.max(x, keepdim=True)", "no argument `keepdim`: NumPy calls it `keepdims`"),
        (
            "x",
            "return x.max(axis=0, keepdim=True)",
            "`amax` has no argument `keepdim`: NumPy calls",
        ),
        ("x", "return np.sum(x, dim=-1)", "no argument `dim`: NumPy calls it `axis`"),
        ("x", "return x.sum(dim=-1)", "NumPy calls it `axis`"),
        ("x", "return np.concatenate([x], dim=1)", "NumPy calls it `axis`"),
        ("t", "return F.log_softmax(x, axis=-1)", "torch calls it `dim`"),
        ("t", "return F.dropout(x, prob=0.1)", "`dropout` has no argument `prob`: look at"),
        ("t", "return nn.Linear(2, 2, use_bias=False)", "`Linear` has no argument `use_bias`"),
        ("t", "return F.layer_norm(x)", "`layer_norm` is called without `normalized_shape`"),
        ("t", "return x.transpose(-2)", "`transpose` is called without `dim1`"),
        ("x", "return torch.exp(x)", "a NumPy array is passed to torch"),
        ("x", "return torch.sum(x, dim=-1)", "a NumPy array is passed to torch"),
        ("x", "return x.unsqueeze(0)", "an array has no `unsqueeze`"),
        ("t", "return x.astype(float)", "an array has no `astype`"),
        ("t", "return np.max(x, axis=-1, keepdims=True)", "a function of NumPy is called with a"),
        ("t", "return np.sum(x, axis=-1)", "torch calls it `dim`"),
        ("x", "return np.math.sqrt(2)", "`numpy` has no `math`"),
        # names
        ("x", "return x / np.sqrt(d_k)", "`d_k` is neither an argument nor defined before"),
        ("x", "y = total\n    total = 1", "a variable is used before it has a value"),
        # values of another type
        ("x", "return math.exp(x)", "use the one of NumPy or torch"),
        ("t", "return math.sqrt(x)", "use the one of NumPy or torch"),
        ("x", "return np.zeros(4 / 2)", "divide sizes with `//`"),
        ("t", "return x.reshape(2, 6 / 2)", "divide sizes with `//`"),
        ("t", "return x[: 3 / 2]", "divide sizes with `//`"),
        ("x", "return nothing(x).sum()", "a value is None: a function without `return`"),
        ("x", "y, z = nothing(x)", "a value is None"),
        ("x", "return nothing(x) + 1", "a value is None"),
        ("t", "return pair(x).mean()", "gives a tuple: unpack it"),
        ("t", "return F.linear(pair(x), x)", "gives a tuple: unpack it"),
        ("x", "return [1, 2].sum()", "a Python list has no arithmetic"),
        ("t", "return F.linear([1.0], x)", "a Python list has no arithmetic"),
        ("x", "return np.random.default_rng.normal()", "call it, with parentheses"),
        ("x", "return x.transpose.shape", "call it, with parentheses"),
        ("t", "return torch.sqrt(x.shape[-1])", "for one number, use those of `math`"),
        ("t", "return np.ones(3) @ x", "a NumPy array is passed to torch"),
        ("x", "return 2 * x(0)", "a value is called like a function"),
        ("t", "return x.size(0)(1)", "a value is called like a function"),
        ("t", "return x.gather(1, x)", "ids and indices must be integers"),
        ("t", "return Forgets()(x)", "is set in `__init__` as `self.n_heads = …`"),
        ("x", "return x / 3 ^ 0.5", "write `**`"),
        ("x", "return ~x", "`~` inverts booleans"),
        ("t", "return ~x", "`~` inverts booleans"),
        ("x", "return -(x > 0)", "booleans have no minus"),
        ("t", "return 1 - (x > 0)", "booleans have no minus"),
        ("t", "return x.masked_fill(x, 0.0)", "a condition must be boolean"),
        ("t", "return torch.where(x, x, 0.0)", "a condition must be boolean"),
        ("x", "return len(x.shape[0])", "may be the length already"),
        ("x", "return x.shape[0][1]", "a number is indexed"),
        ("x", "return [i for i in x.shape[0]]", "`range(n)` counts to it"),
        ("t", "return x.max(dim=1) + 1", "take one of its parts"),
        ("x", "return math.sqrt([1])", "gets a value of the type list"),
        ("x", "return np.random.default_rng(0).normal(0, 1, 2).reshape(4)", "2 numbers do not"),
        ("x", "return np.random.default_rng(0).standard_normal(2, 3)", "several sizes are one"),
        ("x", "return {[1]: 2}", "can be no key"),
        ("x", "return sorted([1, 'a'])", "is compared with one of the type"),
        ("t", "return torch.optim.Adam([])", "`model.parameters()`"),
        ("t", "layer = nn.Linear(3, 3); layer.weight = x", "`nn.Parameter(…)`"),
        ("t", "return x.long().mean()", "a mean needs `.float()`"),
        ("t", "return F.cross_entropy(x, x[:, 0])", "a label needs `.long()`"),
        ("t", "return x.item()", "`.item()` is for one number"),
        ("t", "return torch.multinomial(x.log() * 0 / 0, 1)", "was a row divided by 0"),
        ("x", "return {}['mask']", "no key 'mask'"),
        ("x", "return 1 / 0", "divided by 0"),
        ("x", "return math.exp(1000)", "a power is too large"),
        ("x", "return next(iter([]))", "can be read once"),
        ("x", "return x.reshape(5, 7)", "numbers do not fill (5,7)"),
        ("t", "return x.view(5, 7)", "numbers do not fill [5, 7]"),
        ("t", "return torch.cat([x, x[:, :1]])", "may differ in the joined axis alone"),
        ("x", "return np.concatenate([x, x[:, :1]])", "may differ in the joined axis alone"),
        ("x", "return np.stack([x, x[:, :1]])", "only equal shapes can be stacked"),
        ("t", "return x.expand(7, x.shape[1])", "only an axis of size 1 expands"),
        ("x", "x[:, 0] = np.ones(9)", "written into a place of shape"),
        ("x", "return x[np.ones(9, bool)]", "a boolean index needs the shape"),
        ("x", "return [1][3]", "beyond the end of a list"),
        ("x", "return np.swapaxes(x, -1, -5)", "count axes from the end"),
        ("t", "return x[0].tril()", "a triangle is cut from a matrix"),
        ("t", "return nn.LayerNorm(9)(x)", "the norm was made for 9 features"),
        ("t", "return torch.ones(2, -1)", "a size is negative"),
        ("t", "return x.topk(99)", "more entries than the axis has"),
        ("x", "return x.squeeze(0)", "only an axis of size 1 can be squeezed"),
        ("x", "return max([])", "what is empty here"),
        ("t", "return F.nll_loss(x, torch.tensor([5] * len(x)))", "the label 5 is no class"),
        ("t", "return x @ x.T.double()", "two tensors differ in dtype"),
        ("t", "return nn.Linear(3, 2)(x.double())", "two tensors differ in dtype"),
        ("t", "return nn.Embedding(2, 3)(x)", "ids and indices must be integers"),
        ("t", "return x[x]", "ids and indices must be integers"),
        ("t", "return nn.Embedding(2, 3)(2 * x.long())", "is `vocab_size` right?"),
        ("t", "return F.cross_entropy(x, x.long()[:, 0:2])", "flatten batch and tokens"),
        ("t", "return F.cross_entropy(x, torch.ones(3).long())", "flatten batch and tokens"),
        ("t", "return x.half().masked_fill(x > 0, -1e9)", "too large for 16 bits"),
        ("t", "x.sum().backward()", "nothing leads from the loss to the parameters"),
        ("t", "x.requires_grad_().clone().backward()", "take the mean of the losses first"),
        ("t", "y = x.requires_grad_().exp().sum()\n    y.backward(), y.backward()", "called twice"),
        # a fixed number of axes
        ("x", "b, n, d = x.shape", "use only the last sizes (`x.shape[-1]`)"),
        ("x3", "n, d = x.shape", "use only the last sizes"),
        ("t", "b, n, d = x.size()", "use only the last sizes"),
        ("x", "return x.shape[2]", ANY),
        ("t", "return x.size(2)", ANY),
        ("x", "return x.transpose(0, 2, 1)", ANY),
        ("t", "return x.transpose(1, 2)", ANY),
        ("t", "return x.permute(0, 2, 1)", ANY),
        ("x", "return np.swapaxes(x, 1, 2)", ANY),
        ("x", "return np.max(x, axis=2)", ANY),
        ("t", "return x.softmax(dim=2)", ANY),
        ("x", "return x[:, :, 0]", ANY),
        ("t", "return x[:, :, 0]", ANY),
        ("x", "return np.einsum('bqd,bkd->bqk', x, x)", "einsum is written for another number"),
        ("x3", "return np.einsum('qd,kd->qk', x, x)", "einsum is written for another number"),
        ("t", "return torch.einsum('bqd,bkd->bqk', x, x)", "einsum is written for another number"),
        ("t3", "return torch.einsum('qd,kd->qk', x, x)", "einsum is written for another number"),
        ("t", "return torch.bmm(x, x)", "use `@` and `transpose(-2, -1)`"),
        ("t3", "return x @ x.t()", "use `@` and `transpose(-2, -1)`"),
        ("x3", "return x @ x.T", "`.T` reverses every axis"),
        # truth values
        ("x", "return np.exp(x - max(x))", "`max(x)` and `min(x)` need one truth value"),
        ("t", "return x - min(x)", "and use `x.max(…)`"),
        ("x", "return 1 if x > 0 else 0", "test for an optional argument with `is not None`"),
        ("x", "return not x", "is not None"),
        ("t", "return x if x > 0 else 0", "is not None"),
        ("t", "return x > 0 and x < 1", "combine booleans with `&`, `|`, `~`"),
        # values of a type that is not meant
        (
            "x",
            "return {}.append(x)",
            "a dict has no `append`: make an array or a tensor of it first",
        ),
        ("x", "return [1].reshape(1)", "a list has no `reshape`"),
        ("x", "return (2).standard_normal(3)", "are the arguments in the right order?"),
        ("t", "return x.parameters()", "an array has no `parameters`"),
        ("t", "return x[5]", "index 5 on an axis of size 2: the last index is one less"),
        ("x", "return x[:, 5]", "index 5 on an axis of size 3: the last index is one less"),
        ("x", "a, b = Empty()", "a value of the type Empty is looped over or unpacked"),
        (
            "x",
            "return [i for i in Empty()]",
            "a value of the type Empty is looped over or unpacked",
        ),
        ("x", "return Empty()[0]", "a value of the type Empty is indexed with `[…]`"),
        ("x", "Empty()[0] = 1", "a value of the type Empty is indexed with `[…]`"),
        ("x", "return [1][x]", "must be a whole number"),
        ("x", "return x[x]", "must be a whole number"),
        ("t", "return x[0.5]", "must be a whole number"),
        ("x", "return np.zeros([[2]])", "must be a whole number"),
        ("x", "return x - helper", "`-` does not work for values of the types float and function"),
        ("t", "return 2 / [x]", "`/` does not work for values of the types int and list"),
        ("x", "return -[1]", "`-` does not work for a value of the type list"),
        ("t", "return F.linear(True, x)", "`linear` needs a Tensor for `input` and gets a bool"),
        ("t", "return torch.full((2,), 1.0, device=0.5)", "for `device` and gets a float"),
        ("t", "return math.sqrt(x.size())", "gets a value of the type torch.Size"),
        ("x", "return len(helper)", "`len` is called on a value of the type function"),
        ("x", "raise 'wrong shape'", "`raise` needs an exception"),
        ("x", "return nn.Dropout(8)", "a rate of dropout is 8: are the arguments in the right"),
        ("x", "return [*zip([1], [], strict=True)]", "are not equally many: print the length"),
        (
            "t",
            "return torch.optim.lr_scheduler.StepLR(Own(2), 1)",
            "a schedule is made of an optimizer",
        ),
        # modules
        ("t", "return Half()", "`__init__` does not begin with `super().__init__()`"),
        ("t", "super.__init__()", "`__init__` does not begin with `super().__init__()`"),
        ("x", "return Empty()(x)", "an object of `Empty` is called: its class defines `__call__`"),
        ("t", "return Lacking()(x)", "a module has no method `forward`"),
        (
            "t",
            "load_into(Own(2, 'q_proj'), Own(2))",
            '"q_proj.weight", "q_proj.bias", the state dict "w_q.weight", "w_q.bias"; keep',
        ),
        ("t", "load_into(Own(2), Own(2, bias=False))", "with `bias=False` layers have no bias"),
        ("t", "load_into(Own(2, bias=False), Own(2))", 'the state dict has "w_q.bias", the module'),
        ("t", "load_into(Own(2), Own(3))", "`w_q.weight` of the module has the shape (2, 2)"),
        # shapes, devices and gradients
        ("t3", "return x.transpose(1, 2).view(2, 9)", "no longer contiguous"),
        ("t", "return x @ x", "a 2x3 matrix is multiplied by a 2x3 matrix"),
        ("x", "return x @ x", "a matrix product over axes of sizes 3 and 2: a factor or the order"),
        ("x", "return np.dot(x, x)", "a matrix product over axes of sizes 2 and 3"),
        ("x", "return x + np.ones((2, 4))", "shapes (2,3) and (2,4) do not broadcast"),
        ("t", "return x + torch.ones(2, 4)", "sizes 3 and 4 do not broadcast"),
        ("t", "return np.exp(x.requires_grad_())", "call `.detach()` first"),
        ("t", "return x.requires_grad_().add_(1)", "make a new tensor, `x = x + …`"),
        ("t", "return x.gather(-1, torch.zeros(2, dtype=torch.long))", "`index.unsqueeze(-1)`"),
        ("t", "return torch.exp(torch.nn.ReLU(x))", "an object of `ReLU` is used in place of a"),
        ("t", "return x + torch.nn.Dropout(0.1)", "an object of `Dropout` is used in place of a"),
        ("t", "return (x != '[PAD]')[:, None]", "compare with the id"),
        ("t", "return torch.tensor(x != '[PAD]')[:, None]", "compare with the id"),
        ("t", "return torch.nn.Linear(3, 3) @ x", "an object of `Linear` is used in place of a"),
        ("t", "return x.sum().item().backward()", "a plain number or text has no `backward`"),
        ("t", "return x + None", "a value is None"),
        ("t", "return x - x.max()[:, None]", "without an axis, or along the only one, `max`"),
        ("x", "return x[0].sum(axis=-1)[:, None]", "or along the only one, `max` and `sum` give"),
        ("x", "return x - np.max(x)[:, None]", "without an axis, or along the only one, `max`"),
        ("x", "return np.array([x, x.sum(axis=-1)])", "`keepdims=True` keeps an axis"),
        ("x", "return len(x).mean()", "a plain number or text has no `mean`"),
        ("x", "return np.array([x, x[0]])", "return them as a tuple"),
        ("x", "x = x.astype(int); x /= 2", "make a new one, `x = x / …`"),
        ("t", "x = x.long(); x /= 2", "make a new one, `x = x / …`"),
        ("x", "return softmax(x)", "a function never stops calling itself"),
        ("x", "return input()", "pass the value as an argument"),
    ],
)
def test_the_advice_fits_what_was_raised(argument, body, words, monkeypatch):
    monkeypatch.setattr("sys.stdin", open("/dev/null"))  # noqa: SIM115
    message = message_of(body, ROWS[argument])
    assert words in message.cause, message
    assert HANDOUT not in message.cause
    assert len(message.cause) < 200


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def softmax(): ...", "softmax(x)"),
        ("def softmax(x, dim=-1): ...", "softmax(x, axis=0)"),
        ("def softmax(x, axis): ...", "softmax(x)"),
        ("class softmax(nn.Module):\n    def __init__(self, n): ...", "softmax(2, bias=True)"),
        ("class softmax(nn.Module):\n    def forward(self, x): ...", "softmax()(x, mask=x)"),
        ("softmax = nn.Linear", "softmax(2)"),  # nothing of the exercise's own
        ("def own(x): ...\ndef softmax(x, axis=-1):\n    return own()", "softmax(x)"),
    ],
)
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


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ("raise NotImplementedError", "not written yet"),
        ("raise NotImplementedError('write softmax')", "write softmax"),
        ("return given()", "write given"),
        ("return torch.softmax(torch.arange(3), -1)", 'NotImplementedError: "softmax_lastdim'),
        ("return torch.ones(2, device='meta').tolist()", "NotImplementedError: Cannot copy out"),
        ("return Lacking()(1)", "NotImplementedError: Module [Lacking]"),
    ],
)
def test_only_a_stub_is_told_as_not_written(body, got):
    message = message_of(body)
    assert got in message.got
    assert ("exercise that is not written" in message.cause) == got.startswith("write ")


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("class Part:\n    def f(self, x: Kind): ...\nclass F(Part): ...", "name 'Kind' is not"),
        ("class Part:\n    x = Kind\nclass F:\n    y = Part()", "line 2 raised NameError"),
        ("import nothing.here as m\nP = m.X\nclass F:\n    y = P", "line 1 raised ModuleNotFound"),
        ("from nothing import Kind\ndef h(x: Kind): ...\n@h\ndef F(): ...", "line 1 raised Module"),
        ("N = 1 / 0\nM = N + 1\ndef F(x=M): ...", "line 1 raised ZeroDivisionError"),
    ],
)
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
