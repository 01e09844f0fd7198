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
    return longer | {
        "what is saved": sorted(module.state_dict()),
        "the table has a row for each of 5 positions": len(module.get("positions")) >= 5,
    }


@question("3.3", weight=2, advice="dropout(tokens(token_ids) · √d_model + positions)", read="§3.4")
def test_dropout_on_the_sum(its):
    """Embeddings × √d_model, plus the table's rows; dropout 1 leaves nothing, 0.5 some, doubled."""
    module, half = build(its, dropout=1.0), build(its, dropout=0.5)
    trained, some = module(SENTENCES), its.call(half, SENTENCES, seed=1).value
    module.eval()
    whole, ones = module(SENTENCES), torch.ones(1, 3, 4)
    found = its.vjp(module, SENTENCES[:1], cotangent=ones, parameters=True).parameters
    return {
        "the output, dropout = 1": trained,
        "in evaluation mode": whole,
        "dropout = 0.5 gives 0 or twice the sum": bool(
            ((some == 0) | ((some - 2 * whole).abs() < 1e-3)).all()
        ),
        "the gradient of `tokens.weight`": found["tokens.weight"],
    }
