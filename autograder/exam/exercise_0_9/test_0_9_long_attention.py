"""Hidden tests of exercise 0.9: exact attention that never holds the table of all weights."""

import math
from pathlib import Path

import torch

# Imported by name before any rule removes it: students may not call it, the tests may.
from torch.nn.functional import scaled_dot_product_attention as fused

from autograder.a2.tensors import normal
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "exercise 0.9"
ATOL = 1e-5
WATCH = Path(__file__).with_name("largest_tensor.py").read_text(encoding="utf-8")
# Their table has 18,000² floats: 1.2 GiB, more than a worker may use (`sandbox/limits.py`). A block
# has 35 MiB: the C library returns blocks over 32 MiB at once, so a right answer never uses more.
LONG, ROWS = 18_000, 512


def by_blocks(query, key, value, block):
    """The value of a softmax over each block of keys by itself."""
    parts = [slice(start, start + block) for start in range(0, key.shape[1], block)]
    return sum(fused(query, key[:, part], value[:, part]) for part in parts)


def mistakes(query, key, value, block):
    scores = query @ key.transpose(1, 2)
    cut = query.shape[1] // block * block
    rest = fused(query, key, value)
    short = torch.cat([rest[:, :cut], torch.zeros_like(rest[:, cut:])], dim=1)
    return {
        MISTAKE.long_not_scaled: scores.softmax(-1) @ value,
        MISTAKE.long_softmax_of_each_block: by_blocks(query, key, value, block),
        "the last block, which is smaller, is left out": short,
    }


@exercise("0.9", weight=2)
def test_exact(student, rng):
    """The result is that of attention with all weights, for blocks of any size."""
    for n_q, n_k, block in [(50, 70, 16), (50, 70, 50), (30, 20, 64), (5, 9, 1)]:
        query, key = 2 * normal(rng, 2, n_q, 8), normal(rng, 2, n_k, 8)
        value = normal(rng, 2, n_k, 4)
        called = student.call(student.long_attention, query, key, value, block=block)
        expect.shape(
            called.value,
            (2, n_q, 4),
            what=f"the output for {n_q} queries in blocks of {block}",
            otherwise="the last block may be smaller than the others, and none may be left out",
            read=READ,
        )
        expect.close(
            called.value,
            fused(query, key, value),
            atol=ATOL,
            otherwise="softmax(QKᵀ / √d_k) V: a row of weights needs all keys",
            read=READ,
            what=f"the output for {n_q} queries in blocks of {block}",
        )
        expect.unchanged(called.changed)


@exercise("0.9")
def test_mask(student, rng):
    """The mask holds in every block."""
    query, key, value = normal(rng, 2, 50, 8), normal(rng, 2, 40, 8), normal(rng, 2, 40, 4)
    mask = torch.from_numpy(rng.random((50, 40)) < 0.5)
    mask[:, 0], mask[0, 1] = True, False
    block = 16
    rows = torch.arange(50) % block
    scores = query @ key.transpose(1, 2) / math.sqrt(8)
    hidden = scores.masked_fill(mask, -math.inf).softmax(-1) @ value
    expect.close(
        student.long_attention(query, key, value, mask, block=block),
        fused(query, key, value, attn_mask=mask),
        atol=ATOL,
        otherwise="a block of queries has the same rows of the mask",
        read=READ,
    )


@exercise("0.9", weight=2)
def test_never_holds_all_weights(student, rng):
    """The largest tensor is a block of weights, and a sequence longer than the memory works."""
    x, block = normal(rng, 1, 512, 4), 16
    watch = student.make("(exec(text, scope := {}), scope)[1]", text=WATCH)
    source = "watch['largest'](student['long_attention'], x, x, x, None, block)"
    largest = student.make(source, watch=watch, x=x, block=block).get()
    expect.true(
        largest <= 2 * block * 512,
        expected=f"no tensor with more than {block} rows of weights: {block * 512:,} numbers",
        got=f"a tensor of {largest:,} numbers",
        otherwise="compute the weights of `block` queries, multiply them by the values, go on",
        read=READ,
    )
    query, value = normal(rng, 1, LONG, 1), normal(rng, 1, LONG, 1)
    key = torch.ones(1, LONG, 1)  # equal keys: every query reads the mean of all values
    got = student.call(student.long_attention, query, key, value, block=ROWS, deadline=30.0).value
    expect.close(
        got,
        value.mean(dim=1, keepdim=True).expand(1, LONG, 1),
        atol=1e-4,
        otherwise="a row of weights needs all keys",
        read=READ,
        what=f"the output for {LONG:,} queries and keys",
    )
