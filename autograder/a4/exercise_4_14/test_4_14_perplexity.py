"""Hidden tests of exercise 4.14: perplexity over batches of different sizes."""

from functools import partial

import torch

from autograder.a4.drawn_weights import normal
from grader.checking.question import question, refusal

ask = partial(question, "4.14", read="§6.2, Table 3; the docstring of 4.14")
MEAN = "exp(the sum of all real tokens' losses / the number of real tokens)"
VOCAB = 7
# Logits from the token read and the mean of the source; dropout reveals the mode.
MODEL = (
    "type('Model', (torch.nn.Embedding,), {'forward': lambda self, source_ids, read: "
    "(modes.append(self.training), (torch.nn.functional.dropout(self.weight[read] + "
    "self.weight[source_ids].mean(1, keepdim=True), 0.5, self.training), None))[1], **own})(7, 7)"
)


def model(its, weight, modes=None, **own):
    """A model in evaluation mode, with these weights; `modes` logs those it is called in."""
    made = its.make(MODEL, modes=modes or its.make("[]"), own=own)
    made.load_state_dict({"weight": weight})
    made.eval()
    return made


def pairs(rng, lengths, pad_id=0):
    """A batch of targets START … END of these lengths, padded with `pad_id`."""
    tokens = [token for token in range(VOCAB) if token not in (pad_id, 2, 3)]
    target = torch.full((len(lengths), max(lengths) + 2), pad_id)
    for row, length in enumerate(lengths):
        target[row, : length + 2] = torch.tensor([2, *rng.choice(tokens, length), 3])
    return torch.from_numpy(rng.choice(tokens, (len(lengths), 4))), target


@ask(weight=1.5, advice=MEAN)
def test_batches(its, rng):
    """Every real token has the same weight in any batch; padding, whatever its id, has none."""
    known = model(its, weight := 2 * normal(rng, VOCAB, VOCAB))
    padded = model(its, weight, pad_id=5)
    several = [pairs(rng, own) for own in ([5, 2], [1, 1, 1, 3], [2])]
    padding = (several[0][0], torch.zeros(2, 3, dtype=torch.long))
    # The row of 2, the start, is certain of 3, the end; nothing else is.
    certain = model(its, 200 * torch.eye(VOCAB).roll(1, 1) * torch.eye(VOCAB)[2][:, None])
    return {
        "the perplexity of three batches": its.perplexity(known, several),
        "of these and one of padding alone": its.perplexity(known, [*several, padding]),
        "of an iterator": its.perplexity(known, its.make("iter(pairs)", pairs=several)),
        "of a model that is right": its.perplexity(certain, [pairs(rng, [0])]),
        "with pad_id=5": its.perplexity(known, [pairs(rng, [4, 1, 2], 5)], pad_id=5),
        "of a model whose pad_id is 5": its.perplexity(padded, [pairs(rng, [3, 1], 5)]),
        "of it with pad_id=0": its.perplexity(padded, [pairs(rng, [3, 1])], pad_id=0),
    }


@ask(advice="`model.eval()`, `model.train(was_training)` at the end; count the tokens")
def test_mode(its, rng):
    """It runs in evaluation mode and restores the mode, also if no token raises a ValueError."""
    answer, only = {}, [(pairs(rng, [1, 2])[0], torch.zeros(2, 3, dtype=torch.long))]
    for mode, training in (("train", True), ("eval", False)):
        modes = its.make("[]")
        known = model(its, normal(rng, VOCAB, VOCAB), modes)
        known.method(mode)
        answer |= {
            f"the perplexity after model.{mode}()": its.perplexity(known, [pairs(rng, [3, 2])]),
            f"evaluation mode while it runs, after model.{mode}()": not any(modes.get()),
            f"`training` is as before, after model.{mode}()": known.get("training") is training,
            "no pairs": refusal(lambda known=known: its.perplexity(known, [])),
            "only padding": refusal(lambda known=known: its.perplexity(known, only)),
            f"`training` after errors, model.{mode}()": known.get("training") is training,
        }
    return answer
