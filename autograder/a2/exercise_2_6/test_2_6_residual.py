"""Hidden tests of exercise 2.6: the residual connection, post-norm and pre-norm."""

import torch
from torch import native_layer_norm

from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

POST = "§3.1, LayerNorm(x + Sublayer(x))"
DROPPED = "§5.4, residual dropout"


def norm(x, eps=1e-6):
    return native_layer_norm(x, (x.shape[-1],), None, None, eps)[0]


def build(student, d_model, dropout=0.1, **options):
    module = student.ResidualConnection(d_model, dropout, **options)
    module.eval()
    return module


def around(module, x, f):
    """What the module makes of x around the sub-layer f."""
    read = module.method("enter", x)
    expect.shape(read, x.shape, what="the result of `enter(x)`", read=POST)
    return module.method("leave", x, f(read))


def orders(x, f):
    """The result of each order of operations."""
    return {
        "post": norm(x + f(x)),
        "pre": x + f(norm(x)),
        "normed": norm(x) + f(norm(x)),
        "no x": norm(f(x)),
        "bare pre": f(norm(x)),
        "inside": x + norm(f(x)),
        "both": norm(x + f(norm(x))),
        "no norm": x + f(x),
        "outside": norm(x) + f(x),
        "late": x + norm(f(norm(x))),
    }


@exercise("2.6", weight=2)
def test_post_norm(student, rng):
    """By default: add, then normalize."""
    x, other = normal(rng, 2, 3, 8), normal(rng, 8, 8)
    for f in (lambda x: torch.tanh(x @ other), torch.square):  # not affine: a norm would undo that
        module = build(student, 8)
        made = orders(x, f)
        expect.close(
            around(module, x, f),
            made["post"],
            atol=1e-4,
            otherwise="LayerNorm(x + sublayer(x))",
            read=POST,
        )


@exercise("2.6", weight=2)
def test_pre_norm(student, rng):
    """With `norm_first`: normalize, apply the sub-layer, then add x itself."""
    x, other = 2 + 3 * normal(rng, 2, 3, 8), normal(rng, 8, 8)
    for f in (lambda x: torch.tanh(x @ other), torch.square):  # not affine: a norm would undo that
        made, default = orders(x, f), around(build(student, 8), x, f)
        expect.shape(default, x.shape, what="the output", read=POST)
        ignored = torch.allclose(default, made["post"], atol=1e-3)
        why = "`norm_first` is not used" if ignored else "the two orders are swapped"
        expect.close(
            around(build(student, 8, norm_first=True), x, f),
            made["pre"],
            atol=1e-4,
            otherwise="x + sublayer(LayerNorm(x))",
            read="Xiong et al. 2020, Figure 1",
        )


@exercise("2.6")
def test_zero_and_identity(student, rng):
    """A zero sub-layer gives LayerNorm(x), or x with `norm_first`; any leading axes work."""
    zero, same = torch.zeros_like, torch.clone
    for shape in [(8,), (5, 8), (2, 3, 8)]:
        x = 1 + normal(rng, *shape)
        post, pre = build(student, 8), build(student, 8, norm_first=True)
        for name, module, sublayer, wanted in [
            ("zeros after x", post, zero, norm(x)),
            ("zeros after LayerNorm(x)", pre, zero, x),
            ("the identity, post-norm", post, same, norm(2 * x)),
            ("the identity, pre-norm", pre, same, x + norm(x)),
        ]:
            expect.close(
                around(module, x, sublayer),
                wanted,
                atol=1e-4,
                otherwise="what remains of the formula when the sub-layer returns zeros, or x?",
                read=POST,
                what=f"with a sub-layer of {name}",
            )


@exercise("2.6")
def test_inputs_unchanged(student, rng):
    """`enter` and `leave` leave x and y as they are: others may still read these tensors."""
    x, y = normal(rng, 2, 3, 8), normal(rng, 2, 3, 8)
    for norm_first in (False, True):
        module = build(student, 8, norm_first=norm_first)
        for half, given in (("enter", [x]), ("leave", [x, y])):
            changed = student.call(module.get(half), *given).changed
            expect.unchanged(
                changed,
                read="exercise 2.6",
            )


def dropped(x, rate=0.5, seed=1):
    """The result of the first dropout of x after `torch.manual_seed(seed)`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return torch.nn.functional.dropout(x, rate)


@exercise("2.6", weight=2)
def test_dropout(student, rng):
    """In training, dropout is applied to the sub-layer's output, before the addition."""
    x = 3 + normal(rng, 4, 16)
    ones, zeros = torch.ones_like(x), torch.zeros_like(x)
    pre, post = build(student, 16, 0.5, norm_first=True), build(student, 16, 0.5)
    still = student.call(pre.get("leave"), x, ones, seed=1).value
    expect.shape(still, x.shape, what="the output", read=POST)
    expect.close(
        still,
        x + 1,
        atol=1e-5,
        otherwise="x + the sub-layer's ones",
        read=DROPPED,
        what="pre-norm in evaluation mode",
    )
    pre.train()
    post.train()
    for name, module, wanted in [("pre-norm", pre, x), ("post-norm", post, norm(x))]:
        expect.close(
            student.call(module.get("leave"), x, zeros, seed=1).value,
            wanted,
            atol=1e-4,
            otherwise="with zeros from the sub-layer, there is nothing to drop",
            read=DROPPED,
            what=f"{name} in training with a sub-layer of zeros",
        )
    added = student.call(pre.get("leave"), x, ones, seed=1).value - x
    expect.close(
        added,
        torch.where(added > 1, 2.0, 0.0),
        atol=1e-4,
        otherwise="use the dropout rate of the constructor: kept entries are doubled here",
        read=DROPPED,
        what="what pre-norm adds to x in training",
    )
    expect.true(
        0 < int((added > 1).sum()) < added.numel(),  # fails by chance once in 2⁶³ runs
        expected="some entries dropped and some kept at a rate of 0.5",
        got="all of them alike",
        otherwise="the dropout rate of the constructor is not used",
        read=DROPPED,
    )


@exercise("2.6")
def test_dropout_of_post_norm(student, rng):
    """In post-norm order the sub-layer gets x itself, and dropout is applied to its output."""
    x = 3 + normal(rng, 4, 16)
    module = build(student, 16, 0.5)
    module.train()
    values = student.call(module.get("leave"), x, torch.ones_like(x), seed=1).value
    expect.shape(values, x.shape, what="the output", read=POST)
    got = student.call(module.get("enter"), x, seed=1).value
    expect.shape(got, x.shape, what="the sub-layer's input", read=POST)
    expect.close(
        got,
        x,
        atol=1e-5,
        otherwise="in post-norm order, the sub-layer gets x itself",
        read=DROPPED,
        what="the sub-layer's input in training",
    )
    expect.above(
        float((values - norm(x)).abs().max()),  # a norm ignores a shift by ones
        1e-2,
        expected="part of the sub-layer's output dropped in post-norm training",
        got="nothing dropped",
        read=DROPPED,
    )


@exercise("2.6")
def test_one_normalisation(student, rng):
    """The module has one LayerNorm of d_model features, and uses its gain and bias."""
    module = build(student, 8)
    expect.true(
        "torch.nn.modules.module.Module" in module.bases(),
        expected="a subclass of torch.nn.Module",
        got=f"{module.type_name}, which is not a subclass of it",
    )
    state = module.state_dict()
    trained = {name: tuple(state[name].shape) for name in module.parameters()}
    expect.true(
        list(trained.values()) == [(8,), (8,)],
        expected="the gain and the bias of one LayerNorm(8), and no other parameters",
        got=str(trained),
        otherwise="make one LayerNorm in `__init__`, as an attribute",
        read=POST,
    )
    gain, bias = normal(rng, 8), normal(rng, 8)
    new = {name: gain if bool((value == 1).all()) else bias for name, value in state.items()}
    module.load_state_dict(new)  # under all of its names, should the norm have two
    x = normal(rng, 3, 8)
    expect.close(
        module.method("leave", x, 2 * x),
        native_layer_norm(3 * x, (8,), gain, bias, 1e-6)[0],
        atol=1e-4,
        otherwise="use the gain and the bias of the norm",
        read=POST,
    )


@exercise("2.6")
def test_gradients(student, rng):
    """Gradients flow both around the sub-layer and through it."""
    given = normal(rng, 3, 8), normal(rng, 3, 8)
    cotangent = normal(rng, 3, 8)
    for norm_first in (False, True):
        module = build(student, 8, norm_first=norm_first)
        around = MISTAKE.residual_x_detached
        through = "no gradient flows through the sub-layer: its {} is detached"
        for half, count, finish, cut in [
            ("enter", 1, norm if norm_first else torch.clone, [through.format("input")]),
            ("leave", 2, torch.clone if norm_first else norm, [around, through.format("output")]),
        ]:
            leaves = [leaf.clone().requires_grad_() for leaf in given[:count]]
            made = finish(sum(leaves))
            wanted = torch.autograd.grad(made, leaves, cotangent)
            found = student.vjp(module.get(half), *given[:count], cotangent=cotangent)
            expect.close(
                found.value,
                made.detach(),
                atol=1e-4,
                otherwise="the value comes before its gradient: see the other tests",
                read=POST,
                what=f"the result of `{half}`, norm_first={norm_first}",
            )
            for position, (want, cause) in enumerate(zip(wanted, cut, strict=True)):
                got, nothing = found.arguments.get(position), torch.zeros_like(want)
                expect.close(
                    nothing if got is None else got,
                    want,
                    atol=1e-3,
                    rtol=1e-3,
                    otherwise="`.detach()` or `torch.no_grad()` may cut one of the two paths",
                    read=POST,
                    what=f"the gradient of `{half}` by {'xy'[position]}, norm_first={norm_first}",
                )
