"""Hidden tests of exercise 2.8: measuring gradients leaves no trace."""

import torch

from autograder.a2.exercise_2_8.test_2_8_gradient_norms import LAYERS, NORMS, built, gradients
from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
MODES = "[part.training for part in module.modules()]"


@exercise("2.8", beside=["test_linear_by_hand", "test_detached_branch"])
def test_leaves_no_trace(student, rng):
    """No hook stays, no `.grad` is written, and no parameter is changed or frozen."""
    theirs, ours = built(student, rng, LAYERS)
    before, old, x = theirs.state_dict(), normal(rng, 3), normal(rng, 5, 4)
    theirs.set("2.bias.grad", old)
    theirs.method("0.bias.requires_grad_", False)
    trained = theirs.parameters()
    student.gradient_norms(theirs, x)
    for path in ("0", "2", "0.weight", "2.weight"):
        for kind in HOOKS if "." not in path else HOOKS[2:3]:
            left = theirs.get(f"{path}.{kind}")
            expect.true(
                not left,
                expected=f"no hooks on `{path}` afterwards",
                got=f"{len(left or ())} in `{kind}`",
                read=NORMS,
            )
    kept, own = theirs.get("2.bias.grad"), gradients(ours, x)["2.bias"]
    expect.close(
        torch.zeros(3) if kept is None else kept,
        old,
        otherwise="leave an existing gradient in `.grad` unchanged",
        read=NORMS,
        what="the old `.grad`",
    )
    expect.true(
        theirs.get("0.weight.grad") is None,
        expected="no `.grad` where there was none",
        got="one written by the call",
        because="`backward()` writes `.grad`: `torch.autograd.grad` only returns gradients",
        read=NORMS,
    )
    expect.equal(
        theirs.parameters(),
        trained,
        because="the call changes the `requires_grad` of a parameter",
        read=NORMS,
        what="the parameters and their `requires_grad`",
    )
    after = theirs.state_dict()
    for name, value in before.items():
        expect.close(
            after[name],
            value,
            otherwise="do not update the parameters",
            read=NORMS,
            what=f"`{name}`",
        )


@exercise("2.8", beside=["test_linear_by_hand", "test_detached_branch"])
def test_mode_stays(student, rng):
    """The module and its parts stay in training or evaluation mode."""
    theirs, _ = built(student, rng, LAYERS)
    for module, part in [("train", "train"), ("eval", "eval"), ("train", "eval")]:
        theirs.method(module)
        theirs.method(f"0.{part}")
        before = student.make(MODES, module=theirs).method("copy")
        student.gradient_norms(theirs, normal(rng, 5, 4))
        after = student.make(MODES, module=theirs).method("copy")
        expect.equal(
            after,
            before,
            because="the call changes the mode of a part of the module",
            read=NORMS,
            what="`training` of the module and of its parts, after the call,",
        )


@exercise("2.8", beside=["test_linear_by_hand", "test_detached_branch"])
def test_random_numbers_go_on(student, rng):
    """For a module without dropout, the global generator is left unchanged."""
    theirs, _ = built(student, rng, LAYERS)
    states = "(torch.manual_seed(7), torch.rand(n))[0].get_state()"
    pairs = []  # the global generator's states before and after each of two calls
    for drawn in (2, 3):
        before = student.make(states, n=drawn)
        student.gradient_norms(theirs, normal(rng, 5, 4))
        pairs.append((before, student.make("torch.random.get_rng_state()")))

    def same(a, b):
        return student.make("bool(a.equal(b))", a=a, b=b).get()

    expect.true(
        all(same(*pair) for pair in pairs),
        expected="the global generator unchanged",
        got="a different state",
        read=NORMS,
    )
