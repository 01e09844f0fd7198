"""Hidden tests of exercise 4.5: encoder, decoder and one shared embedding matrix."""

import torch

from autograder.a2.by_default import by_default
from autograder.a4.drawn_weights import load, normal
from grader.checking.question import question

READ = "§3.1, Figure 1; §3.4; the docstring of 4.5"
VOCAB = 11
SOURCE = torch.tensor([[5, 3, 8, 7], [4, 9, 1, 0], [6, 0, 0, 0]])
TARGET = torch.tensor([[2, 6, 10, 4], [2, 7, 3, 0], [2, 3, 0, 0]])
WAY = "encode the source, decode the targets with both masks, then compute logits"
GIVEN = "use the memory and the mask that `decode` is given"
TIED = "source, target and output share one matrix, `embedding.tokens`: x @ Wᵀ"


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


@question("4.5", weight=3, advice=f"{WAY}; {GIVEN}", read=READ)
def test_logits(its, rng):
    """Encoder, decoder, logits of every token, with padding in both; post-norm and pre-norm."""
    found, module = asked(build(its, rng)), build(its, rng, norm_first=True)
    found |= {f"{name}, norm_first=True": value for name, value in asked(module).items()}
    memory, mask = module.method("encode", SOURCE)
    other = normal(rng, 3, 6, 8), torch.ones(3, 6, dtype=torch.bool).tril(3)[:, None, None]
    logits, weights = module.method("decode", TARGET, *other)
    found |= {"the source mask": mask, "the memory at real tokens": at_words(memory, SOURCE)}
    return found | {"`decode` of others": at_words(logits), "weights, not asked for": weights}


@question("4.5", weight=3, advice=TIED, read="§3.4")
def test_one_matrix(its, rng):
    """Input and output share one matrix, whose gradient sums both uses; logits of any shape."""
    module = build(its, rng)
    state = module.state_dict()
    shapes = [list(state[name].shape) for name in module.parameters()]
    got = its.vjp(module, SOURCE, TARGET, cotangent=normal(rng, 3, 4, VOCAB), parameters=True)
    of_words = [g for g in got.parameters.values() if g is not None and len(g) == VOCAB]
    return {
        "the number of parameters with a row for every word": sum(s[0] == VOCAB for s in shapes),
        "the number of other parameters": sum(s[0] != VOCAB for s in shapes),
        "the matrix's gradient, without the padding's row": [one[1:] for one in of_words],
    } | {
        f"logits(x) for x of shape {(*shape, 8)}": module.method("logits", normal(rng, *shape, 8))
        for shape in ((2, 3), (4,), ())
    }


@question("4.5", advice=WAY, read="§3.2.3")
def test_more_padding_changes_nothing(its, rng):
    """`pad_id` may be 3, and 0 is then a word; extra padding does not change a pair's logits."""
    found, module = {}, build(its, rng, pad_id=3)
    exchanged = torch.arange(VOCAB)
    exchanged[[0, 3]] = exchanged[[3, 0]]
    for more in (0, 3):
        wider = [
            torch.nn.functional.pad(exchanged[ids], (0, more), value=3) for ids in (SOURCE, TARGET)
        ]
        found |= {f"{name}, {more} more": one for name, one in asked(module, *wider, 3).items()}
    return found


@question("4.5", advice="pass all options on", read="the signature of 4.5; §5.4")
def test_dropout(its, rng):
    """The dropout rate reaches embedding, encoder and decoder, `position_scale` the embedding."""
    module = build(its, rng, True, dropout=1.0, position_scale=0.25)
    found = asked(module)
    module.train()
    sizes = {"d_model": 8, "d_ff": 4}
    found |= by_default(its, "Transformer", SOURCE[:1], TARGET[:1], rest=[VOCAB], **sizes)
    found["the memory in training mode, dropout = 1"] = module.method("encode", SOURCE)[0]
    return found | {"the logits in training mode, dropout = 1": module(SOURCE, TARGET)[0]}
