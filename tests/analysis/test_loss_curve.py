"""The loss of every step, and its running mean in front."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_lib.analysis.loss_curve import plot_loss


@pytest.fixture
def ax():
    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def test_a_point_of_the_mean_stands_where_its_last_loss_does(ax):
    losses = np.arange(1.0, 31.0)
    plot_loss(ax, losses, "--", "copy")
    raw, mean = ax.lines
    np.testing.assert_array_equal(raw.get_xydata(), np.stack([np.arange(1, 31), losses], 1))
    np.testing.assert_array_equal(mean.get_xdata(), np.arange(20, 31))
    np.testing.assert_allclose(mean.get_ydata(), losses[19:] - 9.5)
    assert raw.get_alpha() < 0.5 < mean.get_linewidth() > raw.get_linewidth()
    assert raw.get_color() == mean.get_color()
    assert [text.get_text() for text in ax.legend().get_texts()] == ["copy"]


def test_a_short_training_has_its_raw_losses_only(ax):
    plot_loss(ax, [3.0, 2.0, 1.0])
    raw, mean = ax.lines
    assert len(raw.get_xdata()) == 3
    assert len(mean.get_xdata()) == 0
