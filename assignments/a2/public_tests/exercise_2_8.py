"""The visible checks of exercise 2.8: gradient norms."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

LINEAR = {"weight": torch.tensor([[1.0, 0], [0, 1], [0, 0]]), "bias": torch.tensor([5.0, 7, 0])}


@exercise("2.8")
def test_linear_by_hand(student):
    """A linear layer with one example: both norms match a hand calculation."""
    module = student.make("torch.nn.Linear(2, 3)")
    module.load_state_dict(LINEAR)
    got = student.gradient_norms(module, torch.tensor([[3.0, 4.0]]))
    expect.true(
        isinstance(got, dict) and sorted(got) == ["bias", "weight"],
        expected="a dict with the parameters' names, 'weight' and 'bias'", got=repr(got)[:100],
        otherwise="go through module.named_parameters()", read="exercise 2.8")
    # The probe's ramp is (−1, 0, 1): the weight's gradient is its outer product with (3, 4).
    expect.close(
        [got["weight"], got["bias"]], [5 * math.sqrt(2), math.sqrt(2)], what="[weight, bias]",
        otherwise="the Euclidean norm of the gradient of _probe_loss(output)", read="exercise 2.8")


@exercise("2.8", beside=["test_linear_by_hand", "test_detached_branch", "test_no_trace"])
def test_second_call(student):
    """A second call gives the same norms, and `.grad` is left unchanged."""
    module = student.make("torch.nn.Linear(2, 3)")
    module.load_state_dict(LINEAR)
    x = torch.tensor([[3.0, 4.0]])
    first, second = student.gradient_norms(module, x), student.gradient_norms(module, x)
    expect.equal(
        second, first, what="the second call",
        otherwise="backward() adds to .grad: use torch.autograd.grad, or clear .grad",
        read="exercise 2.8")
    expect.equal(
        module.get("weight.grad"), None, what=".grad after the call",
        otherwise="do not write into the module: torch.autograd.grad only returns gradients",
        read="exercise 2.8")


@exercise("2.8")
def test_detached_branch(student):
    """Parameters that the output does not depend on have gradient norm 0."""
    module = student.make(
        "type('Half', (torch.nn.Bilinear,), {'forward': lambda self, x: x * self.bias})(2, 2, 2)")
    got = student.gradient_norms(module, torch.ones(1, 2))
    expect.close(
        got["weight"], 0.0, what="the norm of the unused weight",
        otherwise="autograd returns None there if allow_unused=True: count it as 0.0",
        read="exercise 2.8")


@exercise("2.8")
def test_no_trace(student):
    """Modes and the global generator are left unchanged; frozen parameters are left out."""
    module = student.make("torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))")
    module.method("1.bias.requires_grad_", False)
    for mode in ("train", "eval"):
        module.method(mode)
        before = student.make("(torch.manual_seed(1), torch.rand(2))[0].get_state()")
        got = student.gradient_norms(module, torch.ones(1, 2))
        same = student.make("bool(before.equal(torch.random.get_rng_state()))", before=before)
        expect.true(
            same.get(), expected="the global generator unchanged", got="a different state",
            because="the call draws from or seeds the global generator",
            read="exercise 2.8")
        expect.equal(
            module.get("training"), mode == "train", what=f"`training` after .{mode}()",
            because="the call changes the module's mode", read="exercise 2.8")
        expect.equal(
            sorted(got) if isinstance(got, dict) else got, ["0.bias", "0.weight", "1.weight"],
            what="the names, with a frozen 1.bias,", read="exercise 2.8")
