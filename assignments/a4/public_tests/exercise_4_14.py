"""The visible checks of exercise 4.14: perplexity."""

from functools import partial

import torch

from grader.checking.question import question, refusal

ask = partial(question, "4.14", read="exercise 4.14")

# Logits of a model that looks only at the last token. Its dropout
# drops everything: in training mode all tokens are equally likely.
TABLE = torch.tensor([0.1, 0.2, 0.3, 0.15, 0.25]).log() * torch.tensor([[1], [2], [0.5], [0], [3]])
MODEL = (
    "type('Toy', (torch.nn.Embedding,), {'forward': lambda self, source_ids, read: "
    "(torch.nn.functional.dropout(self.weight[read], 1.0, self.training), None)})(5, 5)"
)
SOURCE = torch.tensor([[1]])
LONG, SHORT = torch.tensor([[2, 4, 1, 4, 3]]), torch.tensor([[2, 3, 0]])


def model_of(its, table):
    model = its.make(MODEL)
    model.load_state_dict({"weight": table})
    return model


@ask(weight=3, advice="add up losses and tokens of all batches, then divide", read="§6.2, Table 3")
def test_every_token_once(its):
    """Five equally likely tokens give five; the mean is over the tokens, not over the batches."""
    doubt, known = model_of(its, torch.zeros(5, 5)), model_of(its, TABLE)
    return {
        "five equally likely tokens": its.perplexity(doubt, [(SOURCE, LONG)]),
        "with padding": its.perplexity(doubt, [(SOURCE, SHORT)]),
        "both batches": its.perplexity(known, [(SOURCE, LONG), (SOURCE, SHORT)]),
        "with pad_id=1": its.perplexity(known, [(SOURCE, LONG)], pad_id=1),
    }


@ask(advice="training continues after an evaluation")
def test_mode_is_left(its):
    """The model is evaluated in evaluation mode, and its mode is restored."""
    answer = {}
    for training in (True, False):
        model = model_of(its, TABLE)
        model.train() if training else model.eval()
        found = its.perplexity(model, [(SOURCE, LONG)])
        answer[f"the perplexity of a model with training={training}"] = found
        answer[f"training={training} afterwards, too"] = model.get("training") is training
    return answer | {"without pairs": refusal(lambda: its.perplexity(model_of(its, TABLE), []))}
