"""Hidden tests of exercise 4.5: encoder, decoder and one shared embedding matrix."""

import torch

from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

READ, DOCSTRING = "§3.1, Figure 1; §3.4", "the docstring of 4.5"
VOCAB = 11
SOURCE = torch.tensor([[5, 3, 8, 7], [4, 9, 1, 0], [6, 0, 0, 0]])
TARGET = torch.tensor([[2, 6, 10, 4], [2, 7, 5, 0], [2, 9, 0, 0]])
WAY = "encode the source, decode the targets with both masks, then compute logits"
TIED = "source, target and output share one matrix, `embedding.tokens`"
TRANSPOSED = "x @ Wᵀ, with W the matrix of the embedding, (vocab_size, d_model): transpose it"


def build(its, rng, norm_first=False, vocab_size=VOCAB, **options):
    model = its.Transformer(vocab_size, 2, 8, 2, 12, norm_first=norm_first, **options)
    return load(model, rng, options.get("pad_id", 0))


def at_words(logits, target=TARGET, pad_id=0):
    """The logits at real targets, those at the padding do not matter; others as they are."""
    return logits[target != pad_id] if logits.shape[:2] == target.shape else logits


def asked(module, source=SOURCE, target=TARGET, pad_id=0):
    """Logits and weights on the source, at real targets."""
    logits, weights = module(source, target, need_weights=True)
    maps = [at_words(one.transpose(1, 2), target, pad_id) for one in weights]
    return {"the logits": at_words(logits, target, pad_id), "the weights": maps}


@question("4.5", weight=2, advice=WAY, read=READ)
def test_logits(its, rng):
    """Encoder, decoder, logits of every token, with padding in both; post-norm and pre-norm."""
    module = build(its, rng)
    found = asked(module) | {"arguments that it changed": its.call(module, SOURCE, TARGET).changed}
    before = asked(build(its, rng, norm_first=True)).items()
    return found | {f"{name}, norm_first=True": value for name, value in before}


@question("4.5", weight=3, advice=TIED, read="§3.4")
def test_one_matrix(its, rng):
    """Input and output words share one matrix, whose gradient sums both uses."""
    module = build(its, rng)
    shapes = [list(module.state_dict()[name].shape) for name in module.parameters()]
    got = its.vjp(module, SOURCE, TARGET, cotangent=normal(rng, 3, 4, VOCAB), parameters=True)
    of_words = [g for g in got.parameters.values() if g is not None and len(g) == VOCAB]
    return {
        "the number of parameters with a row for every word": sum(s[0] == VOCAB for s in shapes),
        "the number of other parameters": sum(s[0] != VOCAB for s in shapes),
        "the matrix's gradient, without the padding's row": [one[1:] for one in of_words],
    }


@question("4.5", advice=TRANSPOSED, read="§3.4")
def test_generate(its, rng):
    """`logits` multiplies x by the transposed embedding matrix, for any leading shape."""
    return {
        f"logits(x) for x of shape {(*shape, 8)} and {vocab_size} words": module.method("logits", x)
        for vocab_size in (8, VOCAB)
        for module in [build(its, rng, vocab_size=vocab_size)]
        for shape in ((2, 3), (4,), ())
        for x in [normal(rng, *shape, 8)]
    }


@question("4.5", advice="use the memory and the mask that `decode` is given", read=DOCSTRING)
def test_encode_and_decode(its, rng):
    """`encode` returns the memory and the source mask, which `decode` takes."""
    module = build(its, rng, norm_first=True)
    memory, mask = module.method("encode", SOURCE)
    other = normal(rng, 3, 6, 8), torch.ones(3, 6, dtype=torch.bool).tril(3)[:, None, None]
    logits, weights = module.method("decode", TARGET, *other)
    found = {"the source mask": mask, "the memory at real tokens": at_words(memory, SOURCE)}
    return found | {"the logits": at_words(logits), "weights, not asked for": weights}


@question("4.5", advice=WAY, read="§3.2.3")
def test_more_padding_changes_nothing(its, rng):
    """Extra padding does not change a pair's logits, whatever pad_id is."""
    found = {}
    for pad_id in (0, 3):
        given = [
            ids.where(ids != 0, pad_id).where(ids != 3 - pad_id, 9) for ids in (SOURCE, TARGET)
        ]
        given[0][0, 1] = given[1][0, 1] = 3 - pad_id  # an ordinary word
        module = build(its, rng, pad_id=pad_id)
        for more in (0, 3):
            wider = [torch.nn.functional.pad(ids, (0, more), value=pad_id) for ids in given]
            named = asked(module, *wider, pad_id).items()
            found |= {f"{name}, pad_id={pad_id}, {more} more": value for name, value in named}
    return found


@question("4.5", advice="pass all options on", read="the signature of 4.5; §5.4")
def test_dropout(its, rng):
    """The dropout rate reaches embedding, encoder and decoder, `position_scale` the embedding."""
    module = build(its, rng, True, dropout=1.0, position_scale=0.25)
    found = asked(module)
    module.train()
    found["the memory in training mode, dropout = 1"] = module.method("encode", SOURCE)[0]
    return found | {"the logits in training mode, dropout = 1": module(SOURCE, TARGET)[0]}
