"""The visible checks of exercise 4.14: perplexity."""

import math

import torch

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

# Logits of a model that looks only at the last token. Its dropout
# drops everything: in training mode all tokens are equally likely.
TABLE = torch.tensor([0.1, 0.2, 0.3, 0.15, 0.25]).log() * torch.tensor([[1], [2], [0.5], [0], [3]])
MODEL = ("type('Toy', (torch.nn.Embedding,), {'forward': lambda self, source_ids, read: "
         "(torch.nn.functional.dropout(self.weight[read], 1.0, self.training), None)})(5, 5)")
SOURCE = torch.tensor([[1]])
LONG, SHORT = torch.tensor([[2, 4, 1, 4, 3]]), torch.tensor([[2, 3, 0]])


def model_of(student, table):
    model = student.make(MODEL)
    model.load_state_dict({"weight": table})
    return model


def losses(targets):
    """The cross-entropy of each real token."""
    logs = TABLE.log_softmax(-1)
    pairs = zip(targets[0, :-1].tolist(), targets[0, 1:].tolist(), strict=True)
    return [-float(logs[a, b]) for a, b in pairs if b]


@exercise("4.14")
def test_as_many_as_the_model_doubts(student):
    """Five equally likely tokens give a perplexity of five, padded or not."""
    model = model_of(student, torch.zeros(5, 5))
    for targets in (LONG, SHORT):
        got = student.perplexity(model, [(SOURCE, targets)])
        expect.close(got, 5.0, atol=1e-4, what="the perplexity of five equally likely tokens",
                     read="§6.2, Table 3")


@exercise("4.14", weight=2)
def test_every_token_once(student):
    """A long and a short batch: the mean is over tokens, not over batches."""
    first, second = losses(LONG), losses(SHORT)
    got = student.perplexity(model_of(student, TABLE), [(SOURCE, LONG), (SOURCE, SHORT)])
    mean = sum(first + second) / len(first + second)
    means = [sum(first) / len(first), sum(second) / len(second)]
    smooth = [0.9 * loss + 0.1 * float(-TABLE.log_softmax(-1)[a].mean()) for loss, a in
              zip(first + second, [2, 4, 1, 4, 2], strict=True)]
    expect.close(
        got, math.exp(mean), atol=1e-4,
        otherwise="add up losses and tokens of all batches, then divide", read="exercise 4.14")


@exercise("4.14")
def test_mode_is_left(student):
    """The model is evaluated in evaluation mode, and its mode is restored."""
    for training in (True, False):
        model = model_of(student, TABLE)
        model.train() if training else model.eval()
        got = student.perplexity(model, [(SOURCE, LONG)])
        expect.close(got, math.exp(sum(losses(LONG)) / 4), atol=1e-4, read="exercise 4.14",
                     what=f"the perplexity of a model with training={training},",
                     )
        expect.equal(model.get("training"), training, what="model.training afterwards",
                     read="exercise 4.14",
                     otherwise="restore the mode: training continues after an evaluation")
    expect.raises(lambda: student.perplexity(model_of(student, TABLE), []), read="exercise 4.14",
                  otherwise="raise a ValueError: there is no token to average over")
