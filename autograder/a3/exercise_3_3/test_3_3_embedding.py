"""Hidden tests of exercise 3.3: from token ids to vectors."""

import math

import torch

from autograder.a3.answers import normal
from autograder.a3.encoder_reference import embedded, sinusoids
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§3.4, last sentence; §3.5"
DROPPED = "§5.4, residual dropout"
NOT_CUT = MISTAKE.embedding_table_not_cut
TOO_SHORT = MISTAKE.embedding_table_does_not_grow
SAVED = MISTAKE.embedding_table_saved


def build(student, rng, vocab_size=9, d_model=6, dropout=0.1, **options):
    """The student's module in evaluation mode, and its embedding weights."""
    module = student.TransformerEmbedding(vocab_size, d_model, dropout, **options)
    tokens = normal(rng, vocab_size, d_model)
    tokens[options.get("pad_id", 0)] = 0.0
    module.load_state_dict({"tokens.weight": tokens})
    module.eval()
    return module, tokens


def mistakes(token_ids, tokens):
    """What likely mistakes would have given."""
    n, d_model = token_ids.shape[1], tokens.shape[1]
    x, positions, root = tokens[token_ids], sinusoids(n, d_model), math.sqrt(d_model)
    return {
        MISTAKE.embedding_not_scaled: x + positions,
        MISTAKE.embedding_positions_absent: (x * root).clone(),
        MISTAKE.embedding_positions_scaled: root * (x + positions),
        "the embeddings are multiplied by d_model, not by √d_model": x * d_model + positions,
        "the embeddings are divided by √d_model": x / root + positions,
        MISTAKE.embedding_positions_concatenated: torch.cat(
            [x * root, positions.expand_as(x)], dim=-1
        ),
        "every token gets the same position": x * root + positions[0],
        "the positions begin at 1: the first is 0": x * root + sinusoids(n + 1, d_model)[1:],
        "the output at padding is zeroed: padding tokens get their position, too": (
            x * root + positions
        )
        * (token_ids != 0)[..., None],
    }


def explained(token_ids, tokens, longest=512):
    """Explain an error in adding a table of `longest` rows, however the sum is written."""
    (batch, n), d_model = token_ids.shape, tokens.shape[1]
    words, table = torch.zeros(batch, n, d_model), torch.zeros(longest, d_model)
    name = TOO_SHORT if n > longest else NOT_CUT
    attempts = (
        lambda: words + table,
        lambda: table + words,
        lambda: words.add_(table),
        lambda: torch.nn.functional.embedding(torch.arange(n), table),
        lambda: table[torch.arange(n)],
    )
    ways = ("", " (positions first)", " (in place)", " (looked up)", " (indexed)")
    causes = {name + way: attempt for way, attempt in zip(ways, attempts, strict=True)}
    return expect.raising(causes, expected="a sum of embeddings and positions", read=READ)


def compare(module, token_ids, tokens, what, longest=512):
    with explained(token_ids, tokens, longest):
        got = module(token_ids)
    wrong = mistakes(token_ids, tokens)
    expect.close(
        got,
        embedded(token_ids, tokens),
        atol=1e-4,
        otherwise="embeddings × √d_model + the first n rows of the table, then dropout",
        read=READ,
        what=what,
    )


@exercise("3.3", weight=2)
def test_values(student, rng):
    """Embeddings × √d_model plus positions, for every sentence of a batch."""
    module, tokens = build(student, rng)
    for n in (4, 1):
        ids = torch.from_numpy(rng.integers(1, 9, size=(3, n)))
        compare(module, ids, tokens, f"the output for sentences of {n} tokens")
        expect.unchanged(student.call(module, ids).changed)


@exercise("3.3")
def test_padding(student, rng):
    """The padding row is zero: a padding token carries only its position."""
    for pad_id in (0, 3):
        module, tokens = build(student, rng, pad_id=pad_id)
        ids = torch.tensor([[5, pad_id, 7, pad_id], [1, 2, 4, 6]])
        compare(module, ids, tokens, f"the output with pad_id = {pad_id}")


@exercise("3.3")
def test_longer_than_the_table(student, rng):
    """An input longer than `max_length` works, and short ones still work afterwards."""
    module, tokens = build(student, rng, max_length=4)
    longest = 4
    for n in (4, 9, 3):
        ids = torch.from_numpy(rng.integers(1, 9, size=(2, n)))
        compare(module, ids, tokens, f"{n} tokens, with max_length = 4", longest)
        longest = max(longest, n)
    names = sorted(module.state_dict())
    expect.equal(
        names,
        ["tokens.weight"],
        otherwise="only the embedding belongs in the state dict",
        read="the docstring of 3.3",
        what="the names in the state dict, after a long input",
    )


@exercise("3.3")
def test_position_scale(student, rng):
    """`position_scale` multiplies the positions, even when the input outgrows the table."""
    module, tokens = build(student, rng, max_length=5, position_scale=0.25)
    for n in (4, 8):
        ids = torch.from_numpy(rng.integers(1, 9, size=(2, n)))
        with explained(ids, tokens, 5):
            got = module(ids)
        expect.close(
            got,
            embedded(ids, tokens, 0.25),
            atol=1e-4,
            otherwise="`self.table(n)` returns the sinusoids × position_scale",
            read="the docstring of 3.3",
            what=f"{n} tokens, with position_scale = 0.25",
        )


@exercise("3.3", weight=2)
def test_dropout(student, rng):
    """Dropout is applied to the sums, in training only."""
    module, tokens = build(student, rng, d_model=16, dropout=0.5)
    ids = torch.from_numpy(rng.integers(1, 9, size=(4, 5)))
    wanted = tokens[ids] * 4 + sinusoids(5, 16)
    with explained(ids, tokens):
        still = student.call(module, ids, seed=1).value
    expect.close(
        still,
        wanted,
        atol=1e-4,
        otherwise="use the module's `dropout` layer, which is inactive in evaluation mode",
        read=DROPPED,
        what="the output in evaluation mode",
    )
    module.train()
    got = student.call(module, ids, seed=1).value
    expect.close(
        got,
        torch.where(got == 0, 0.0, 2 * wanted),
        atol=1e-4,
        otherwise="apply dropout last, to the sum of embeddings and positions",
        read=DROPPED,
        what="the output in training mode",
    )
    zeros = int((got == 0).sum())
    # correct dropout drops all or none of 320 features once in 2^319 runs
    expect.true(
        0 < zeros < got.numel(),
        expected="some features dropped and some kept at a rate of 0.5",
        got=f"{zeros} of {got.numel()} dropped",
        read=DROPPED,
    )


@exercise("3.3")
def test_gradients(student, rng):
    """Gradients reach the embedding of every word that occurs, scaled by √d_model."""
    module, tokens = build(student, rng)
    ids = torch.tensor([[1, 2, 2], [4, 1, 8]])
    cotangent = normal(rng, 2, 3, 6)
    with explained(ids, tokens):
        module(ids)
    leaf = tokens.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(leaf[ids] * math.sqrt(6), leaf, cotangent)
    found = student.vjp(module, ids, cotangent=cotangent, parameters=True).parameters
    got = found.get("tokens.weight")
    expect.close(
        torch.zeros_like(tokens) if got is None else got,
        wanted,
        atol=1e-4,
        otherwise="each occurrence of a word adds √d_model times the gradient at its position",
        read=READ,
        what="the gradient of `tokens.weight`",
    )
