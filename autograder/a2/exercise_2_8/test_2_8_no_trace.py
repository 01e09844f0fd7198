"""Hidden tests of exercise 2.8: measuring gradients leaves no trace."""

from autograder.a2.exercise_2_8.test_2_8_gradient_norms import NORMS, built
from autograder.a2.tensors import normal
from grader.checking.question import question

BESIDE = ["test_linear_by_hand", "test_detached_branch"]
HOOKED = (
    "[name for name, part in [*module.named_modules(), *module.named_parameters()] for when in "
    "('forward', 'forward_pre', 'backward', 'backward_pre') if getattr(part, f'_{when}_hooks', 0)]"
)
MODES = "[part.training for part in module.modules()]"
SAME = "bool(state.equal(torch.random.get_rng_state()))"


@question("2.8", beside=BESIDE, advice="no hooks, no `backward()`, no change", read=NORMS)
def test_leaves_no_trace(its, rng):
    """No hook stays, no `.grad` is written, and no parameter is changed or frozen."""
    module = built(its, rng)
    module.set("2.bias.grad", normal(rng, 3))
    module.method("0.bias.requires_grad_", False)
    its.gradient_norms(module, normal(rng, 5, 4))
    return {
        "what has hooks": its.make(HOOKED, module=module).method("copy"),
        "the old `.grad`": module.get("2.bias.grad"),
        "`.grad` where there was none": module.get("0.weight.grad"),
        "which parameters are trained": module.parameters(),
    } | module.state_dict()


@question("2.8", beside=BESIDE, advice="leave the mode of every part as it is", read=NORMS)
def test_mode_stays(its, rng):
    """The module and its parts stay in training or evaluation mode."""
    module, found = built(its, rng), {}
    for whole, part in [("train", "train"), ("eval", "eval"), ("train", "eval")]:
        module.method(whole)
        module.method(f"0.{part}")
        its.gradient_norms(module, normal(rng, 5, 4))
        modes = its.make(MODES, module=module).method("copy")
        found[f"what trains after .{whole}() and .{part}() of a part"] = modes
    return found


@question("2.8", beside=BESIDE, advice="neither draw nor seed", read=NORMS)
def test_random_numbers_go_on(its, rng):
    """For a module without dropout, the global generator is left unchanged."""
    module = built(its, rng)
    state = its.make("(torch.manual_seed(7), torch.rand(2))[0].get_state()")
    its.gradient_norms(module, normal(rng, 5, 4))
    return {"the global generator is unchanged": its.make(SAME, state=state).get()}
