"""Products by oneDNN give what torch's usual library gives, gradients included."""

import subprocess
import sys
import time

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.fast import products
from course_lib.fast.loss import projected_loss
from course_lib.fast.products import FastLinear, add_transposed_times, linear
from course_lib.training.losses import label_smoothed_loss

needs_onednn = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN"
)


@pytest.fixture
def by_onednn(monkeypatch):
    """Every product of this processor by oneDNN, however small; the shapes of those that were."""
    shapes, suits = [], products._suits

    def noted(x, weight):
        found = suits(x, weight)
        shapes.extend([(tuple(x.shape), tuple(weight.shape))] if found else [])
        return found

    monkeypatch.setattr(products, "onednn_is_faster", lambda: True)
    monkeypatch.setattr(products, "SMALL", 1)
    monkeypatch.setattr(products, "_suits", noted)
    return shapes


def with_gradients(function, *tensors):
    leaves = [None if t is None else t.detach().clone().requires_grad_() for t in tensors]
    value = function(*leaves)
    value.square().sum().backward()
    return [value, *(leaf.grad for leaf in leaves if leaf is not None)]


@needs_onednn
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(7, 5), (2, 3, 5), (0, 5), (1, 5)])
@pytest.mark.parametrize("n_out", [3, 9])
def test_a_linear_layer_and_its_gradients(by_onednn, shape, n_out, bias):
    torch.manual_seed(0)
    x, weight = torch.randn(shape), torch.randn(n_out, 5)
    offset = torch.randn(n_out) if bias else None
    found, wanted = (with_gradients(of, x, weight, offset) for of in (linear, F.linear))
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)
    assert bool(by_onednn) == bool(x.numel())  # nothing is multiplied of an empty batch


@needs_onednn
def test_tensors_that_are_transposed_in_memory(by_onednn):
    torch.manual_seed(0)
    x, weight = torch.randn(5, 7).T, torch.randn(5, 4).T
    torch.testing.assert_close(linear(x, weight), F.linear(x, weight), atol=1e-5, rtol=1e-4)
    total, other = torch.ones(5, 4), torch.randn(4, 7).T
    add_transposed_times(total, x, other)
    torch.testing.assert_close(total, 1 + x.T @ other, atol=1e-5, rtol=1e-4)
    assert by_onednn


@needs_onednn
def test_the_gradient_of_a_sum_takes_no_longer_than_others(by_onednn):
    """It is one row, repeated without being written; 200 times as long if oneDNN gets it so."""

    x, weight = (torch.randn(n, 64, requires_grad=True) for n in (600, 1000))

    def seconds(reduce):
        y = reduce(linear(x, weight))
        started = time.process_time()
        y.backward()
        return time.process_time() - started

    others = max(seconds(torch.var) for _ in range(3))
    assert min(seconds(torch.sum) for _ in range(3)) < 20 * others
    by_x, by_weight = torch.autograd.grad(linear(x, weight).sum(), (x, weight))
    torch.testing.assert_close(by_x, weight.sum(0).expand(600, 64), atol=1e-3, rtol=1e-4)
    torch.testing.assert_close(by_weight, x.sum(0).expand(1000, 64), atol=1e-3, rtol=1e-4)


MANY_SHAPES = """
import torch
from course_lib.fast.products import linear

def mebibytes():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20

def step(rows):
    x, weight = (torch.randn(n, 128, requires_grad=True) for n in (rows, 512))
    linear(x, weight).square().mean().backward()

for _ in range(5):
    step(1000)
before = mebibytes()
for rows in range(500, 1000, 5):
    step(rows)
print(mebibytes() - before)
"""


@pytest.mark.skipif(not products.onednn_is_faster(), reason="here products are torch's")
def test_batches_of_many_shapes_take_little_memory():
    """oneDNN prepares a program for each: 540 MiB for these without blocks, if it may keep all."""
    grown = subprocess.run(
        [sys.executable, "-c", MANY_SHAPES], check=True, capture_output=True, text=True
    ).stdout
    assert float(grown) < 200


@needs_onednn
def test_a_loss_by_parts_of_the_logits(by_onednn, monkeypatch):
    monkeypatch.setattr("course_lib.fast.loss.ROWS", 4)
    torch.manual_seed(0)
    x, words, targets = torch.randn(2, 5, 8), torch.randn(11, 8), torch.randint(0, 11, (2, 5))
    found = with_gradients(lambda x, w: projected_loss(x, w, targets)[0], x, words)
    wanted = with_gradients(lambda x, w: label_smoothed_loss(x @ w.T, targets), x, words)
    assert by_onednn
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-4)


def test_half_precision_small_products_and_other_types_are_torchs(by_onednn, monkeypatch):
    layer, x = FastLinear(4, 3), torch.randn(2, 4)
    with torch.autocast("cpu", torch.bfloat16):
        assert layer(x).dtype == torch.bfloat16
    assert layer.double()(x.double()).dtype == torch.float64
    monkeypatch.setattr(products, "SMALL", 2 * 4 * 3 + 1)
    layer.float()(x)
    assert not by_onednn


def test_a_fast_layer_has_the_parameters_of_the_other():
    layer, fast = nn.Linear(4, 3), FastLinear(4, 3)
    fast.load_state_dict(layer.state_dict())
    x = torch.randn(2, 4)
    torch.testing.assert_close(fast(x), layer(x))
