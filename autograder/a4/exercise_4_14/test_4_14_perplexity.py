"""Hidden tests of exercise 4.14: perplexity over batches of different sizes."""

from functools import partial

import torch

from grader.checking.question import question, refusal

READ = "§6.2, Table 3; the docstring of 4.14"
ask = partial(question, "4.14", read=READ)
MEAN = "exp(the sum of all real tokens' losses / the number of real tokens)"
VOCAB = 7
# Logits from the token read and the mean of the source; dropout reveals the mode.
MODEL = (
    "type('Model', (torch.nn.ModuleDict,), {'forward': lambda self, source_ids, read: "
    "(modes.append(self.training), (self['dropout'](self['read'](read) + self['source'](source_ids)"
    ".mean(1, keepdim=True)), None))[1]})({'read': torch.nn.Embedding(7, 7), "
    "'source': torch.nn.Embedding(7, 7), 'dropout': torch.nn.Dropout(0.5)})"
)


def model(its, rng, modes=None):
    """A model in evaluation mode, with random weights."""
    made = its.make(MODEL, modes=modes or its.make("[]"))
    read, source = torch.tensor(rng.normal(size=(2, VOCAB, VOCAB))).float()
    made.load_state_dict({"read.weight": 2 * read, "source.weight": source})
    made.eval()
    return made


def pairs(rng, lengths, pad_id=0):
    """A batch of targets START … END of these lengths, padded with `pad_id`."""
    tokens = [token for token in range(VOCAB) if token not in (pad_id, 2, 3)]
    target = torch.full((len(lengths), max(lengths) + 2), pad_id)
    for row, length in enumerate(lengths):
        target[row, : length + 2] = torch.tensor([2, *rng.choice(tokens, length), 3])
    return torch.from_numpy(rng.choice(tokens, (len(lengths), 4))), target


@ask(weight=2, advice=MEAN)
def test_batches(its, rng):
    """Every real token has the same weight in any batch; padding has none."""
    known = model(its, rng)
    several = [pairs(rng, own) for own in ([5, 2], [1, 1, 1, 3], [2])]
    padding = (several[0][0], torch.zeros(2, 3, dtype=torch.long))
    answer = {
        "the perplexity of one batch": its.perplexity(known, [pairs(rng, [3, 1, 4])]),
        "of three batches": its.perplexity(known, several),
        "of these and one of padding alone": its.perplexity(known, [*several, padding]),
        "of an iterator": its.perplexity(known, its.make("iter(pairs)", pairs=several)),
    }
    certain = {"read.weight": 200 * torch.eye(VOCAB).roll(1, 1), "source.weight": torch.zeros(7, 7)}
    known.load_state_dict(certain)  # that 3, the end, follows 2, the start
    return answer | {"of a model that is right": its.perplexity(known, [pairs(rng, [0])])}


@ask(advice="leave out the labels that equal `pad_id`")
def test_pad_id(its, rng):
    """Another id of the padding token."""
    batches = [pairs(rng, own, pad_id=5) for own in ([4, 1, 2], [1, 3])]
    return {"with pad_id=5": its.perplexity(model(its, rng), batches, pad_id=5)}


@ask(advice="`model.eval()` first, `model.train(was_training)` at the end")
def test_mode(its, rng):
    """The model is run in evaluation mode, without dropout, and its mode is restored."""
    answer = {}
    for mode in ("train", "eval"):
        modes = its.make("[]")
        known = model(its, rng, modes)
        getattr(known, mode)()
        answer |= {
            f"the perplexity after model.{mode}()": its.perplexity(known, [pairs(rng, [3, 2])]),
            f"evaluation mode while it runs, after model.{mode}()": not any(modes.get()),
            f"`model.training` is restored after model.{mode}()": known.get("training")
            is (mode == "train"),
        }
    return answer


@ask(weight=0.5, beside=["test_batches", "test_pad_id", "test_mode"], advice="count the tokens")
def test_no_token(its, rng):
    """No pairs, or only padding, raise a ValueError; the mode is restored."""
    known, padding = model(its, rng), torch.zeros(2, 3, dtype=torch.long)
    known.train()
    only = [(pairs(rng, [1, 2])[0], padding)]
    answer = {
        "no pairs": refusal(lambda: its.perplexity(known, [])),
        "only padding": refusal(lambda: its.perplexity(known, only)),
    }
    return answer | {"the model is in training mode, as before": known.get("training")}
