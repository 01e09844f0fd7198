"""Hidden tests of exercise 3.4: the position-wise feed-forward network."""

from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.3, Eq. 2"


@question("3.4", weight=3, advice="w_2(relu(w_1(x)))", read=READ)
def test_values(its, rng):
    """max(0, x W₁ + b₁) W₂ + b₂, at each position alone, also in training mode."""
    module, found = filled(its.FeedForward(4, 7), rng), {}
    module.train()
    for shape in [(3, 5, 4), (6, 4), (2, 2, 3, 4)]:
        found[f"the output for {shape}"] = its.call(module, 3 * normal(rng, *shape), seed=1).value
    return found
