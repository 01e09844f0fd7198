"""Hidden tests of exercise 4.19: decoding with a cache, exact even when rows move."""

import torch

from autograder.suites.a3.answers import answered, normal
from autograder.suites.a3.encoder_reference import draw
from autograder.suites.a4.answers import write_in
from course_lib.attention import attention, split_heads
from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.decoder import DecoderLayer
from course_lib.decoding.cache import LayerCache, attend, cached_layer
from course_lib.masks import causal_mask, padding_mask
from course_lib.seam import Handle
from course_lib.transformer import Transformer

READ = "§3.2.3; the docstrings of 4.19"
SIZES = {"n_layers": 2, "d_model": 8, "n_heads": 2, "d_ff": 16}
VOCAB = 11
# Logits reach 50 with these weights, so two correct results differ by up to 1.1e-5 in float32
# across processors. The nearest mistake is 8.7e-3 away.
ROUNDING = 2e-4
SOURCE = torch.tensor([[5, 6, 7, 8], [10, 4, 0, 0], [9, 5, 7, 0]])
# Logs how many tokens the feed-forward networks and the projections of the source are given.
WATCH = (
    "[(lambda name, part: part.register_forward_pre_hook(lambda module, given: seen.append([name, "
    "int(given[0].shape[1])])))(name, part) for layer in model.decoder.layers for name, part in "
    "(('new', layer.feed_forward), ('source', layer.cross_attention.w_k))]"
)
NOT_CUT = (
    "the mask has a row for every token of the prefix: cut it to those of the new tokens, "
    "`[:, :, known:]`"
)


class Decoding:
    """A Transformer on both sides with the same weights, and a cache on the student's side."""

    def __init__(self, student, rng, norm_first=False, source=SOURCE):
        self.student, self.source = student, source
        self.ours = Transformer(VOCAB, **SIZES, norm_first=norm_first).eval()
        state = draw(rng, {name: tuple(v.shape) for name, v in self.ours.state_dict().items()})
        self.ours.load_state_dict(state)
        self.theirs = student.Transformer(VOCAB, **SIZES, norm_first=norm_first)
        write_in(self.theirs, state)
        self.theirs.eval()
        self.rows, self.chunks = torch.arange(len(source)), []

    def start(self):
        """A cache from the student's side."""
        self.cache = answered(
            lambda: self.student.start_cache(self.theirs, self.source),
            "keys and values of the source for every layer: `LayerCache`, `Cache`",
            READ,
        )
        self.checked()
        self.step = self.student.cached_step(self.theirs)
        return self

    def checked(self):
        """Check that the cache has a `LayerCache` for every layer."""
        expect.true(
            isinstance(self.cache, Handle) and self.cache.type_name == "Cache",
            expected="a `Cache`",
            got=getattr(self.cache, "type_name", type(self.cache).__name__),
            read=READ,
        )
        count = self.cache.method("layers.__len__")
        expect.true(
            count == SIZES["n_layers"],
            expected=f"a cache of {SIZES['n_layers']} layers",
            got=f"of {count}",
            because="the cache covers only one layer: every layer has its own keys and values"
            if count == 1
            else "",
            otherwise="every layer has its own keys and values",
            read=READ,
        )

    def advance(self, prefixes):
        """The student's log probabilities after the next step."""
        with expect.raising(self.uncut(prefixes), read=READ):
            made = self.step(prefixes, self.cache)
        found, self.cache = expect.parts(made, 2, read="the docstring of `step`")
        self.checked()
        self.chunks.append(prefixes.shape[1] - sum(self.chunks))
        return found

    def uncut(self, prefixes):
        """Explain the error of a mask that still has a row for every token of the prefix."""
        (rows, n), known, heads = prefixes.shape, sum(self.chunks), SIZES["n_heads"]
        queries, keys = torch.zeros(rows, heads, n - known, 4), torch.zeros(rows, heads, n, 4)
        mask = torch.ones(rows, 1, n, n, dtype=torch.bool)
        fused = torch.nn.functional.scaled_dot_product_attention
        return {
            NOT_CUT: lambda: attention(queries, keys, keys, mask),
            f"{NOT_CUT}, as the new tokens are the queries": lambda: fused(
                queries, keys, keys, mask
            ),
        }

    def held(self):
        """The number of target tokens in the cache."""
        return self.cache.get("layers.0.keys").shape[2]

    def reorder(self, rows):
        self.cache = self.cache.method("reorder", rows)
        self.rows = self.rows[rows]

    @torch.no_grad()
    def probabilities(
        self, prefixes, *, from_zero=False, mask=None, memory=None, seen=None, norm=True, last=-1
    ):
        """Log probabilities without a cache; the options make mistakes on purpose."""
        ours, source = self.ours, self.source[self.rows]
        x = ours.embedding(prefixes)
        if from_zero:
            x = torch.cat([ours.embedding(part) for part in prefixes.split(self.chunks, 1)], 1)
        mask = padding_mask(prefixes) & causal_mask(prefixes.shape[1]) if mask is None else mask
        read, source_mask = ours.encode(source)
        read = read if memory is None else memory(source)
        decoder = ours.decoder if norm else unnormed(ours.decoder)
        x, _ = decoder(x, read, mask, source_mask if seen is None else seen)
        return ours.generate(x)[:, last].log_softmax(-1)

    def mistakes(self, prefixes):
        """The results that each likely mistake would give."""
        n, new = prefixes.shape[1], self.chunks[-1]
        number = torch.arange(len(self.chunks)).repeat_interleave(torch.tensor(self.chunks))
        causal, together = causal_mask(n), number[:, None] == number
        hidden = padding_mask(prefixes)
        made = self.probabilities
        with torch.no_grad():
            logits, _ = self.ours.decode(prefixes, *self.ours.encode(self.source[self.rows]))
        found = {
            "the positions of the new tokens are counted from 0: count from the start of the "
            "sentence": made(prefixes, from_zero=True),
            "the new tokens see only each other: the keys of the earlier ones are not kept": made(
                prefixes, mask=hidden & causal & together
            ),
            "the new tokens do not see themselves": made(
                prefixes, mask=hidden & causal & ~torch.eye(n, dtype=torch.bool)
            ),
            "the source's keys and values are made from its embeddings, not the encoder's "
            "output": made(prefixes, memory=self.ours.embedding),
            "the padding of the source is attended to": made(
                prefixes, seen=torch.ones(1, 1, 1, 1, dtype=torch.bool)
            ),
            "the decoder's last norm is missing": made(prefixes, norm=False),
            "the padding in the prefix is attended to: mask it, too": made(prefixes, mask=causal),
            "the new tokens see later new tokens": made(
                prefixes, mask=hidden & (causal | together)
            ),
            "these are logits: apply `log_softmax`": logits[:, -1],
            "these are probabilities, not their logarithms": logits[:, -1].softmax(-1),
        }
        if new > 1:
            found["the prediction after the first new token, not the last one"] = made(
                prefixes, last=-new
            )
        return found

    def compare(self, found, prefixes, what, causes=None):
        expect.close(
            found,
            self.probabilities(prefixes),
            atol=ROUNDING,
            rtol=0.0,
            causes=causes or (lambda: self.mistakes(prefixes)),
            otherwise="the same log probabilities as without a cache",
            read=READ,
            what=what,
        )


def unnormed(decoder):
    """The decoder without its last norm."""

    def run(x, memory, mask, source_mask):
        for layer in decoder.layers:
            x, _ = layer(x, memory, mask, source_mask)
        return x, None

    return run


def grown(rng, prefixes):
    """The prefixes, each extended by one real token."""
    new = torch.from_numpy(rng.integers(4, VOCAB, (len(prefixes), 1)))
    return torch.cat([prefixes, new], dim=1)


def contents(cache):
    """All tensors in a cache, by name."""
    names = ("keys", "values", "source_keys", "source_values")
    found = {
        f"layers.{i}.{name}": cache.get(f"layers.{i}.{name}")
        for i in range(SIZES["n_layers"])
        for name in names
    }
    return found | {"source_mask": cache.get("source_mask")}


def heads(x):
    return split_heads(x, SIZES["n_heads"])


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
                        ("they are projected by the self-attention", own, projection, memory),
                        ("keys and values are swapped", cross, other, memory),
                        (
                            "they are made from the source's embeddings, not the encoder's output",
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
                causes=made,
                otherwise="the memory, projected and split into heads",
                read=READ,
                what=f"source_{part} of layer {number}",
            )
            empty = decoding.cache.get(f"layers.{number}.{part}")
            expect.shape(
                empty,
                (*right.shape[:2], 0, right.shape[3]),
                causes={
                    f"the cache begins with {n} token{'s' * (n > 1)} of the source: there is "
                    "no target token yet": (*right.shape[:2], n, right.shape[3])
                    for n in (1, right.shape[2])
                },
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


@exercise("4.19", weight=2)
def test_every_step(student, rng):
    """At every step the log probabilities equal those without a cache; post-norm and pre-norm."""
    for norm_first in (False, True):
        decoding = Decoding(student, rng, norm_first).start()
        prefixes = torch.full((3, 1), 2)
        for step in range(6):
            found = decoding.advance(prefixes)
            order = "pre-norm" if norm_first else "post-norm"
            decoding.compare(found, prefixes, f"log probabilities of step {step + 1}, {order}")
            prefixes = grown(rng, prefixes)


@exercise("4.19", weight=2)
def test_rows_that_move(student, rng):
    """The same after rows are dropped, swapped and duplicated, as in a beam."""
    decoding = Decoding(student, rng, norm_first=True).start()
    prefixes = torch.full((3, 1), 2)
    for rows in ([0, 0, 1, 1, 2, 2], [1, 0, 3, 3, 5, 4], [3, 2, 5, 5], [1, 0, 2, 2], [3, 0]):
        found = decoding.advance(prefixes)
        decoding.compare(found, prefixes, f"log probabilities of {len(prefixes)} rows")
        rows = torch.tensor(rows)
        decoding.reorder(rows)
        prefixes = grown(rng, prefixes[rows])


@exercise("4.19")
def test_several_new_tokens(student, rng):
    """Several new tokens are read at once, and none sees a later one."""
    decoding = Decoding(student, rng).start()
    whole = torch.full((3, 1), 2)
    for _ in range(6):
        whole = grown(rng, whole)
    for length in (3, 4, 7):
        prefixes = whole[:, :length]
        found = decoding.advance(prefixes)
        decoding.compare(found, prefixes, f"log probabilities after {length} tokens")


@exercise("4.19", weight=0.5)
def test_padding_in_a_prefix(student, rng):
    """A padding token in a prefix stays masked, as without a cache."""
    decoding = Decoding(student, rng).start()
    prefixes = torch.tensor([[2, 5, 0, 7, 4], [2, 0, 8, 9, 6], [2, 4, 5, 6, 0]])
    for length in range(2, 6):  # start with two: a single new token would hide a missing mask
        found = decoding.advance(prefixes[:, :length])
        decoding.compare(found, prefixes[:, :length], f"log probabilities after {length} tokens")


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
        causes=lambda: layer_mistakes(ours, x, own, mask, source_mask),
        otherwise="the layer's output, using the keys and values of the cache and the new ones",
        read=READ,
        what=f"the output {name}",
    )
    for part in ("keys", "values"):
        found, before = cache.get(part), getattr(own, part)
        expect.shape(
            found,
            tuple(getattr(after, part).shape),
            causes={
                "the keys and values of the new tokens are not kept: append them to those of "
                "the cache": tuple(before.shape),
                "only the keys and values of the new tokens are kept: append them to those of "
                "the cache": (*before.shape[:2], new, before.shape[3]),
            },
            otherwise="those of the cache, then those of the new tokens",
            read=READ,
            what=f"the {part} {name}",
        )
        wanted = getattr(after, part)
        expect.close(
            found,
            wanted,
            atol=1e-4,
            causes={
                "the new ones come before the old ones": wanted.roll(new, dims=2),
                "keys and values are swapped": getattr(
                    after, "values" if part == "keys" else "keys"
                ),
            },
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

    def made(self_attend=None, cross=cache, mask=mask, source_mask=source_mask):
        if self_attend is None:
            return cached_layer(layer, x, cross, mask, source_mask)[0]
        y = layer.self_attention_residual(x, self_attend)
        y = layer.cross_attention_residual(y, cross_attend)
        return layer.feed_forward_residual(y, layer.feed_forward)

    def cross_attend(y):
        kept = (cache.source_keys, cache.source_values)
        return attend(layer.cross_attention, y, *kept, source_mask)

    empty = (cache.keys[:, :, :0], cache.values[:, :, :0])
    alone = LayerCache(*empty, cache.source_keys, cache.source_values)
    exchanged = LayerCache(cache.keys, cache.values, cache.source_values, cache.source_keys)
    return {
        "the keys and values are made from x before the norm: make them inside the residual "
        "connection": made(lambda y: attend(own, y, keys, values, mask)),
        "the new tokens see only each other: the cache is not used": made(
            cross=alone, mask=mask[..., -new:]
        ),
        "the mask is not used": made(mask=torch.ones_like(mask)),
        "the mask of the source is not used": made(source_mask=torch.ones_like(source_mask)),
        "the keys and values of the source are swapped": made(cross=exchanged),
    }


@exercise("4.19", weight=8)
def test_cost(student, rng):
    """A step reads only the new tokens, and projects the source only once."""
    decoding = Decoding(student, rng)
    seen = student.make("[]")
    student.make(WATCH, model=decoding.theirs, seen=seen)
    decoding.start()
    prefixes, before = torch.full((3, 1), 2), len(seen.get())
    for new in (1, 1, 1, 2):
        held = decoding.held()
        decoding.advance(prefixes)
        calls = seen.get()[before:]
        read = max((n for name, n in calls if name == "new"), default=0)
        expect.true(
            read <= new,
            expected=f"{new} new token{'s' * (new > 1)} read, of a prefix of {prefixes.shape[1]}",
            got=f"{read}",
            because="earlier tokens are read again: the cache has their keys and values"
            if held == prefixes.shape[1] - new
            else "",
            otherwise="keep the keys and values of the tokens already read",
            read=READ,
        )
        expect.true(
            not any(name == "source" for name, _ in calls),
            expected="no projection of the source, since `start_cache` has made it",
            got="another projection",
            because="the source is projected again: the cache has its keys and values",
            read=READ,
        )
        before += len(calls)
        prefixes = grown(rng, grown(rng, prefixes) if prefixes.shape[1] == 3 else prefixes)


@exercise("4.19")
def test_old_cache_stays(student, rng):
    """A step does not change the old cache: using it again gives the same result."""
    decoding = Decoding(student, rng).start()
    prefixes = torch.full((3, 1), 2)
    for _ in range(3):
        old = decoding.cache
        before = {name: value.clone() for name, value in contents(old).items()}
        decoding.advance(prefixes)
        after = contents(old)
        other = [name for name, value in before.items() if not torch.equal(value, after[name])]
        expect.true(
            not other,
            expected="an old cache with the same contents as before the step",
            got=f"{', '.join(other[:3])} changed",
            because="the step writes into the old cache: another beam may still continue from it",
            read=READ,
        )
        prefixes = grown(rng, prefixes)


@exercise("4.19", weight=0.5)
def test_nothing_new(student, rng):
    """Prefixes that have not grown raise a ValueError."""
    decoding = Decoding(student, rng).start()
    prefixes = grown(rng, torch.full((3, 1), 2))
    decoding.advance(prefixes)
    grew = decoding.held() == 2
    for length in (2, 1):
        expect.raises(
            lambda length=length: decoding.step(prefixes[:, :length], decoding.cache),
            because="prefixes that have not grown are accepted: without a new token there is "
            "nothing to read"
            if grew
            else "",
            otherwise="without a new token there is nothing to read: raise a ValueError",
            read=READ,
        )
