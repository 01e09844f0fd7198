"""Hidden tests of exercise 2.8: gradient norms of a module's parameters."""

import numpy as np
import torch

from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

NORMS = "exercise 2.8, the docstring"
# Modules are built in the student's process, and again here for the expected values.
LAYERS = "torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3))"
TWO_INPUTS = (
    "type('Pair', (torch.nn.Bilinear,), {'forward': lambda self, a, b: "
    "(torch.nn.Bilinear.forward(self, a, b), a)})(3, 4, 2)"
)
BRANCHES = (
    "type('Branches', (torch.nn.ModuleDict,), {'forward': lambda self, x: "
    "self['kept'](x) + self['cut'](x).detach()})"
    "({name: torch.nn.Linear(3, 2) for name in ('kept', 'cut', 'unused')})"
)


def built(student, rng, source):
    """(theirs, ours): a module in the student's process and its copy here, equal parameters."""
    theirs, ours = student.make(source), eval(source, {"torch": torch})
    state = {name: normal(rng, *value.shape) for name, value in ours.state_dict().items()}
    theirs.load_state_dict(state)
    ours.load_state_dict(state)
    return theirs, ours


def probe(output):
    ramp = torch.linspace(-1, 1, output.numel()).view(output.shape)
    return (output * ramp).sum()


def gradients(module, *inputs, loss=probe):
    result = module(*inputs)
    named = {name: p for name, p in module.named_parameters() if p.requires_grad}
    found = torch.autograd.grad(
        loss(result[0] if isinstance(result, tuple) else result),
        list(named.values()),
        allow_unused=True,
    )
    return {
        name: torch.zeros_like(p) if g is None else g
        for (name, p), g in zip(named.items(), found, strict=True)
    }


def compare(got, module, *inputs, causes=None, what="", otherwise=""):
    """Check the names, then the norms."""
    found = gradients(module, *inputs)
    expect.true(
        isinstance(got, dict),
        expected="a dict from parameter name to norm",
        got=type(got).__name__ if not isinstance(got, (list, tuple)) else repr(got)[:80],
        read=NORMS,
    )
    every = {name for name, _ in module.named_parameters()}
    expect.equal(
        sorted(map(str, got)),
        sorted(found),
        otherwise="the names from `named_parameters()`, one for each trainable parameter",
        read=NORMS,
        what="the names",
    )
    values = [got[name] for name in found]
    tensors = [value for value in values if torch.is_tensor(value)]
    expect.true(
        all(isinstance(value, (int, float)) for value in values),
        expected="plain numbers",
        got=f"{values[0]!r}"[:80],
        read=NORMS,
    )

    def each(measure, tensors):
        return [float(measure(tensor)) for tensor in tensors.values()]

    parameters = {name: p.detach() for name, p in module.named_parameters() if name in found}
    wrong = {
        MISTAKE.gradients_forward_values: parameters,
        MISTAKE.gradients_plain_sum: gradients(module, *inputs, loss=torch.sum),
        "the loss is the mean of the output": gradients(module, *inputs, loss=torch.mean),
        "the loss is the sum of squares of the output": gradients(
            module, *inputs, loss=lambda y: y.square().sum()
        ),
    }
    wanted = each(torch.linalg.vector_norm, found)
    shuffled = values if np.allclose(sorted(values), sorted(wanted), rtol=1e-4) else []
    expect.close(
        values,
        wanted,
        atol=1e-5,
        rtol=1e-4,
        otherwise=otherwise or "the square root of the sum of squares of each gradient",
        read=NORMS,
        what=what or "the norms",
    )


@exercise("2.8", weight=2)
def test_norms(student, rng):
    """The Euclidean norm of each parameter's gradient, under the parameter's name."""
    theirs, ours = built(student, rng, LAYERS)
    x = normal(rng, 5, 4)
    compare(student.gradient_norms(theirs, x), ours, x)


@exercise("2.8")
def test_several_inputs_and_outputs(student, rng):
    """For a module with two inputs that returns a tuple, the loss uses the first output."""
    theirs, ours = built(student, rng, TWO_INPUTS)
    inputs = normal(rng, 5, 3), normal(rng, 5, 4)
    compare(
        student.gradient_norms(theirs, *inputs),
        ours,
        *inputs,
        otherwise="pass all inputs to the module, and use the first output",
    )


@exercise("2.8", weight=2)
def test_detached_branch(student, rng):
    """Parameters that the output does not depend on are listed with a norm of 0."""
    theirs, ours = built(student, rng, BRANCHES)
    x = normal(rng, 5, 3)
    compare(
        student.gradient_norms(theirs, x),
        ours,
        x,
        otherwise="a detached branch passes values but no gradient",
    )


@exercise("2.8")
def test_frozen_parameters(student, rng):
    """Frozen parameters are left out."""
    theirs, ours = built(student, rng, LAYERS)
    theirs.method("0.requires_grad_", False)
    ours[0].requires_grad_(False)
    x = normal(rng, 5, 4)
    compare(student.gradient_norms(theirs, x), ours, x)


@exercise("2.8", weight=2)
def test_second_call_is_identical(student, rng):
    """A second call gives the same numbers, whatever `.grad` contained before."""
    theirs, ours = built(student, rng, LAYERS)
    x = normal(rng, 5, 4)
    first = student.gradient_norms(theirs, x)
    compare(first, ours, x, what="the first call's norms")
    doubled = {n: 2 * float(g.norm()) for n, g in gradients(ours, x).items()}
    compare(
        student.gradient_norms(theirs, x),
        ours,
        x,
        what="the second call's norms",
    )
    old = normal(rng, 6, 4)
    theirs.set("0.weight.grad", old)
    summed = {n: g + (old if n == "0.weight" else 0) for n, g in gradients(ours, x).items()}
    compare(
        student.gradient_norms(theirs, x),
        ours,
        x,
        what="the norms with an old gradient in `.grad`",
    )
