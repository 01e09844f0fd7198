"""Assignment 4's measurements: the recipe, averages, perplexity, signs, widths."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import cross_entropy

from course_lib.analysis.width_study import width_study
from course_lib.evaluation.error_signs import error_signs
from course_lib.evaluation.perplexity import perplexity
from course_lib.evaluation.translation import paired_bootstrap
from course_lib.training.checkpoint_average import averaged
from course_lib.training.optimizers import paper_optimizer
from course_lib.training.schedules import WarmupSchedule
from course_lib.transformer import Transformer


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


# The recipe.


@pytest.mark.parametrize(("d_model", "warmup_steps"), [(16, 1), (16, 5), (512, 4000)])
def test_the_recipe_trains_as_adam_with_the_schedule_of_assignment_3(d_model, warmup_steps):
    weight, x = torch.randn(3, 4, generator=generator()), torch.randn(7, 4, generator=generator(1))
    trained = []
    for make in (paper_optimizer, None):
        model = nn.Linear(4, 3, bias=False)
        model.load_state_dict({"weight": weight})
        if make is not None:
            optimizer, schedule = make(model, d_model, warmup_steps)
        else:
            optimizer = torch.optim.Adam(model.parameters(), 1.0, betas=(0.9, 0.98), eps=1e-9)
            schedule = WarmupSchedule(optimizer, d_model, warmup_steps)
        rates = []
        for _ in range(12):
            optimizer.zero_grad()
            model(x).square().sum().backward()
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        trained.append((model.weight.detach().clone(), rates))
    assert trained[0][1] == pytest.approx(trained[1][1], rel=1e-12)
    torch.testing.assert_close(trained[0][0], trained[1][0])
    assert trained[0][1][0] == pytest.approx(d_model**-0.5 * warmup_steps**-1.5)
    assert not torch.equal(trained[0][0], weight)


@pytest.mark.parametrize("warmup_steps", [0, -4])
def test_a_recipe_without_warmup_is_refused(warmup_steps):
    with pytest.raises(ValueError, match=f"warmup_steps = {warmup_steps}"):
        paper_optimizer(nn.Linear(1, 1), 16, warmup_steps)


# The mean of checkpoints.


def test_the_mean_of_states_by_hand_and_its_tensors_are_new():
    states = [{"w": torch.tensor([[1.0, -2.0]]), "b": torch.tensor([0.5])}]
    states += [{"w": torch.tensor([[4.0, 2.0]]), "b": torch.tensor([0.1])}]
    states += [{"w": torch.tensor([[7.0, 3.0]]), "b": torch.tensor([0.3])}]
    before = [{name: tensor.clone() for name, tensor in state.items()} for state in states]
    mean = averaged(states)
    torch.testing.assert_close(mean["w"], torch.tensor([[4.0, 1.0]]))
    torch.testing.assert_close(mean["b"], torch.tensor([0.3]))
    mean["w"].zero_()
    for state, old in zip(states, before, strict=True):
        assert all(torch.equal(state[name], old[name]) for name in old)


def test_the_mean_of_models_loads_into_one():
    models = [Transformer(9, 1, 8, 2, 8) for _ in range(3)]
    mean = averaged([model.state_dict() for model in models])
    model = Transformer(9, 1, 8, 2, 8)
    model.load_state_dict(mean)
    for name, parameter in model.named_parameters():
        every = [dict(m.named_parameters())[name].detach() for m in models]
        torch.testing.assert_close(parameter.detach(), sum(every) / 3)


def test_the_mean_of_parameters_asks_for_no_gradient():
    assert not averaged([{"w": nn.Parameter(torch.ones(2))}])["w"].requires_grad


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([], "no checkpoint"),
        ([{"a": torch.ones(1)}, {"a": torch.ones(1), "b": torch.ones(1)}], "only some .* b"),
        ([{"a": torch.ones(1), "b": torch.ones(1)}, {"a": torch.ones(1)}], "only some .* b"),
    ],
)
def test_states_without_a_mean_are_refused(states, told):
    with pytest.raises(ValueError, match=told):
        averaged(states)


# Perplexity.


def batches_of(n_batches, seed):
    """Pairs of random length, padded; the last token of every target is real."""
    draw = generator(seed)

    def tokens(batch, n):
        ids = torch.randint(4, 12, (batch, n), generator=draw)
        lengths = torch.randint(2, n + 1, (batch, 1), generator=draw)
        return ids.masked_fill(torch.arange(n) >= lengths, 0)

    return [(tokens(1 + i, 4), tokens(1 + i, 3 + 2 * i)) for i in range(n_batches)]


@pytest.mark.parametrize("seed", range(3))
def test_perplexity_is_that_of_torchs_cross_entropy_over_all_tokens(seed):
    torch.manual_seed(seed)
    model, batches = Transformer(12, 1, 8, 2, 8, dropout=0.4), batches_of(3, seed)
    model.eval()
    with torch.no_grad():
        logits = [model(source, target[:, :-1])[0].flatten(0, 1) for source, target in batches]
    wanted = torch.cat([target[:, 1:].flatten() for _, target in batches])
    loss = cross_entropy(torch.cat(logits), wanted, ignore_index=0)
    assert perplexity(model, batches) == pytest.approx(math.exp(loss), rel=1e-5)
    each = [perplexity(model, [batch]) for batch in batches]
    assert abs(perplexity(model, batches) - sum(each) / 3) > 1e-3  # it is no mean of means
    model.train()
    assert perplexity(model, iter(batches)) == pytest.approx(math.exp(loss), rel=1e-5)
    assert model.training


def test_perplexity_of_equal_odds_is_the_size_of_the_vocabulary():
    model = Transformer(12, 1, 8, 2, 8)
    nn.init.zeros_(model.embedding.tokens.weight)  # every score is 0
    assert perplexity(model, batches_of(2, 0)) == pytest.approx(12, rel=1e-5)


@pytest.mark.parametrize("batches", [[], [(torch.ones(1, 2).long(), torch.tensor([[2, 0, 0]]))]])
def test_perplexity_of_nothing_is_refused(batches):
    with pytest.raises(ValueError, match="no token to predict"):
        perplexity(Transformer(12, 1, 8, 2, 8), batches)


# Signs of mistakes.

words = st.lists(st.sampled_from("abcde"), max_size=8)


def test_signs_by_hand():
    source, reference = "a dog chases a ferret".split(), "un petit chien chasse un furet".split()
    hypothesis = "un chien chasse un chat chat".split()
    found = error_signs(source, hypothesis, reference, {"a": 9, "dog": 6, "chases": 5})
    assert found == {
        "dropped": ["furet", "petit"],
        "added": ["chat", "chat"],
        "repeated": ["chat"],
        "rare": ["ferret"],
    }
    assert error_signs(source, [], [], {"a": 9, "dog": 6}, rare=9)["rare"] == [
        "chases",
        "dog",
        "ferret",
    ]


@given(words, words)
def test_signs_turn_a_hypothesis_into_its_reference(hypothesis, reference):
    found = error_signs([], hypothesis, reference, {})
    assert sorted([*hypothesis, *found["dropped"]]) == sorted([*reference, *found["added"]])
    assert not set(found["dropped"]) & set(found["added"])
    back = error_signs([], reference, hypothesis, {})
    assert (back["added"], back["dropped"]) == (found["dropped"], found["added"])


@given(words)
def test_a_right_translation_lacks_nothing(sentence):
    found = error_signs(sentence, sentence, sentence, dict.fromkeys(sentence, 5))
    assert (found["dropped"], found["added"], found["rare"]) == ([], [], [])
    assert found["repeated"] == sorted({w for w in sentence if w * 2 in "".join(sentence)})


# Widths and penalties.

REFERENCES = [f"la {noun} est dans le jardin ." for noun in ("chatte", "balle", "fille", "table")]


class Translator:
    """The wider, the better; it keeps what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, width, length_penalty):
        self.asked.append((width, length_penalty))
        right = min(width + int(2 * length_penalty), 4)
        return [r if i < right else r.replace("dans le", "au") for i, r in enumerate(REFERENCES)]


def test_a_study_has_greedy_first_and_then_every_width_with_every_penalty():
    translate = Translator()
    rows = width_study(translate, REFERENCES, [3, 2], [0.5, 0.0], samples=50)
    wanted = [(1, 0.0), (3, 0.5), (3, 0.0), (2, 0.5), (2, 0.0)]
    assert [(row["width"], row["length_penalty"]) for row in rows] == wanted
    assert translate.asked == wanted  # each once
    assert (rows[0]["difference"], rows[0]["low"], rows[0]["high"]) == (0, 0, 0)
    greedy = translate(1, 0.0)
    for row, setting in zip(rows, wanted, strict=True):
        compared = paired_bootstrap(translate(*setting), greedy, REFERENCES, 50)
        assert (row["low"], row["high"]) == compared.interval
        assert row["bleu"] == compared.first
        assert row["difference"] == pytest.approx(row["bleu"] - rows[0]["bleu"])
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["sentences_per_second"] > 0
    assert rows[1]["bleu"] == pytest.approx(100)


def test_a_study_with_greedy_among_its_widths_is_refused_before_it_translates():
    translate = Translator()
    with pytest.raises(ValueError, match="leave it out"):
        width_study(translate, REFERENCES, [2, 1], [0.0])
    assert translate.asked == []
