"""The fast form of `decoding.cache`: the same probabilities to 1e-5, several times as fast on CPU.

    decoder = FastDecoder(model)
    beam_search(decoder.step, decoder.start(source_ids), len(source_ids))

What makes it fast:

- Keys and values are never moved when beams are reordered. All beams of a sentence attend to all
  entries of the sentence in one product, and `bias` masks those outside a beam's own prefix.
  Reordering the beams only reorders this small table.
- When sentences finish, and every few steps, the entries that some beam still needs are moved to
  the front of the room that they have. Beams soon share most of their prefixes, so these are few.
- The beams of a sentence share the keys and values of their source.
- Queries, keys and values come from one product, with 1 / √d_k folded into its weights
  (`projections`). Plain products beat a fused kernel with one query per row.
- A few rows at a time go through the wide layers, so that what lies between stays in the cache of a
  core, and no memory is new to the process: the first look at each page costs more than a copy.
- It wires the layer itself, beside `decoder`, which one reads, and exercise 4.19: no attention with
  a cache could share keys among beams, or add its last product to the residual.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from ..transformer import Transformer
from .projections import JoinedLinear, equal_widths, in_parts

SENTENCES = 16  # encoded at a time
STEPS = 4  # after how many of them entries that no beam needs any more are removed


def never(dtype: torch.dtype) -> float:
    """A number that, added to a score, gives a weight of exactly zero."""
    return torch.finfo(dtype).min / 2


@dataclass(frozen=True)
class FastCache:
    """Keys and values of sentences with the same number of beams each.

    A step and a reordering invalidate it, since they reuse its memory.
    """

    own: Float[Tensor, "n_layers 2 sentences n_heads room d_k"]
    source: Float[Tensor, "n_layers 2 sentences n_heads n_source d_k"]
    source_bias: Float[Tensor, "sentences 1 1 n_source"]
    bias: Float[Tensor, "sentences beams written"]  # 0 for entries of a beam's prefix, else `never`
    length: int  # of the prefixes read so far

    def reorder(self, rows: Int[Tensor, "rows"]) -> "FastCache":
        """The cache whose row i is this one's row `rows[i]`.

        Raises ValueError unless the rows of each sentence are adjacent and equally many.
        """
        sentences, beams, _ = self.bias.shape
        kept, counts = (rows // beams).unique_consecutive(return_counts=True)
        if (counts != counts[:1]).any():
            raise ValueError("give `reorder` equally many adjacent rows of each sentence")
        bias = self.bias.flatten(0, 1)[rows].unflatten(0, (len(kept), -1))
        if len(kept) == sentences and (kept.diff() > 0).all():
            return replace(self, bias=bias)
        return self._moved(kept, bias)

    def with_room(self) -> "FastCache":
        """This cache with room for one more entry per beam; now and then without dead entries."""
        _, beams, written = self.bias.shape
        if self.length % STEPS and written + beams <= self.own.shape[4]:
            return self
        return self._moved(torch.arange(len(self.bias), device=self.bias.device), self.bias)

    def _moved(
        self, kept: Int[Tensor, "kept"], bias: Float[Tensor, "kept beams written"]
    ) -> "FastCache":
        """The cache of the sentences `kept`, without entries that `bias` masks for all beams."""
        n_heads, room, d_k = self.own.shape[3:]
        sentences, beams, written = bias.shape
        seen = (bias == 0).any(dim=1)
        most = int(seen.sum(dim=1).max()) if written else 0
        entries = seen.byte().argsort(dim=1, descending=True, stable=True)[:, :most]
        first = (kept[:, None] * n_heads + torch.arange(n_heads, device=kept.device)) * room
        places = (first[:, :, None] + entries[:, None]).flatten()
        own, source = self.own[:, :, :sentences], self.source[:, :, :sentences]
        if most + STEPS * beams > room or sentences > own.shape[2]:
            larger = (sentences, n_heads, most + 4 * STEPS * beams, d_k)
            own = own.new_empty(*own.shape[:2], *larger)
        for old, new in zip(self.own.flatten(0, 1), own.flatten(0, 1), strict=True):
            found = old.flatten(0, 2).index_select(0, places)
            new[:, :, :most] = found.unflatten(0, (sentences, n_heads, most))
        if sentences > source.shape[2]:
            source = self.source.index_select(2, kept)
        elif sentences < self.source.shape[2] or (kept.diff() < 1).any():
            for old, new in zip(self.source.flatten(0, 1), source.flatten(0, 1), strict=True):
                new.copy_(old.index_select(0, kept))
        reordered = bias.gather(2, entries[:, None].expand(-1, beams, -1))
        return FastCache(own, source, self.source_bias[kept], reordered, self.length)


class _Layer:
    """One decoder layer for one new token of each beam."""

    def __init__(self, layer: Any) -> None:
        own, cross = equal_widths(layer.self_attention), equal_widths(layer.cross_attention)
        network = layer.feed_forward
        d_k = own.w_q.out_features // own.n_heads
        self.shape = (own.n_heads, d_k)
        self.own = JoinedLinear(own.w_q, own.w_k, own.w_v, query_size=d_k)
        self.own_out = JoinedLinear(own.w_o)
        self.query = JoinedLinear(cross.w_q, query_size=d_k)
        self.source = JoinedLinear(cross.w_k, cross.w_v)
        self.source_out = JoinedLinear(cross.w_o)
        self.inner, self.outer = JoinedLinear(network.w_1), JoinedLinear(network.w_2)
        self.residuals = (
            layer.self_attention_residual,
            layer.cross_attention_residual,
            layer.feed_forward_residual,
        )

    def keys_and_values(
        self, memory: Float[Tensor, "sentences n_source d_model"]
    ) -> Float[Tensor, "2 sentences n_heads n_source d_k"]:
        """The keys and values of the source."""
        packed = self.source(memory.flatten(0, 1)).view(*memory.shape[:2], 2, *self.shape)
        return packed.permute(2, 0, 3, 1, 4)

    def __call__(
        self, x: Float[Tensor, "rows d_model"], cache: FastCache, number: int
    ) -> Float[Tensor, "rows d_model"]:
        """The layer's output; overwrites `x`, and writes its keys and values into the cache.

        `number` is the layer's index in the cache.
        """
        sentences, beams, written = cache.bias.shape
        kept = cache.own[number, :, :, :, :written]
        own, cross, network = self.residuals
        packed = self.own(_enter(own, x)).view(sentences, beams, 3, *self.shape)
        packed = packed.permute(2, 0, 3, 1, 4)
        kept[:, :, :, written - beams :] = packed[1:]
        y = _attend(packed[0], kept, cache.bias[:, None])
        x = _leave(own, self.own_out.added_to(x, y))
        query = self.query(_enter(cross, x)).view(sentences, beams, *self.shape).transpose(1, 2)
        y = _attend(query, cache.source[number], cache.source_bias)
        x = _leave(cross, self.source_out.added_to(x, y))
        for rows in in_parts(x):
            self.outer.added_to(rows, self.inner(_enter(network, rows)).relu_())
        return _leave(network, x)


def _attend(
    query: Float[Tensor, "sentences n_heads beams d_k"],
    keys_and_values: Float[Tensor, "2 sentences n_heads n d_k"],
    bias: Float[Tensor, "sentences 1 #beams n"],
) -> Float[Tensor, "rows d_model"]:
    """Attention (§3.2.1, Eq. 1) with an additive mask; returns the concatenated heads."""
    sentences, n_heads, beams, d_k = query.shape
    keys, values = keys_and_values.flatten(1, 2)
    scores = torch.bmm(query.reshape(-1, beams, d_k), keys.transpose(1, 2))
    scores.view(sentences, n_heads, beams, -1).add_(bias)
    heads = torch.bmm(torch.softmax(scores, dim=-1), values)
    heads = heads.view(sentences, n_heads, beams, d_k).transpose(1, 2)
    return heads.reshape(sentences * beams, n_heads * d_k)


def _normed(norm: Any, x: Tensor) -> Tensor:
    """`LayerNorm` (§3.1) by torch's fused kernel."""
    return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, norm.eps)


def _enter(residual: Any, x: Tensor) -> Tensor:
    """`ResidualConnection.enter`."""
    return _normed(residual.norm, x) if residual.norm_first else x


def _leave(residual: Any, total: Tensor) -> Tensor:
    """`ResidualConnection.leave`, where the sub-layer's output has been added already."""
    return total if residual.norm_first else _normed(residual.norm, total)


class FastDecoder:
    """`start` and `step` of a search with `model`, whose weights the constructor copies."""

    @torch.no_grad()
    def __init__(self, model: Transformer) -> None:
        self.model = model
        self.layers = [_Layer(layer) for layer in model.decoder.layers]
        words = model.embedding.tokens
        self.output = JoinedLinear(words)
        self.room = words.weight.new_empty(0, words.num_embeddings)

    @torch.no_grad()
    def start(self, source_ids: Int[Tensor, "sentences n_source"]) -> FastCache:
        """The cache before the first token: the source alone, with one beam per sentence."""
        read = [self.model.encode(ids) for ids in in_parts(source_ids, SENTENCES)]
        memory, mask = (torch.cat(parts) for parts in zip(*read, strict=True))
        source = torch.stack([layer.keys_and_values(memory) for layer in self.layers])
        n_layers, _, sentences, n_heads, _, d_k = source.shape
        own = memory.new_empty(n_layers, 2, sentences, n_heads, STEPS, d_k)
        source_bias = torch.zeros_like(mask, dtype=memory.dtype).masked_fill_(
            ~mask, never(memory.dtype)
        )
        return FastCache(own, source, source_bias, memory.new_zeros(sentences, 1, 0), 0)

    @torch.no_grad()
    def step(
        self, prefixes: Int[Tensor, "rows n"], cache: FastCache
    ) -> tuple[Float[Tensor, "rows vocab_size"], FastCache]:
        """`(log_probabilities, cache)` for prefixes that are one token longer than the cache.

        The next step overwrites them. Raises ValueError for prefixes of any other length.
        """
        n = prefixes.shape[1]
        if n != cache.length + 1:
            raise ValueError(
                f"prefixes of {n} tokens: give one token more than the cache holds ({cache.length})"
            )
        tokens = prefixes[:, -1]
        cache = self._with_entries(cache.with_room(), tokens)
        x = self._embedded(tokens, n - 1)
        for number, layer in enumerate(self.layers):
            x = layer(x, cache, number)
        if not isinstance(self.model.decoder.norm, nn.Identity):
            x = _normed(self.model.decoder.norm, x)
        return self._log_probabilities(x), cache

    def _log_probabilities(self, x: Tensor) -> Tensor:
        """Log probabilities in a reused buffer: a new one per step costs a tenth of the time."""
        if len(x) > len(self.room):
            with torch.inference_mode(False):  # an inference tensor could not be written elsewhere
                self.room = x.new_empty(len(x), self.room.shape[1])
        found = self.room[: len(x)]
        for rows, room in zip(in_parts(x), in_parts(found), strict=True):
            torch.log_softmax(self.output(rows), -1, out=room)
        return found

    def _with_entries(self, cache: FastCache, tokens: Tensor) -> FastCache:
        """The cache with one more entry per beam, which only that beam may attend to."""
        sentences, beams, _ = cache.bias.shape
        own = torch.eye(beams, dtype=torch.bool, device=tokens.device)
        seen = own & (tokens != self.model.pad_id).view(sentences, 1, beams)
        added = torch.zeros_like(seen, dtype=cache.bias.dtype).masked_fill_(
            ~seen, never(cache.bias.dtype)
        )
        return replace(cache, bias=torch.cat([cache.bias, added], 2), length=cache.length + 1)

    def _embedded(self, tokens: Tensor, position: int) -> Tensor:
        """`TransformerEmbedding` of tokens at the same position, without dropout."""
        embedding = self.model.embedding
        if position >= len(embedding.positions):
            embedding.positions = embedding.table(2 * position)
        x = embedding.tokens(tokens) * math.sqrt(embedding.tokens.embedding_dim)
        return x + embedding.positions[position]
