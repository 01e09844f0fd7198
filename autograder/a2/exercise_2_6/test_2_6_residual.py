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


def orders(x, f, around=lambda x: x):
    """The result of each order of operations; `around` is applied to x on the residual path."""
    return {
        "post": norm(around(x) + f(x)),
        "pre": around(x) + f(norm(x)),
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
    for source, f in [
        ("lambda x: torch.tanh(x @ w)", lambda x: torch.tanh(x @ other)),
        ("lambda x: x * x", lambda x: x * x),  # not affine: a norm would undo that
    ]:
        module = build(student, 8)
        made = orders(x, f)
        expect.close(
            module(x, student.make(source, w=other)),
            made["post"],
            atol=1e-4,
            causes={
                MISTAKE.residual_orders_swapped: made["pre"],
                MISTAKE.residual_no_residual: made["no x"],
                MISTAKE.residual_only_output_normalised: made["inside"],
                "the sub-layer gets the normalized x, and the sum is normalized again": made[
                    "both"
                ],
                "nothing is normalized": made["no norm"],
                "x is normalized before it is added": made["outside"],
                "the normalized x is added in pre-norm order": made["normed"],
            },
            otherwise="LayerNorm(x + sublayer(x))",
            read=POST,
        )


@exercise("2.6", weight=2)
def test_pre_norm(student, rng):
    """With `norm_first`: normalize, apply the sub-layer, then add x itself."""
    x, other = 2 + 3 * normal(rng, 2, 3, 8), normal(rng, 8, 8)
    for source, f in [
        ("lambda x: torch.tanh(x @ w)", lambda x: torch.tanh(x @ other)),
        ("lambda x: x * x", lambda x: x * x),  # not affine: a norm would undo that
    ]:
        made, sublayer = orders(x, f), student.make(source, w=other)
        default = build(student, 8)(x, sublayer)
        expect.shape(default, x.shape, what="the output", read=POST)
        ignored = torch.allclose(default, made["post"], atol=1e-3)
        why = "`norm_first` is not used" if ignored else "the two orders are swapped"
        expect.close(
            build(student, 8, norm_first=True)(x, sublayer),
            made["pre"],
            atol=1e-4,
            causes={
                MISTAKE.residual_adds_normed_x: made["normed"],
                MISTAKE.saying(f"this is post-norm: {why}"): made["post"],
                MISTAKE.residual_no_residual: made["bare pre"],
                "the sub-layer's output is normalized, not its input": made["inside"],
                "normalized before the sub-layer and again after the addition": made["both"],
                "normalized before and after the sub-layer": made["late"],
                "nothing is normalized": made["no norm"],
            },
            otherwise="x + sublayer(LayerNorm(x))",
            read="Xiong et al. 2020, Figure 1",
        )


@exercise("2.6")
def test_zero_and_identity(student, rng):
    """A zero sub-layer gives LayerNorm(x), or x with `norm_first`; any leading axes work."""
    zero, same = student.make("torch.zeros_like"), student.make("torch.nn.Identity()")
    for shape in [(8,), (5, 8), (2, 3, 8)]:
        x = 1 + normal(rng, *shape)
        post, pre = build(student, 8), build(student, 8, norm_first=True)
        for name, module, sublayer, wanted in [
            ("zeros after x", post, zero, norm(x)),
            ("zeros after LayerNorm(x)", pre, zero, x),
            ("the identity, post-norm", post, same, norm(2 * x)),
            ("the identity, pre-norm", pre, same, x + norm(x)),
        ]:
            called = student.call(module, x, sublayer)
            expect.close(
                called.value,
                wanted,
                atol=1e-4,
                causes={
                    "the two orders are swapped": norm(x) if module is pre else x,
                    "x is not added": wanted * 0,
                },
                otherwise="what remains of the formula when the sub-layer returns zeros, or x?",
                read=POST,
                what=f"with a sub-layer of {name}",
            )
            expect.unchanged(called.changed)


@exercise("2.6")
def test_one_call(student, rng):
    """The sub-layer is called exactly once: with dropout, two calls would differ."""
    for norm_first in (False, True):
        module = build(student, 8, norm_first=norm_first)
        calls = student.make("[]")
        sublayer = student.make("lambda x: (calls.append(1), 2 * x)[1]", calls=calls)
        module(normal(rng, 2, 3, 8), sublayer)
        expect.equal(
            calls.method("__len__"),
            1,
            causes={MISTAKE.residual_called_twice: 2},
            otherwise="one call, whatever `norm_first` is",
            read=POST,
            what=f"calls of the sub-layer with norm_first={norm_first}",
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
    ones, zero = student.make("torch.ones_like"), student.make("torch.zeros_like")
    pre, post = build(student, 16, 0.5, norm_first=True), build(student, 16, 0.5)
    still = student.call(pre, x, ones, seed=1).value
    expect.shape(still, x.shape, what="the output", read=POST)
    expect.close(
        still,
        x + 1,
        atol=1e-5,
        causes={
            "dropout is still on in evaluation mode: use an nn.Dropout layer": torch.where(
                still > x + 1, x + 2, x
            )
        },
        otherwise="x + the sub-layer's ones",
        read=DROPPED,
        what="pre-norm in evaluation mode",
    )
    pre.train()
    post.train()
    for name, module, wanted in [("pre-norm", pre, x), ("post-norm", post, norm(x))]:
        expect.close(
            student.call(module, x, zero, seed=1).value,
            wanted,
            atol=1e-4,
            causes={
                MISTAKE.residual_dropout_on_sum: (
                    dropped(x) if module is pre else norm(dropped(x))
                ),
                MISTAKE.residual_dropout_after_norm: dropped(wanted) if module is post else wanted,
            },
            otherwise="with zeros from the sub-layer, there is nothing to drop",
            read=DROPPED,
            what=f"{name} in training with a sub-layer of zeros",
        )
    added = student.call(pre, x, ones, seed=1).value - x
    expect.close(
        added,
        torch.where(added > 1, 2.0, 0.0),
        atol=1e-4,
        causes={MISTAKE.residual_dropout_ignored: torch.ones_like(x)},
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
    inputs = student.make("[]")
    ones = student.make("lambda x: (inputs.append(x), torch.ones_like(x))[1]", inputs=inputs)
    values = student.call(module, x, ones, seed=1).value
    expect.shape(values, x.shape, what="the output", read=POST)
    expect.true(
        inputs.method("__len__") > 0,
        expected="a call of the sub-layer",
        got="no call",
        because="the sub-layer is not called",
        read=POST,
    )
    got = inputs.method("__getitem__", 0)
    expect.shape(got, x.shape, what="the sub-layer's input", read=POST)
    expect.close(
        got,
        x,
        atol=1e-5,
        causes={MISTAKE.residual_dropout_on_input: torch.where(got.abs() > x.abs(), 2 * x, 0.0)},
        otherwise="in post-norm order, the sub-layer gets x itself",
        read=DROPPED,
        what="the sub-layer's input in training",
    )
    expect.above(
        float((values - norm(x)).abs().max()),  # a norm ignores a shift by ones
        1e-2,
        expected="part of the sub-layer's output dropped in post-norm training",
        got="nothing dropped",
        because=MISTAKE.residual_post_norm_without_dropout,
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
        because=MISTAKE.residual_two_norms if list(trained.values()) == [(8,)] * 4 else "",
        otherwise="make one LayerNorm in `__init__`, as an attribute",
        read=POST,
    )
    gain, bias = normal(rng, 8), normal(rng, 8)
    new = {name: gain if bool((state[name] == 1).all()) else bias for name in trained}
    module.load_state_dict({**state, **new})
    x = normal(rng, 3, 8)
    expect.close(
        module(x, student.make("lambda x: 2 * x")),
        native_layer_norm(3 * x, (8,), gain, bias, 1e-6)[0],
        atol=1e-4,
        causes={
            MISTAKE.residual_fresh_norm: norm(3 * x),
        },
        otherwise="use the gain and the bias of the norm",
        read=POST,
    )


@exercise("2.6")
def test_gradients(student, rng):
    """Gradients flow both around the sub-layer and through it."""
    x, cotangent = normal(rng, 3, 8), normal(rng, 3, 8)
    double = student.make("lambda x: 2 * torch.sin(x)")
    for norm_first in (False, True):
        order = "pre" if norm_first else "post"

        def gradient(made, order=order):
            leaf = x.clone().requires_grad_()
            return torch.autograd.grad(made(leaf)[order], leaf, cotangent)[0]

        wanted = gradient(lambda x: orders(x, lambda y: 2 * torch.sin(y)))
        cut = gradient(lambda x: orders(x, lambda y: 2 * torch.sin(y), around=torch.detach))
        through = gradient(lambda x: orders(x, lambda y: 2 * torch.sin(y).detach()))
        module = build(student, 8, norm_first=norm_first)
        got = student.vjp(module, x, double, cotangent=cotangent).arguments.get(0)
        expect.close(
            torch.zeros_like(x) if got is None else got,
            wanted,
            atol=1e-3,
            rtol=1e-3,
            causes={
                MISTAKE.residual_x_detached: cut,
                "no gradient flows through the sub-layer: its output is detached": through,
                "no gradient reaches x: both paths are detached": torch.zeros_like(x),
            },
            otherwise="`.detach()` or `torch.no_grad()` may cut one of the two paths",
            read=POST,
            what=f"the gradient with norm_first={norm_first}",
        )
