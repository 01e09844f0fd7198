"""The library's components pass the tests of their exercises, as they are imported.

What is asserted of a component elsewhere is what no exercise asks: speed, other forms, its use.
"""

import importlib

import in_process
import matplotlib.pyplot as plt
import numpy as np
import proofs
import pytest
import torch

from course_lib.analysis.loss_curve import plot_loss
from course_lib.numpy_forms.attention import attention
from course_lib.training.checkpoint_average import averaged
from grader.authoring.proof import cases
from grader.checking import session
from grader.checking.findings import right_form
from grader.judge.suite_run import suite_files
from grader.library.components import Component

# Tests that call a component with what its signature excludes: the watch refuses it before.
BEYOND_SIGNATURES = {
    "a1": "exercise_1_4.py::test_wrong_widths exercise_1_6.py::test_given_axes "
    "test_1_4_attention.py::test_pinned test_1_6_heat_map.py::test_labels",
    "a2": "exercise_2_1.py::test_leading_axes test_2_1_attention.py::test_shapes_and_dtypes "
    "test_2_4_parity.py::test_refused test_2_9_diversity.py::test_maps_of_all_heads",
    "a3": "test_3_16_scores.py::test_values",
    "a4": "exercise_4_9.py::test_next_token exercise_4_9.py::test_nothing_is_recorded",
    "a5": "",
}


@pytest.mark.parametrize("hidden", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("assignment", proofs.COURSE.assignments, ids=lambda one: one.id)
def test_the_library_passes_the_tests_of_its_exercises_with_its_shapes_watched(assignment, hidden):
    components = [Component.parse(c) for e in assignment.exercises for c in e.components]
    modules = [importlib.import_module(one.module) for one in components]
    own = {name: found for module in modules for name, found in vars(module).items()}
    for component, module in zip(components, modules, strict=True):
        own[component.name] = getattr(module, component.name)
    results = session.run(
        assignment,
        in_process.student(own),
        files=suite_files(assignment) if hidden else assignment.public_tests,
        handed_in=cases.handed_in(assignment),
        right=right_form.answers(assignment),
    )
    failed = {result.id: result.message for result in results if result.message}
    beyond = {*BEYOND_SIGNATURES[assignment.id].split()}
    assert failed.keys() == beyond & {result.id for result in results}, failed
    assert all("Type" in message.got for message in failed.values()), failed


# Beside what the exercises ask.


@pytest.mark.filterwarnings("error")
def test_a_query_without_any_key_gives_zeros_and_no_warning():
    rng = np.random.default_rng(3)
    query, key, value = (rng.standard_normal(shape) for shape in ((2, 3, 4), (2, 5, 4), (2, 5, 2)))
    mask = np.ones((2, 3, 5), dtype=bool)
    mask[1, 2] = False
    output, weights = attention(query, key, value, mask)
    assert not output[1, 2].any()
    assert not weights[1, 2].any()
    with pytest.raises(ValueError, match=r"\(3,\s?4\)"):
        attention(query, key, value, mask=np.ones((3, 4), dtype=bool))


def test_the_mean_of_parameters_asks_for_no_gradient():
    assert not averaged([{"w": torch.nn.Parameter(torch.ones(2))}])["w"].requires_grad


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
