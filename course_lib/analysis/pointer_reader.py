"""A task that needs two pointers at once, and the smallest model that can attempt it.

A memory holds symbols. A query names two positions, first and second, and the answer is the symbol
at each, in that order. The model is one attention followed by a linear layer, so whatever
distinguishes the two answers must come from the attention.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

N_POSITIONS, N_SYMBOLS, N_QUERIES = 8, 8, 8


class Examples(NamedTuple):
    """Memories, their queries (pairs of positions), and the symbols at those positions."""

    symbols: Int[Tensor, "batch n_positions"]
    pointers: Int[Tensor, "batch n_queries 2"]
    answers: Int[Tensor, "batch n_queries 2"]


def draw_examples(count: int, generator: torch.Generator) -> Examples:
    """`count` random memories with `N_QUERIES` random queries each."""
    symbols = torch.randint(N_SYMBOLS, (count, N_POSITIONS), generator=generator)
    pointers = torch.randint(N_POSITIONS, (count, N_QUERIES, 2), generator=generator)
    answers = symbols.gather(1, pointers.flatten(1)).view_as(pointers)
    return Examples(symbols, pointers, answers)


class PointerReader(nn.Module):
    """Embeddings, one cross-attention from the queries to the memory, one linear layer."""

    def __init__(self, attention: nn.Module, d_model: int) -> None:
        super().__init__()
        self.symbol = nn.Embedding(N_SYMBOLS, d_model)
        self.position = nn.Embedding(N_POSITIONS, d_model)
        self.first = nn.Embedding(N_POSITIONS, d_model)
        self.second = nn.Embedding(N_POSITIONS, d_model)
        self.attention = attention
        self.answer = nn.Linear(d_model, 2 * N_SYMBOLS)

    def embed(
        self, examples: Examples
    ) -> tuple[Float[Tensor, "batch n_q d_model"], Float[Tensor, "batch n_k d_model"]]:
        """The embedded `(queries, memory)`."""
        memory = self.symbol(examples.symbols) + self.position.weight
        queries = self.first(examples.pointers[..., 0]) + self.second(examples.pointers[..., 1])
        return queries, memory

    def forward(self, examples: Examples) -> Float[Tensor, "batch n_queries 2 n_symbols"]:
        """Logits over the symbols for the first and for the second answer."""
        queries, memory = self.embed(examples)
        found, _ = self.attention(queries, memory, memory)
        return self.answer(found).unflatten(-1, (2, N_SYMBOLS))


def train(
    reader: nn.Module,
    examples: Examples,
    steps: int,
    generator: torch.Generator,
    learning_rate: float = 1e-2,
    batch: int = 64,
) -> None:
    """Adam on the cross-entropy of both answers, with random batches of `examples`."""
    optimizer = torch.optim.Adam(reader.parameters(), lr=learning_rate)
    for _ in range(steps):
        chosen = torch.randint(len(examples.symbols), (batch,), generator=generator)
        some = Examples(*(part[chosen] for part in examples))
        loss = F.cross_entropy(reader(some).flatten(0, 2), some.answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def accuracy(reader: nn.Module, examples: Examples) -> float:
    """Share of the queries for which both answers are right, 0 to 1."""
    right = reader(examples).argmax(dim=-1) == examples.answers
    return right.all(dim=-1).float().mean().item()
