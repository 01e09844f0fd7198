"""Losses of the stages after pre-training: of answers, of preferences, of rewards.

Each takes log probabilities that `log_probabilities` reads from a model.
"""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F


def log_probabilities(
    model: Any, token_ids: Int[Tensor, "batch n"]
) -> Float[Tensor, "batch n_predicted"]:
    """The log probability of every token after the first, from those before it, in nats."""
    predicted = torch.log_softmax(model(token_ids[:, :-1]), dim=-1)
    return predicted.gather(-1, token_ids[:, 1:, None])[..., 0]


def of_answers(
    each: Float[Tensor, "batch n_predicted"], answered: Bool[Tensor, "batch n_predicted"]
) -> Float[Tensor, " batch"]:
    """The log probability of each answer: the sum over the tokens where `answered` is True."""
    return each.masked_fill(~answered, 0.0).sum(dim=1)


def instruction_loss(
    each: Float[Tensor, "batch n_predicted"], answered: Bool[Tensor, "batch n_predicted"]
) -> Float[Tensor, ""]:
    """The mean cross-entropy of the tokens of answers; questions and padding cost nothing."""
    return -of_answers(each, answered).sum() / answered.sum().clamp(min=1)


def preference_loss(
    preferred: Float[Tensor, " pairs"],
    other: Float[Tensor, " pairs"],
    preferred_before: Float[Tensor, " pairs"],
    other_before: Float[Tensor, " pairs"],
    beta: float = 0.1,
) -> Float[Tensor, ""]:
    """The loss of direct preference optimization (Rafailov et al. 2023, Eq. 7).

    The log probabilities of both answers to a prompt, by the model and by the one it began as.
    """
    gained = (preferred - preferred_before) - (other - other_before)
    return -F.logsigmoid(beta * gained).mean()


def group_advantages(rewards: Float[Tensor, "groups size"]) -> Float[Tensor, "groups size"]:
    """How much better each answer is than the others to its question: the reward less their mean.

    GRPO (Shao et al. 2024) divides by the group's standard deviation as well, which gives questions
    that are nearly always or nearly never answered right more weight.
    """
    return rewards - rewards.mean(dim=1, keepdim=True)


def reward_loss(
    answers: Float[Tensor, " answers"], advantages: Float[Tensor, " answers"]
) -> Float[Tensor, ""]:
    """A loss with the gradient of REINFORCE: its value means nothing, and falls with nothing.

    `answers` are the log probabilities of answers that were drawn from this very model.
    """
    return -(advantages.detach() * answers).mean()
