"""Hidden tests of exercise 2.8: what the measurement of gradients leaves behind: nothing."""

import torch

from autograder.suites.a2.test_2_8_gradient_norms import (
    LAYERS,
    NORMS,
    built,
    gradients,
    normal,
)
from course_lib.checking import expect
from course_lib.checking.exercise import exercise

HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
MODES = "[part.training for part in module.modules()]"


@exercise("2.8")
def test_leaves_no_trace(student, rng):
    """No hook stays on the module, no `.grad` is written, no parameter moves or is frozen."""
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
                because="a hook leaks: `handle.remove()`, or do without hooks",
                read=NORMS,
            )
    kept, own = theirs.get("2.bias.grad"), gradients(ours, x)["2.bias"]
    expect.close(
        torch.zeros(3) if kept is None else kept,
        old,
        causes={
            "a gradient that someone else left in `.grad` is zeroed: it is theirs": own * 0,
            "what someone else left in `.grad` is overwritten by this gradient": own,
            "`backward()` adds to what someone else left in `.grad`": old + own,
        },
        otherwise="a gradient that someone else left in `.grad` is theirs: leave it",
        read=NORMS,
        what="the old `.grad`",
    )
    expect.true(
        theirs.get("0.weight.grad") is None,
        expected="no `.grad` where there was none",
        got="one written by the call",
        because="`backward()` writes `.grad`: `torch.autograd.grad` returns gradients and "
        "writes none",
        read=NORMS,
    )
    expect.equal(
        theirs.parameters(),
        trained,
        because="`requires_grad` of a parameter is changed by the call",
        read=NORMS,
        what="the parameters, and whether they are trained,",
    )
    after = theirs.state_dict()
    for name, value in before.items():
        expect.close(
            after[name],
            value,
            otherwise="measuring gradients takes no step",
            read=NORMS,
            what=f"`{name}`",
        )


@exercise("2.8")
def test_mode_stays(student, rng):
    """A module, and each part of it, stays in training or in evaluation mode."""
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
            causes={
                "the module is left in evaluation mode": [False] * len(before),
                "the module is left in training mode": [True] * len(before),
            },
            because="the call changes the mode of a part of the module",
            read=NORMS,
            what="`training` of the module and of its parts, after the call,",
        )


@exercise("2.8")
def test_random_numbers_go_on(student, rng):
    """Without dropout in the module, nobody's random numbers are touched."""
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
        expected="a global generator in the state that it was in",
        got="another state",
        because="the call seeds the global generator: random numbers after it come again"
        if same(pairs[0][1], pairs[1][1])
        else "the call draws from the global generator",
        read=NORMS,
    )
