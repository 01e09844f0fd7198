"""The visible checks of exercise 3.3: embeddings with positions."""

import torch

from grader.checking.question import question

SENTENCES = torch.tensor([[5, 7, 6], [4, 8, 0]])  # two real tokens in the second
WORDS = torch.arange(36.0).reshape(9, 4) / 10


def build(its, dropout=0.0, words=WORDS, **options):
    module = its.TransformerEmbedding(9, 4, dropout, **options)
    module.load_state_dict({"tokens.weight": words * (torch.arange(9) != 0)[:, None]})
    return module


@question("3.3", advice="self.positions = self.table(n)", read="exercise 3.3")
def test_longer_than_the_table(its):
    """An input longer than `max_length` is no error; its positions are scaled as well."""
    module = build(its, max_length=2, position_scale=0.5)
    longer = {f"{n} tokens": module(torch.ones(1, n, dtype=torch.long)) for n in (3, 5)}
    return longer | {"what is saved": sorted(module.state_dict())}


@question("3.3", weight=2, advice="dropout(tokens(token_ids) · √d_model + positions)", read="§3.4")
def test_dropout_on_the_sum(its):
    """Embeddings × √d_model, plus the table's rows; with dropout 1 nothing is left of the sum."""
    module = build(its, dropout=1.0)
    trained = module(SENTENCES)
    module.eval()
    return {"the output, dropout = 1": trained, "in evaluation mode": module(SENTENCES)}
