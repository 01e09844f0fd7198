"""The visible checks of exercise 3.3: embeddings with positions."""

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


def draw(seed, *shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


SENTENCES = torch.tensor([[5, 7, 6, 3], [4, 8, 0, 0]])  # two real tokens in the second


def sum_explained(n, longest):
    """Name what makes a sum of n embeddings and a table of `longest` positions fail."""
    words, table = torch.zeros(2, n, 4), torch.zeros(longest, 4)
    name = ("the table is longer than the sentence: take its first n rows" if n < longest else
            "the table ends at max_length: build a longer one when needed")
    return expect.raising({name: lambda: words + table, f"{name}.": lambda: table + words},
                          expected="a sum of embeddings and positions", read="exercise 3.3")


@exercise("3.3")
def test_sum(student):
    """Embeddings × √d_model, plus the table's rows."""
    module = student.TransformerEmbedding(9, 4, dropout=0.0)
    words = draw(0, 9, 4)
    module.load_state_dict({"tokens.weight": words})
    x, places = words[SENTENCES], module.get("positions")[:4]
    with sum_explained(4, 512):
        got = module(SENTENCES)
    expect.shape(
        got, (2, 4, 4), what="the output",
        otherwise="positions are added to the embeddings, not concatenated", read="§3.5")
    expect.close(
        got, 2 * x + places, atol=1e-5,
        otherwise="tokens(token_ids) · √d_model + the first n rows of positions", read="§3.4")


@exercise("3.3")
def test_longer_than_the_table(student):
    """An input longer than `max_length` is no error; its positions are scaled as well."""
    module = student.TransformerEmbedding(9, 4, dropout=0.0, max_length=3, position_scale=0.5)
    module.load_state_dict({"tokens.weight": torch.zeros(9, 4)})
    with sum_explained(5, 3):
        got = module(torch.ones(2, 5, dtype=torch.long))
    expect.shape(got, (2, 5, 4), what="five tokens, table of three,", read="exercise 3.3")
    whole = student.TransformerEmbedding(9, 4, dropout=0.0, max_length=5).get("positions")
    expect.close(
        got[0], whole / 2, what="the positions added to five words, with position_scale=0.5",
        otherwise="self.positions = self.table(n)", read="exercise 3.3")
    expect.equal(
        sorted(module.state_dict()), ["tokens.weight"], what="what is saved",
        read="exercise 3.3")


@exercise("3.3")
def test_dropout_on_the_sum(student):
    """Dropout is applied to the sum: with dropout 1 nothing is left."""
    module = student.TransformerEmbedding(9, 4, dropout=1.0)
    expect.close(
        module(SENTENCES), torch.zeros(2, 4, 4),
        otherwise="self.dropout(…) around the sum", read="§5.4")
    module.eval()
    whole = module.state_dict()["tokens.weight"][SENTENCES] * 2 + module.get("positions")[:4]
    expect.close(
        module(SENTENCES), whole, atol=1e-5, what="the same in evaluation mode",
        otherwise="the module's own `dropout` switches itself off", read="§5.4")
