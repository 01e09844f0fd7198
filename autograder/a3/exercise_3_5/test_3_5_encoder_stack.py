"""Hidden tests of exercise 3.5: the stack of encoder layers."""

from autograder.a2.by_default import by_default
from autograder.a3.exercise_3_5.test_3_5_encoder_layer import ask
from autograder.a3.tensors import filled, normal
from grader.checking.question import question

READ = "§3.1, Encoder"
NEXT = "the output of one layer is the input of the next"
PARTS = ["EncoderLayer"]


def build(its, rng, norm_first=False):
    return filled(its.Encoder(3, 8, 2, 12, norm_first=norm_first), rng)


@question("3.5", weight=3, builds_on=PARTS, advice=NEXT, read=READ)
def test_post_norm(its, rng):
    """Three layers in sequence; with `norm_first` alone, a last norm follows."""
    return ask(its, rng, build)


@question("3.5", builds_on=PARTS, advice="a new list for each call, or None", read="its docstring")
def test_weights_only_when_asked_for(its, rng):
    """Without `need_weights` the result is (output, None), with it one per layer."""
    module, x = build(its, rng), normal(rng, 1, 3, 8)
    found = {f"None with {o}": module(x, **o)[1] is None for o in ({}, {"need_weights": False})}
    module(x, need_weights=True)
    return found | {"weights in a later call": len(module(x, need_weights=True)[1])}


@question(
    "3.5", weight=2, builds_on=PARTS, advice="pass `dropout` to each part that has one", read="§5.4"
)
def test_dropout(its, rng):
    """`dropout` reaches the attention, both residual connections and every layer of a stack."""
    layer, x = filled(its.EncoderLayer(8, 2, 12, 1.0, True), rng), normal(rng, 2, 3, 8)
    stack, inner = filled(its.Encoder(3, 8, 2, 12, 1.0, True), rng), layer.get("attention")
    layer.train()
    stack.train()
    sizes, wide = {"d_model": 8, "d_ff": 4}, normal(rng, 1, 2, 512)
    found = by_default(its, "EncoderLayer", wide) | by_default(its, "Encoder", wide, **sizes)
    found |= {"a layer": layer(x)[0], "its attention": inner(x, x, x)[0]}
    return found | {"a stack": stack(x)[0]}
