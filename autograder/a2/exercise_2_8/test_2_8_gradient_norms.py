"""Hidden tests of exercise 2.8: gradient norms of a module's parameters."""

from autograder.a2.tensors import normal
from grader.checking.question import question

NORMS = "exercise 2.8, the docstring"
TWO_INPUTS = (
    "type('Pair', (torch.nn.Bilinear,), {'forward': lambda self, a, b: "
    "(torch.nn.Bilinear.forward(self, a, b), a)})(3, 4, 2)"
)
BRANCHES = (
    "type('Branches', (torch.nn.ModuleDict,), {'forward': lambda self, x: "
    "self['kept'](x) + self['cut'](x).detach()})"
    "({name: torch.nn.Linear(3, 2) for name in ('kept', 'cut', 'unused')})"
)


def built(its, rng, source):
    """A module with random parameters."""
    module = its.make(source)
    sizes = {name: value.shape for name, value in module.state_dict().items()}
    module.load_state_dict({name: normal(rng, *size) for name, size in sizes.items()})
    return module


def norms(its, module, *inputs, case=""):
    """The result, norm by norm."""
    found = its.gradient_norms(module, *inputs)
    plain = all(isinstance(value, (int, float)) for value in found.values())
    each = {f"the norm of {name}{case}": found[name] for name in sorted(found)}
    return {f"the names{case}": sorted(found), f"norms are plain numbers{case}": plain} | each


@question("2.8", weight=3, advice="pass on all inputs, and use the first output", read=NORMS)
def test_several_inputs_and_outputs(its, rng):
    """For a module with two inputs that returns a tuple, the loss uses the first output."""
    return norms(its, built(its, rng, TWO_INPUTS), normal(rng, 5, 3), normal(rng, 5, 4))


@question("2.8", weight=2, advice="a detached branch passes values but no gradient", read=NORMS)
def test_detached_branch(its, rng):
    """Parameters without influence on the output have a norm of 0; frozen ones are left out."""
    module, x = built(its, rng, BRANCHES), normal(rng, 5, 3)
    found = norms(its, module, x)
    module.method("kept.bias.requires_grad_", False)
    return found | norms(its, module, x, case=" with a frozen bias")
