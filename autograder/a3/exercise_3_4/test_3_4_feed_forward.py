"""Hidden tests of exercise 3.4: the position-wise feed-forward network."""

from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.3, Eq. 2"


@question("3.4", weight=3, advice="w_2(relu(w_1(x)))", read=READ)
def test_values(its, rng):
    """max(0, x W₁ + b₁) W₂ + b₂, at each position alone, with any leading axes."""
    module, found = filled(its.FeedForward(4, 7), rng), {}
    for shape in [(3, 5, 4), (6, 4), (2, 2, 3, 4)]:
        found[f"the output for {shape}"] = module(3 * normal(rng, *shape))
    return found


@question("3.4", weight=1.5, advice="training and evaluation mode must agree here", read="§5.4")
def test_no_dropout_inside(its, rng):
    """Training and evaluation mode agree: dropout belongs to the residual connection."""
    module = filled(its.FeedForward(4, 64), rng)
    module.train()
    return {"the output in training mode": its.call(module, normal(rng, 8, 4), seed=3).value}
