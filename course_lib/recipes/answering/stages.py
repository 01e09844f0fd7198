"""Four stages of one model, each from where the one before left it.

stages = Stages(AnsweringProfile(), seed=0)
for stage in (stages.pretrain, stages.instruct, stages.prefer, stages.reward):
    stage()
    print(stages.score())
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...data.batching import pad
from ...decoding.generate import generate
from ...evaluation_mode import evaluating
from ...families import answer_losses as losses
from ...families.language_model import LanguageModel
from ...fast.forms import fast_model
from ...training.language_losses import language_loss
from ...training.update import update
from ..profiles import linear_rate
from . import sums
from .sums import Sum

STAGES = ("pretrain", "instruct", "prefer", "reward")


@dataclass(frozen=True)
class AnsweringProfile:
    """The sizes of the model; of each stage its data, steps and highest learning rate."""

    d_model: int = 64
    n_layers: int = 3
    n_heads: int = 4
    text: tuple[int, int] = (16, 96)  # rows and tokens of a batch of text
    demonstrations: int = 512
    compared: int = 512  # questions to which the model gives two answers, for people to compare
    beta: float = 0.5
    asked: int = 32  # questions of a step that learns from rewards
    group: int = 8  # answers to each of them
    steps: tuple[int, int, int, int] = (2500, 100, 25, 60)
    rates: tuple[float, float, float, float] = (6e-3, 1e-3, 1e-4, 5e-4)
    longest: int = 32  # tokens of an answer


class Stages:
    """A model and what was done to it: `model` is what it is now, `rewards` what it has earned."""

    def __init__(self, settings: AnsweringProfile, seed: int) -> None:
        self.settings, self.draw = settings, random.Random(seed)
        self.generator = torch.Generator().manual_seed(seed)
        self.seen, self.held_out = sums.sums(seed)
        self.rewards: list[float] = []  # the mean of each step of `reward`
        torch.manual_seed(seed)
        self.model = fast_model(
            LanguageModel,
            len(sums.VOCABULARY),
            n_layers=settings.n_layers,
            d_model=settings.d_model,
            n_heads=settings.n_heads,
            d_ff=4 * settings.d_model,
            dropout=0.0,
            positions="rotary",
        )

    def pretrain(self) -> None:
        """Read text: every token is predicted from those before it."""
        rows, n = self.settings.text

        def each() -> Iterator[Tensor]:
            left: list[int] = []
            while True:
                while len(left) < rows * n:
                    sheet = sums.sheet(self.draw.sample(self.seen, sums.SHEET), self.draw)
                    left += sums.encode(sheet)
                block, left = left[: rows * n], left[rows * n :]
                yield language_loss(self.model, torch.tensor(block).view(rows, n))[0]

        self._train("pretrain", each())

    def instruct(self) -> None:
        """Imitate answers in the chat template, of which half show the work; all are right."""
        shown = self.seen[: self.settings.demonstrations]
        written = [sums.answer(pair, worked=n % 2 == 0) for n, pair in enumerate(shown)]
        batch = conversations(shown, [[*sums.encode(text), sums.END] for text in written])

        def each() -> Iterator[Tensor]:
            while True:
                ids, answered = self._some(batch, 64)
                predicted = losses.log_probabilities(self.model, ids)
                yield losses.instruction_loss(predicted, answered)

        self._train("instruct", each())

    def prefer(self) -> None:
        """Learn from pairs of its own answers: people prefer to see the work, and trust it.

        Pairs of which both or neither show the work decide nothing and are left out. Raises
        ValueError if no pair is left.
        """
        asked = self.draw.sample(self.seen, self.settings.compared)
        pairs = [
            (pair, *sorted(two, key=lambda one: not sums.is_worked(finished(one))))
            for pair, *two in zip(asked, self.answers(asked), self.answers(asked), strict=True)
            if len({sums.is_worked(finished(one)) for one in two}) == 2
        ]
        if not pairs:
            raise ValueError("all answers are in one manner: instruct the model first")
        questions, *answers = zip(*pairs, strict=True)  # the liked one comes first
        sides = [conversations(questions, given) for given in answers]
        with torch.no_grad():
            before = [self._log_probability(*side) for side in sides]

        def each() -> Iterator[Tensor]:
            while True:
                some = self._some((*sides[0], *sides[1], *before), 32)
                yield losses.preference_loss(
                    self._log_probability(*some[:2]),
                    self._log_probability(*some[2:4]),
                    *(some[4], some[5], self.settings.beta),
                )

        self._train("prefer", each())

    def reward(self) -> None:
        """Draw groups of answers, and reinforce those that show the work and are right."""

        def each() -> Iterator[Tensor]:
            while True:
                asked = self.draw.sample(self.seen, self.settings.asked)
                asked = [pair for pair in asked for _ in range(self.settings.group)]
                drawn = self.answers(asked)
                texts = list(map(finished, drawn))
                earned = torch.tensor(list(map(self._reward, asked, texts)))
                self.rewards.append(earned.mean().item())
                advantages = losses.group_advantages(earned.view(-1, self.settings.group))
                answers = self._log_probability(*conversations(asked, drawn))
                yield losses.reward_loss(answers, advantages.flatten())

        self._train("reward", each())

    @staticmethod
    def _reward(pair: Sum, text: str) -> float:
        return float(sums.is_worked(text) and sums.is_right(pair, text))

    def answers(self, asked: Sequence[Sum]) -> list[list[int]]:
        """An answer to each question, drawn from the model, with its end token if it has ended."""
        found = self._written([sums.prompt(pair) for pair in asked], sums.END)
        return [[*one, sums.END] if len(one) < self.settings.longest else one for one in found]

    def in_context(self, examples: int) -> float:
        """Percent of held-out sums that are right in plain text, after so many worked examples."""
        shown = [self.draw.sample(self.seen, examples) for _ in self.held_out]
        texts = [
            "".join(sums.line(one, "worked", self.draw) for one in some) + sums.question(pair) + " "
            for some, pair in zip(shown, self.held_out, strict=True)
        ]
        found = self._written(list(map(sums.encode, texts)), sums.encode(".")[0])
        right = map(sums.is_right, self.held_out, map(sums.decode, found))
        return 100 * sum(right) / len(found)

    def _written(self, prompts: Sequence[Sequence[int]], end: int) -> list[list[int]]:
        with evaluating(self.model):
            return generate(
                *(self.model, prompts, self.settings.longest), end=end, generator=self.generator
            )

    def score(self, times: int = 8) -> dict[str, list[int]]:
        """How many of `times` answers to each held-out sum are answers, worked, right, and both."""
        asked = [pair for pair in self.held_out for _ in range(times)]
        found: dict[str, list[int]] = {}
        for pair, text in zip(asked, map(finished, self.answers(asked)), strict=True):
            worked, right = sums.is_worked(text), sums.is_right(pair, text)
            marks = {"an_answer": worked or sums.is_terse(text), "worked": worked, "right": right}
            for name, mark in {**marks, "right_and_worked": worked and right}.items():
                found.setdefault(name, []).append(int(mark))
        return {
            name: [sum(each[n : n + times]) for n in range(0, len(each), times)]
            for name, each in found.items()
        }

    def _log_probability(self, ids: Tensor, answered: Tensor) -> Tensor:
        return losses.of_answers(losses.log_probabilities(self.model, ids), answered)

    def _some(self, tensors: Sequence[Tensor], n: int) -> list[Tensor]:
        """The same random rows of each tensor."""
        rows = torch.randperm(len(tensors[0]), generator=self.generator)[:n]
        return [tensor[rows] for tensor in tensors]

    def _train(self, stage: str, each: Iterator[Tensor]) -> None:
        number = STAGES.index(stage)
        n_steps, rate = self.settings.steps[number], self.settings.rates[number]
        warmup_steps = max(1, n_steps // 10)
        optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, betas=(0.9, 0.98))
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimizer, lambda done: linear_rate(done + 1, n_steps, warmup_steps)
        )
        self.model.train()
        for _ in range(n_steps):
            update(self.model, next(each), optimizer, schedule)


def finished(answer: Sequence[int]) -> str:
    """The text of an answer; nothing if it has not ended."""
    return sums.decode(answer[:-1]) if answer and answer[-1] == sums.END else ""


def conversations(asked: Sequence[Sum], answers: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """`(token_ids, answered)`: padded rows, and which predicted tokens belong to the answers."""
    prompts = [sums.prompt(pair) for pair in asked]
    ids = pad([[*p, *a] for p, a in zip(prompts, answers, strict=True)], sums.PAD)
    places = torch.arange(1, ids.shape[1])
    begin = torch.tensor(list(map(len, prompts)))[:, None]
    end = begin + torch.tensor(list(map(len, answers)))[:, None]
    return ids, (places >= begin) & (places < end)
