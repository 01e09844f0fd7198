"""Table 3 as data: counts by formula, by building, and the paper's; scaling; what it costs."""

import dataclasses

import pytest
import torch

from course_lib.data.fixed_length_epochs import FixedLengthEpochs
from course_lib.recipes.replication import Plan
from course_lib.recipes.table2 import CLAIMS
from course_lib.recipes.table3 import ROWS, VOCABULARY, chosen_row, parameter_count, vocabularies
from course_lib.recipes.training_cost import (
    H100,
    attention_flops,
    papers_flops,
    papers_share,
    processor_hours,
    training_flops,
)
from course_lib.training.schedules import warmup_rate
from course_lib.transformer_variants import VariantConfig, VariantTransformer

LISTED = [row for row in ROWS.values() if row.reported.parameters is not None]


def built(model, vocab_size):
    with torch.device("meta"):
        made = VariantTransformer(vocab_size, **model.arguments)
    return sum(parameter.numel() for parameter in made.parameters())


@pytest.mark.parametrize("row", ROWS.values(), ids=list(ROWS))
def test_the_formula_counts_what_is_built(row):
    small = dataclasses.replace(row.model, n_layers=min(row.model.n_layers, 2))
    assert parameter_count(small, 1000) == built(small, 1000)


def test_the_formula_counts_a_pre_norm_model_and_other_values_too():
    model = VariantConfig(2, 24, 3, 40, norm_first=True, d_k=5, d_v=7, learned_positions=9)
    assert parameter_count(model, 50) == built(model, 50)


def test_the_rows_are_those_of_the_paper():
    """Each with the number of lines of its block, and what it changes."""
    assert "".join(name[0] for name in ROWS) == "bAAAABBCCCCCCCDDDDEb"
    base = ROWS["base"].model
    heads = {
        (ROWS[n].model.n_heads, base.d_model // ROWS[n].model.n_heads) for n in ROWS if n[0] == "A"
    }
    assert heads == {(1, 512), (4, 128), (16, 32), (32, 16)}
    changed = {
        name: {
            field.name: getattr(row.model, field.name)
            for field in dataclasses.fields(row.model)
            if getattr(row.model, field.name) != getattr(base, field.name)
        }
        for name, row in ROWS.items()
    }
    assert changed["B1"] == {"d_k": 16}
    assert changed["B2"] == {"d_k": 32}
    assert changed["E"] == {"learned_positions": 512}
    assert changed["big"] == {"d_model": 1024, "d_ff": 4096, "n_heads": 16, "dropout": 0.3}
    assert changed["D3"] == changed["D4"] == {}
    assert [ROWS[n].label_smoothing for n in ("base", "D3", "D4")] == [0.1, 0.0, 0.2]
    assert all(len(fields) == 1 for name, fields in changed.items() if name[0] in "ABC")
    with pytest.raises(ValueError, match="no row 'F': choose one of base, A1,"):
        chosen_row("F")


def test_all_counts_but_that_of_big_are_those_of_one_vocabulary():
    """Of about 41,000 tokens and not 37,000, with which every model is 2 to 5 million smaller."""
    ranges = {row.name: vocabularies(row) for row in LISTED}
    least = max(low for name, (low, _) in ranges.items() if name != "big")
    most = min(high for name, (_, high) in ranges.items() if name != "big")
    assert (least, most) == (40_932, 41_160)
    for row in LISTED:
        with_it = round(parameter_count(row.model, 41_000) / 1e6)
        assert (with_it == row.reported.parameters) == (row.name != "big")
        ours = parameter_count(row.model, VOCABULARY) / 1e6
        missing = row.reported.parameters - ours
        assert -1.3 < missing < 4.2
        low, high = ranges[row.name]
        assert round(parameter_count(row.model, low) / 1e6) == row.reported.parameters
        assert round(parameter_count(row.model, low - 20) / 1e6) < row.reported.parameters
        assert round(parameter_count(row.model, high + 20) / 1e6) > row.reported.parameters
    assert ranges["big"][1] < VOCABULARY < least
    with pytest.raises(ValueError, match="lists no parameters in row A1"):
        vocabularies(ROWS["A1"])


# ---------------------------------------------------------------- a plan


def test_unscaled_the_plan_is_the_papers():
    plan = Plan.of(ROWS["base"])
    assert plan.model == ROWS["base"].model
    assert (plan.batch_tokens, plan.checkpoints, plan.warmup) == (25_000, 72, 4000)
    assert 100_000 <= plan.steps < 100_000 + 72
    model = torch.nn.Linear(1, 1)
    optimizer, schedule = plan.optimizer(model)
    for step in range(1, 4):
        assert optimizer.param_groups[0]["lr"] == pytest.approx(warmup_rate(step, 512, 4000))
        optimizer.step()
        schedule.step()
    big = Plan.of(ROWS["big"])
    assert (big.checkpoints, big.row.averaged) == (504, 20)
    assert 300_000 <= big.steps < 300_000 + 504


def test_scaled_the_shares_and_the_differences_stay():
    plan = Plan.of(ROWS["B1"], scale=8, steps=720)
    wanted = VariantConfig(d_model=64, d_ff=256, d_k=2)
    assert (plan.model, plan.batch_tokens, plan.interval) == (wanted, 3125, 10)
    assert plan.warmup == round(0.04 * 720)
    optimizer, schedule = plan.optimizer(torch.nn.Linear(1, 1))
    rates = []
    for _ in range(100):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    assert max(rates) == pytest.approx(8**0.5 * warmup_rate(4000, 512, 4000))
    assert rates.index(max(rates)) == plan.warmup - 1
    assert Plan.of(ROWS["base"], scale=16, steps=30).checkpoints == 30  # not more than steps
    assert Plan.of(ROWS["E"], scale=4).steps >= 25_000
    assert Plan.of(ROWS["E"], steps=720, warmup=99).warmup == 99


@pytest.mark.parametrize(
    ("name", "how", "told"),
    [
        ("A4", {"scale": 32}, "the width of a head = 16 cannot be divided by 32"),
        ("B1", {"scale": 3}, "d_model = 512 cannot be divided by 3: give --scale 1, 2"),
        ("base", {"scale": 0}, "cannot be divided by 0"),
        ("big", {"steps": 19}, "19 steps of 1 batches: .* at least 20 steps"),
        ("base", {"accumulate": 0}, "of 0 batches: give at least 1"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(name, how, told):
    with pytest.raises(ValueError, match=told):
        Plan.of(ROWS[name], **how)


# ---------------------------------------------------------------- stretches


class Letters:
    """Batches whose order changes with the epoch."""

    epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return 5

    def __iter__(self):
        return iter(f"{self.epoch}{letter}" for letter in "abcde")


def test_epochs_of_one_length_follow_each_other_through_the_datas_own_epochs():
    epochs, found = FixedLengthEpochs(Letters(), 3), []
    for number in range(4):
        epochs.set_epoch(number)
        assert len(epochs) == 3
        found += list(epochs)
    assert found == "0a 0b 0c 0d 0e 1a 1b 1c 1d 1e 2a 2b".split()
    long = FixedLengthEpochs(Letters(), 12)
    assert list(long) == found
    epochs.set_epoch(2)  # entered directly, as by a resumed training
    assert list(epochs) == found[6:9]
    with pytest.raises(ValueError, match="5 batches cut into stretches of 0: give at least one"):
        FixedLengthEpochs(Letters(), 0)
    with pytest.raises(ValueError, match="0 batches cut into stretches of 3"):
        FixedLengthEpochs([], 3)


# ---------------------------------------------------------------- costs


def test_a_trainings_operations_are_those_of_its_products():
    """Counted product by product, for each token of the source and of the target."""
    row, vocabulary, n = ROWS["B1"], 32_000, 25
    model = row.model
    d, h, d_k, d_v, d_ff = model.d_model, model.n_heads, 16, 64, model.d_ff
    project = 2 * d * h * d_k + 2 * d * h * d_v
    encoder = project + 2 * d * d_ff + n * h * (d_k + d_v)
    decoder = 2 * project + 2 * d * d_ff + 2 * n * h * (d_k + d_v)
    products = 6 * (encoder + decoder) + vocabulary * d
    counted = 3 * 2 * products * 25_000 * row.steps
    assert training_flops(row, vocabulary) == pytest.approx(counted, rel=0.003)  # biases, norms
    assert attention_flops(model, 1e6, 50) == 2 * attention_flops(model, 1e6, 25)


def test_the_papers_own_estimates_are_those_of_its_table_2():
    assert papers_flops(ROWS["base"]) == pytest.approx(3.3e18, rel=0.01)
    assert papers_flops(ROWS["big"]) == pytest.approx(2.3e19, rel=0.01)
    for claim in CLAIMS.values():
        assert 0.2 < papers_share(ROWS[claim.row], claim.vocab_size) < 0.6


def test_hours_follow_from_speed_and_share():
    assert processor_hours(3600 * H100.peak, H100) == pytest.approx(1 / H100.share)
    half = dataclasses.replace(H100, share=H100.share / 2)
    assert processor_hours(1e18, half) == pytest.approx(2 * processor_hours(1e18, H100))
