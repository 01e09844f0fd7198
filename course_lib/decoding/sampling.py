"""Sampling: a search that draws each token instead of taking the most likely one."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from .search import Hypothesis, State, Step, greedy


def sampling_distribution(
    log_probabilities: Float[Tensor, "rows vocab_size"],
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Float[Tensor, "rows vocab_size"]:
    """The probabilities that `sample` draws from; each row sums to one.

    `temperature` divides the log probabilities: below 1 it sharpens the distribution. Then only
    the `top_k` most likely tokens are kept, or all if there are fewer, and of those the smallest
    set of most likely ones whose probabilities sum to `top_p` or more (Holtzman et al. 2020).
    Raises ValueError for a temperature of 0 or below, top_k below 1, and top_p outside (0, 1].
    """
    if temperature <= 0:
        raise ValueError(f"temperature = {temperature}: give a positive one, or use `greedy`")
    if (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError(f"top_k = {top_k}, top_p = {top_p}: give top_k ≥ 1 and 0 < top_p ≤ 1")
    # the most likely token at 0: at a tiny temperature all others may become −∞
    log_probabilities = log_probabilities - log_probabilities.amax(dim=-1, keepdim=True)
    temperature = max(temperature, 1e-30)
    ordered, indices = (log_probabilities / temperature).sort(dim=-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -math.inf
    probabilities = torch.softmax(ordered, dim=-1)
    if top_p is not None:
        before = probabilities.cumsum(dim=-1) - probabilities  # of all more likely tokens
        before[:, 0] = -1.0  # which is always kept
        probabilities = probabilities.masked_fill(before >= top_p, 0.0)
        probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)
    return torch.zeros_like(probabilities).scatter(1, indices, probabilities)


def sample(
    step: Step,
    state: State,
    n_rows: int,
    max_length: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
    start: int = 2,
    end: int = 3,
    device: torch.device | str = "cpu",
) -> list[Hypothesis]:
    """Draw each token from `sampling_distribution`; returns one hypothesis per row.

    The score is the model's log probability, without temperature and without truncation.
    """

    def draw(log_probabilities: Tensor) -> Tensor:
        probabilities = sampling_distribution(log_probabilities, temperature, top_k, top_p)
        return torch.multinomial(probabilities, 1, generator=generator)[:, 0]

    return greedy(step, state, n_rows, max_length, start, end, draw, device)
