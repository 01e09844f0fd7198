"""Hidden tests of exercise 2.8: measuring gradients leaves no trace."""

from autograder.a2.exercise_2_8.test_2_8_gradient_norms import NORMS, built
from autograder.a2.tensors import normal
from grader.checking.question import question

HOOKED = (
    "[name for name, part in [*module.named_modules(), *module.named_parameters()] for when in "
    "('forward', 'forward_pre', 'backward', 'backward_pre') if getattr(part, f'_{when}_hooks', 0)]"
)
LAYERS = "torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 3))"
MODES = "[part.training for part in module.modules()]"
SAME = "bool(state.equal(torch.random.get_rng_state()))"


@question(
    "2.8", weight=3, needs_one_of=["test_second_call", "test_detached_branch"], read=NORMS,
    advice="no hooks, no `backward()`; neither draw nor seed",
)  # fmt: skip
def test_leaves_no_trace(its, rng):
    """No hook stays; `.grad`, parameters, modes and the global generator are as before."""
    module, found = built(its, rng, LAYERS), {}
    module.set("2.bias.grad", normal(rng, 3))
    module.method("0.bias.requires_grad_", False)
    state = its.make("(torch.manual_seed(7), torch.rand(2))[0].get_state()")
    for whole, part in [("train", "train"), ("eval", "eval"), ("train", "eval")]:
        module.method(whole)
        module.method(f"0.{part}")
        its.gradient_norms(module, normal(rng, 5, 4))
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
            "which parameters are trained": module.parameters(),
        }
    )
