"""Hidden tests of exercise 2.8: gradient norms of a module's parameters, and no trace of them."""

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
HOOKED = (
    "[name for name, part in [*module.named_modules(), *module.named_parameters()] for when in "
    "('forward', 'forward_pre', 'backward', 'backward_pre') if getattr(part, f'_{when}_hooks', 0)]"
)
LAYERS = "torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3))"
INPUT = "x.clone().requires_grad_(so)"
MODES = "[part.training for part in module.modules()]"
SAME = "bool(state.equal(torch.random.get_rng_state()))"


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


@question(
    "2.8", weight=3, needs_one_of=["test_second_call", "test_detached_branch"], read=NORMS,
    advice="no hooks, no `backward()`; neither draw nor seed",
)  # fmt: skip
def test_leaves_no_trace(its, rng):
    """No hook stays; `.grad`, parameters, inputs, modes and the generator are as before."""
    module, found, inputs = built(its, rng, LAYERS), {}, []
    module.set("2.bias.grad", normal(rng, 3))
    module.method("0.bias.requires_grad_", False)
    state = its.make("(torch.manual_seed(7), torch.rand(2))[0].get_state()")
    for whole, part in [("train", "train"), ("eval", "eval"), ("train", "eval")]:
        module.method(whole)
        module.method(f"0.{part}")
        inputs.append(its.make(INPUT, x=normal(rng, 5, 4), so=whole == "eval"))
        its.gradient_norms(module, inputs[-1])
        modes = its.make(MODES, module=module).method("copy")
        found[f"what trains after .{whole}() and .{part}() of a part"] = modes
    return (
        found
        | module.state_dict()
        | {
            "the global generator is unchanged": its.make(SAME, state=state).get(),
            "what has hooks": its.make(HOOKED, module=module).method("copy"),
            "the old `.grad`": module.get("2.bias.grad"),
            "`.grad` where there was none": module.get("0.weight.grad"),
            "`.grad` of the inputs": [x.get("grad") for x in inputs],
            "`requires_grad` of the inputs": [x.get("requires_grad") for x in inputs],
            "which parameters are trained": module.parameters(),
        }
    )
