"""Hidden tests of exercise 4.19: one layer with a cache."""

import torch

from autograder.a3.answers import answered, normal
from autograder.a3.encoder_reference import draw
from autograder.a4.exercise_4_19.cached_decoding import READ, SIZES, heads
from course_lib.decoder import DecoderLayer
from course_lib.decoding.cache import LayerCache, attend, cached_layer
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)


@exercise("4.19", weight=2)
def test_layer(student, rng):
    """One layer: its output for the new tokens, and the cache with their keys and values added."""
    for norm_first in (False, True):
        for known, new in ((0, 1), (3, 1), (2, 3)):
            check_layer(student, rng, norm_first, known, new)


def check_layer(student, rng, norm_first, known, new):
    sizes = {name: size for name, size in SIZES.items() if name != "n_layers"}
    ours = DecoderLayer(**sizes, norm_first=norm_first).eval()
    state = draw(rng, {name: tuple(value.shape) for name, value in ours.state_dict().items()})
    ours.load_state_dict(state)
    theirs = student.DecoderLayer(**sizes, norm_first=norm_first)
    theirs.load_state_dict(state)
    theirs.eval()
    parts = [heads(normal(rng, 2, n, 8)) for n in (known, known, 4, 4)]
    x, mask = (
        normal(rng, 2, new, 8),
        torch.ones(2, 1, new, known + new, dtype=torch.bool).tril(known),
    )
    mask[1, :, :, : min(known, 1)] = False
    source_mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]).bool()[:, None, None]
    made = answered(
        lambda: student.cached_layer(theirs, x, student.LayerCache(*parts), mask, source_mask),
        "append the keys and values of the new tokens to those of the cache",
        READ,
    )
    output, cache = expect.parts(made, 2, read="the docstring of `cached_layer`")
    own = LayerCache(*parts)
    with torch.no_grad():
        right, after = cached_layer(ours, x, own, mask, source_mask)
    name = f"of {new} new tokens after {known}, {'pre' if norm_first else 'post'}-norm"
    expect.close(
        output,
        right,
        atol=1e-4,
        otherwise="the layer's output, using the keys and values of the cache and the new ones",
        read=READ,
        what=f"the output {name}",
    )
    for part in ("keys", "values"):
        found, before = cache.get(part), getattr(own, part)
        expect.shape(
            found,
            tuple(getattr(after, part).shape),
            otherwise="those of the cache, then those of the new tokens",
            read=READ,
            what=f"the {part} {name}",
        )
        wanted = getattr(after, part)
        expect.close(
            found,
            wanted,
            atol=1e-4,
            read=READ,
            what=f"the {part} {name}",
        )
        source = cache.get(f"source_{part}")
        expect.close(
            source,
            getattr(own, f"source_{part}"),
            otherwise="those of the source do not change",
            read=READ,
            what=f"the source's {part} {name}",
        )


@torch.no_grad()
def layer_mistakes(layer, x, cache, mask, source_mask):
    """The layer outputs that each likely mistake would give."""
    own, new = layer.self_attention, x.shape[1]
    keys, values = (
        torch.cat([old, heads(weights(x))], dim=2)
        for old, weights in ((cache.keys, own.w_k), (cache.values, own.w_v))
    )

    def made(cross=cache, mask=mask, source_mask=source_mask):
        return cached_layer(layer, x, cross, mask, source_mask)[0]

    def before_the_norm():
        first, second = layer.self_attention_residual, layer.cross_attention_residual
        third, source = layer.feed_forward_residual, (cache.source_keys, cache.source_values)
        y = first.leave(x, attend(own, first.enter(x), keys, values, mask))
        made = attend(layer.cross_attention, second.enter(y), *source, source_mask)
        y = second.leave(y, made)
        return third.leave(y, layer.feed_forward(third.enter(y)))

    empty = (cache.keys[:, :, :0], cache.values[:, :, :0])
    alone = LayerCache(*empty, cache.source_keys, cache.source_values)
    exchanged = LayerCache(cache.keys, cache.values, cache.source_values, cache.source_keys)
    return {
        MISTAKE.cached_layer_keys_before_the_norm: before_the_norm(),
        MISTAKE.cached_layer_sees_the_new_alone: made(cross=alone, mask=mask[..., -new:]),
        MISTAKE.cached_layer_mask_ignored: made(mask=torch.ones_like(mask)),
        MISTAKE.cached_layer_source_mask_ignored: made(source_mask=torch.ones_like(source_mask)),
        "the keys and values of the source are swapped": made(cross=exchanged),
    }
