"""How the hidden tests of 4.19 decode: one Transformer on both sides, a cache on the student's."""

import torch

from autograder.a3.answers import answered
from autograder.a3.encoder_reference import draw
from autograder.a4.answers import write_in
from course_lib.attention import attention, split_heads
from course_lib.masks import causal_mask, padding_mask
from course_lib.transformer import Transformer
from grader.checking import expect
from grader.checking.known_mistakes import known_mistakes
from grader.seam import Handle

MISTAKE = known_mistakes(__file__)

READ = "§3.2.3; the docstrings of 4.19"
SIZES = {"n_layers": 2, "d_model": 8, "n_heads": 2, "d_ff": 16}
VOCAB = 11
# Logits reach 50 with these weights, so two correct results differ by up to 1.1e-5 in float32
# across processors. The nearest mistake is 8.7e-3 away.
ROUNDING = 2e-4
SOURCE = torch.tensor([[5, 6, 7, 8], [10, 4, 0, 0], [9, 5, 7, 0]])
NOT_CUT = MISTAKE.cached_step_mask_not_cut


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
            otherwise="every layer has its own keys and values",
            read=READ,
        )

    def advance(self, prefixes):
        """The student's log probabilities after the next step."""
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
        return ours.logits(x)[:, last].log_softmax(-1)

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
            MISTAKE.cached_step_position_0: made(prefixes, from_zero=True),
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
            MISTAKE.cached_step_last_norm_missing: made(prefixes, norm=False),
            MISTAKE.cached_step_mask_without_padding: made(prefixes, mask=causal),
            "the new tokens see later new tokens": made(
                prefixes, mask=hidden & (causal | together)
            ),
            MISTAKE.cached_step_logits: logits[:, -1],
            "these are probabilities, not their logarithms": logits[:, -1].softmax(-1),
        }
        if new > 1:
            found[MISTAKE.cached_step_first_new_token] = made(prefixes, last=-new)
        return found

    def compare(self, found, prefixes, what, causes=None):
        expect.close(
            found,
            self.probabilities(prefixes),
            atol=ROUNDING,
            rtol=0.0,
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


def heads(x):
    return split_heads(x, SIZES["n_heads"])
