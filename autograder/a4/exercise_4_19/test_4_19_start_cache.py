"""Hidden tests of exercise 4.19: the cache before the first step."""

import torch

from autograder.a4.exercise_4_19.cached_decoding import READ, ROUNDING, SOURCE, Decoding, heads
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("4.19")
def test_start_cache(student, rng):
    """The new cache has keys and values of the source, none of the target, in every layer."""
    decoding = Decoding(student, rng).start()
    with torch.no_grad():
        memory, source_mask = decoding.ours.encode(SOURCE)
        embedded = decoding.ours.embedding(SOURCE)
    for number, layer in enumerate(decoding.ours.decoder.layers):
        own, cross = layer.self_attention, layer.cross_attention
        for part, projection in (("keys", "w_k"), ("values", "w_v")):
            other = {"w_k": "w_v", "w_v": "w_k"}[projection]
            with torch.no_grad():
                made = {
                    name: heads(getattr(module, weights)(x))
                    for name, module, weights, x in (
                        ("right", cross, projection, memory),
                        (MISTAKE.cache_source_by_self_attention, own, projection, memory),
                        (MISTAKE.cache_source_exchanged, cross, other, memory),
                        (
                            MISTAKE.cache_source_from_embeddings,
                            cross,
                            projection,
                            embedded,
                        ),
                    )
                }
            right = made.pop("right")
            expect.close(
                decoding.cache.get(f"layers.{number}.source_{part}"),
                right,
                atol=ROUNDING,
                otherwise="the memory, projected and split into heads",
                read=READ,
                what=f"source_{part} of layer {number}",
            )
            empty = decoding.cache.get(f"layers.{number}.{part}")
            expect.shape(
                empty,
                (*right.shape[:2], 0, right.shape[3]),
                otherwise="there is no target token yet: 0 tokens",
                read=READ,
                what=f"{part} of layer {number}",
            )
    expect.close(
        decoding.cache.get("source_mask").float(),
        source_mask.float(),
        read=READ,
        what="source_mask",
    )
