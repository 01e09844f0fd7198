"""After pre-training: each loss by hand, the texts by rule, and a short way through the stages."""

import itertools
import math
import random

import pytest
import torch

from course_lib.evaluation.attempts import at_least_one
from course_lib.families import answer_losses as losses
from course_lib.recipes.answering import sums
from course_lib.recipes.answering.stages import STAGES, AnsweringProfile, Stages

pytestmark = pytest.mark.usefixtures("without_shape_checks")

IDS = torch.tensor([[2, 5, 3, 4, 1], [2, 3, 1, 0, 0]])
ANSWERED = torch.tensor([[0, 0, 1, 1], [0, 1, 0, 0]], dtype=torch.bool)


def test_the_loss_of_instructions_is_that_of_the_answers_alone():
    logits = torch.randn(6, 6, requires_grad=True)  # of the next token, by the last one alone
    each = losses.log_probabilities(lambda ids: logits[ids], IDS)
    wanted = [logits[a].log_softmax(0)[b] for a, b in ((3, 4), (4, 1), (3, 1))]
    torch.testing.assert_close(losses.instruction_loss(each, ANSWERED), -sum(wanted) / 3)
    torch.testing.assert_close(
        losses.of_answers(each, ANSWERED), torch.stack([wanted[0] + wanted[1], wanted[2]])
    )
    losses.instruction_loss(each, ANSWERED).backward()
    moved = logits.grad.abs().sum(dim=1) > 0
    assert moved.tolist() == [False, False, False, True, True, False]  # none of the question's
    assert losses.instruction_loss(each, ANSWERED & False).item() == 0


def test_an_answer_of_no_probability_elsewhere_costs_nothing():
    """Minus infinity at a token that is not asked for must not become NaN."""
    each = torch.tensor([[-math.inf, -1.0]], requires_grad=True)
    loss = losses.instruction_loss(each, torch.tensor([[False, True]]))
    loss.backward()
    assert (loss.item(), each.grad.tolist()) == (1.0, [[0.0, -1.0]])


def test_the_loss_of_preferences_by_hand():
    now = torch.tensor([-4.0, -6.0], requires_grad=True), torch.tensor([-5.0, -5.0])
    before = torch.tensor([-4.0, -8.0]), torch.tensor([-5.0, -6.0])
    loss = losses.preference_loss(*now, *before, beta=0.5)  # u = 0 and 2 − 1 = 1
    by_hand = (math.log(2) + math.log(1 + math.exp(-0.5))) / 2
    assert loss.item() == pytest.approx(by_hand)
    loss.backward()
    slopes = [-0.5 * 0.5 / 2, -0.5 / (1 + math.exp(0.5)) / 2]  # −β σ(−β u), a mean of two
    assert now[0].grad.tolist() == pytest.approx(slopes)
    shifted = [*(one + 3 for one in now), *before]  # only differences count
    assert losses.preference_loss(*shifted, beta=0.5).item() == pytest.approx(by_hand)


def test_advantages_are_zero_where_all_answers_are_alike():
    found = losses.group_advantages(torch.tensor([[1.0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]]))
    assert found.tolist() == [[0.5, -0.5, -0.5, 0.5], [0] * 4, [-0.25, -0.25, -0.25, 0.75]]


def test_the_expected_gradient_is_that_of_the_expected_reward():
    """Over all pairs of answers that a group may draw, each with its probability."""
    logits = torch.tensor([0.3, -0.2, 0.5], requires_grad=True)
    rewards = torch.tensor([1.0, 0.0, 0.25])
    (exact,) = torch.autograd.grad(-(logits.softmax(0) * rewards).sum(), logits)
    chances, found = logits.softmax(0).detach(), torch.zeros(3)
    for a in range(3):
        for b in range(3):
            advantages = losses.group_advantages(rewards[torch.tensor([[a, b]])]).flatten()
            loss = losses.reward_loss(logits.log_softmax(0)[[a, b]], advantages)
            found += chances[a] * chances[b] * torch.autograd.grad(loss, logits)[0]
    torch.testing.assert_close(found, exact / 2)  # a baseline that has the answer itself: (n − 1)/n


def test_answers_are_right_and_worked_by_rule():
    assert sums.answer((47, 38), worked=True) == "7+8=15, 40+30=70, 70+15=85"
    assert sums.answer((47, 38), worked=False, forgotten=True) == "75"
    for pair in ((47, 38), (99, 99), (10, 10), (64, 7 + 10)):
        for worked in (True, False):
            text = sums.answer(pair, worked)
            assert sums.is_right(pair, text)
            assert sums.is_worked(text) == worked != sums.is_terse(text)
            wrong = sums.answer(pair, worked, forgotten=True)
            assert sums.is_right(pair, wrong) == (pair[0] % 10 + pair[1] % 10 < 10)
    for text in ("", "85.", "85, 85", "7+8=15, 40+30=70, 70+15=", " 85", "47+38=85"):
        assert not sums.is_right((47, 38), text)


def test_text_never_has_a_sum_that_is_held_out():
    seen, held_out = sums.sums(seed=3)
    assert held_out == sums.sums(seed=4)[1]
    assert not set(seen) & set(held_out)
    assert len({*seen, *held_out}) == 90 * 90
    draw = random.Random(0)
    sheets = [sums.sheet(seen[n : n + 3], draw) for n in range(0, 300, 3)]
    assert all(sums.decode(sums.encode(text)) == text for text in sheets)
    assert {(text.count("="), text.count("?")) for text in sheets} == {(3, 0), (9, 3), (0, 3)}


def test_pass_at_k_is_its_mean_over_all_choices():
    for n, right in ((5, 2), (6, 0), (4, 4)):
        answers = [1] * right + [0] * (n - right)
        for k in range(1, n + 1):
            chosen = list(itertools.combinations(answers, k))
            assert at_least_one(n, right, k) == pytest.approx(sum(map(max, chosen)) / len(chosen))
    with pytest.raises(ValueError, match="give 1 ≤ k ≤ n"):
        at_least_one(4, 2, 5)


def test_the_stages_train_one_model_further(monkeypatch):
    """Few steps on few sums: everything runs, and rewards raise what they reward."""
    settings = AnsweringProfile(
        d_model=32,
        n_layers=1,
        text=(8, 48),
        demonstrations=64,
        steps=(2, 90, 2, 12),
        rates=(6e-3, 1e-2, 1e-4, 1e-2),
    )
    stages = Stages(settings, seed=0)
    monkeypatch.setattr(stages, "held_out", stages.held_out[:10])
    for stage in STAGES[:3]:
        getattr(stages, stage)()
    monkeypatch.setattr(stages, "_reward", lambda pair, text: float(text.startswith("1")))
    stages.reward()
    assert stages.rewards[-1] > stages.rewards[0] + 0.1
    score = stages.score(times=4)
    assert set(score) == {"an_answer", "worked", "right", "right_and_worked"}
    assert all(len(counts) == 10 and max(counts) <= 4 for counts in score.values())
    assert 0 <= stages.in_context(2) <= 100
