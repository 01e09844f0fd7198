"""The warm-up of the paper: its formula, its peak, torch's scheduler; and the linear rate."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.recipes.profiles import linear_rate
from course_lib.training.schedules import WarmupSchedule, warmup_rate


def schedule(base=1.0, d_model=64, warmup_steps=4):
    parameter = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([parameter], lr=base)
    return optimizer, WarmupSchedule(optimizer, d_model, warmup_steps)


def test_rates_of_written_in_steps():
    # d_model 64: 1/8 before the minimum; 4 warm-up steps: 4^-1.5 = 1/8.
    wanted = {1: 1 / 64, 2: 2 / 64, 4: 1 / 16, 16: 1 / 32, 64: 1 / 64}
    assert {step: warmup_rate(step, 64, 4) for step in wanted} == pytest.approx(wanted)


@given(st.integers(1, 1000), st.integers(1, 2048), st.integers(1, 300))
def test_the_peak_is_at_the_end_of_the_warm_up(step, d_model, warmup_steps):
    peak = warmup_rate(warmup_steps, d_model, warmup_steps)
    assert peak == pytest.approx((d_model * warmup_steps) ** -0.5)
    assert warmup_rate(step, d_model, warmup_steps) <= peak * (1 + 1e-12)
    if step < warmup_steps:
        assert warmup_rate(step, d_model, warmup_steps) == pytest.approx(peak * step / warmup_steps)


def test_base_model_peaks_at_7e_4():
    assert warmup_rate(4000, 512) == pytest.approx(6.99e-4, rel=1e-3)


@pytest.mark.parametrize("step", [0, -3])
def test_there_is_no_step_before_the_first(step):
    with pytest.raises(ValueError, match=f"step {step}: the first step is 1"):
        warmup_rate(step, 64)


def test_the_scheduler_gives_the_first_step_the_first_rate_times_the_base():
    optimizer, warmup = schedule(base=2.0)
    seen = []
    for _ in range(8):
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        warmup.step()
    assert seen == pytest.approx([2 * warmup_rate(n, 64, 4) for n in range(1, 9)])
    assert warmup.get_last_lr() == pytest.approx([2 * warmup_rate(9, 64, 4)])


def test_a_saved_schedule_goes_on():
    optimizer, warmup = schedule()
    for _ in range(5):
        optimizer.step()
        warmup.step()
    other_optimizer, other = schedule()
    other.load_state_dict(warmup.state_dict())
    other_optimizer.load_state_dict(optimizer.state_dict())
    for one, two in ((optimizer, warmup), (other_optimizer, other)):
        one.step()
        two.step()
    assert other_optimizer.param_groups[0]["lr"] == optimizer.param_groups[0]["lr"]


def test_the_linear_rate_of_written_in_steps():
    wanted = [1 / 2, 1, 1, 3 / 4, 2 / 4, 1 / 4, 0, 0]  # six steps, two of warm-up
    assert [linear_rate(step, 6, 2) for step in range(1, 9)] == pytest.approx(wanted)
    assert linear_rate(1, n_steps=1, warmup_steps=1) == 1


@given(st.integers(1, 300), st.data())
def test_the_linear_rate_rises_to_the_end_of_the_warm_up_and_falls_to_nothing(n_steps, data):
    warmup_steps = data.draw(st.integers(1, n_steps))
    rates = [linear_rate(step, n_steps, warmup_steps) for step in range(1, n_steps + 2)]
    assert rates[warmup_steps - 1] == max(rates) == 1
    assert rates[:warmup_steps] == sorted(rates[:warmup_steps])
    assert rates[warmup_steps:] == sorted(rates[warmup_steps:], reverse=True)
    assert min(rates[:-1]) > 0
    assert rates[-1] == 0
