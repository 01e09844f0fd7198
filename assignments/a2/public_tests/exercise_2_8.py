"""The visible checks of exercise 2.8: gradient norms."""

import torch

from grader.checking.question import question

LINEAR = {"weight": torch.tensor([[1.0, 0], [0, 1], [0, 0]]), "bias": torch.tensor([5.0, 7, 0])}
X = torch.tensor([[3.0, 4.0]])
INPUT = "torch.ones(1, 2).requires_grad_(so)"
HALF = "type('Half', (torch.nn.Bilinear,), {'forward': lambda self, x, y: (x * y * self.bias, y)})"


@question("2.8", weight=2, advice="√ of the sum of squares; torch.autograd.grad writes no .grad")
def test_second_call(its):
    """Floats of 5√2 and √2, also in a second call, and `.grad` is left unchanged."""
    module = its.make("torch.nn.Linear(2, 3)")
    module.load_state_dict(LINEAR)
    # The probe's ramp is (−1, 0, 1): the weight's gradient is its outer product with (3, 4).
    first, found = its.gradient_norms(module, X), its.gradient_norms(module, X)
    found |= {f"{name} in the first call": value for name, value in first.items()}
    found["a float"] = isinstance(first["weight"], float)
    return found | {"`.grad` of the weight": module.get("weight.grad")}


@question("2.8", advice="the first output; with allow_unused=True autograd returns None: 0.0")
def test_detached_branch(its):
    """Parameters that the output does not depend on have gradient norm 0."""
    module, x = its.make(HALF + "(2, 2, 2)"), torch.cat([X, X + 1])
    module.load_state_dict({"weight": torch.ones(2, 2, 2), "bias": torch.tensor([1.0, 2.0])})
    return its.gradient_norms(module, x, x - 2)


@question("2.8", advice="change no modes, generators or inputs; leave frozen parameters out")
def test_no_trace(its):
    """Modes, inputs and the global generator stay as they are; frozen parameters are left out."""
    module = its.make("torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))")
    module.method("1.bias.requires_grad_", False)
    module.method("0.eval")
    state = its.make("(torch.manual_seed(1), torch.rand(2))[0].get_state()")
    inputs = [its.make(INPUT, so=so) for so in (False, True)]
    names = [sorted(its.gradient_norms(module, x)) for x in inputs][0]
    same = its.make("bool(state.equal(torch.random.get_rng_state()))", state=state).get()
    modes = [module.get(f"{part}training") for part in ("", "0.", "1.")]
    found = {"the names": names, "the generator is unchanged": same, "modes of the parts": modes}
    for part in ("requires_grad", "grad"):
        found[f"`{part}` of two inputs"] = [x.get(part) for x in inputs]
    return found
