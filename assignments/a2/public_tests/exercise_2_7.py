"""The visible checks of exercise 2.7: counting parameters."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("2.7")
def test_base_size(student):
    """The base size has 1,048,576 weights and 2,048 biases."""
    weights, biases = expect.parts(
        student.parameter_counts(512, 8), 2, otherwise="return weights and biases")
    otherwise = {
        8 * 1_048_576: "× n_heads: W_i^Q has d_model × d_k entries, not d_model × d_model",
        786_432: "this counts W^Q, W^K and W^V: W^O is missing"}
    expect.equal(weights, 1_048_576, what="weights", read="§3.2.2", otherwise=otherwise.get(
        weights, "h times three matrices of d_model × d_k, and W^O of h·d_v × d_model"))
    expect.equal(biases, 2_048, what="biases", read="exercise 2.7",
                 otherwise="one for each output of each of the four layers")


@exercise("2.7")
def test_no_bias(student):
    """With `bias=False` there are 0 biases."""
    _, biases = expect.parts(student.parameter_counts(64, 4, bias=False), 2)
    expect.equal(biases, 0, what="biases", otherwise="`bias=False` removes all of them")
