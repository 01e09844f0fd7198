"""Shared fixtures; jaxtyping and beartype check the shapes of every component at run time."""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before numpy and torch: see "Forking with torch"

import pytest
from jaxtyping import install_import_hook

_COMPONENTS = (
    "course_lib.analysis.attention_alignment",
    "course_lib.attention",
    "course_lib.analysis.attention_properties",
    "course_lib.analysis.separating_input",
    "course_lib.analysis.heat_maps",
    "course_lib.training.running_average",
    "course_lib.training.loop.batch_groups",
    "course_lib.decoding.cache",
    "course_lib.training.checkpoint_average",
    "course_lib.classifier",
    "course_lib.decoder",
    "course_lib.training.loop.early_stopping",
    "course_lib.embeddings",
    "course_lib.encoder",
    "course_lib.analysis.torch_encoder",
    "course_lib.evaluation.error_signs",
    "course_lib.evaluation.classification",
    "course_lib.fast.cached_decoder",
    "course_lib.fast.dropout",
    "course_lib.fast.forms",
    "course_lib.training.fast_translation_step",
    "course_lib.feed_forward",
    "course_lib.fast.attention",
    "course_lib.initialization",
    "course_lib.training.losses",
    "course_lib.masks",
    "course_lib.diagnosis.diagnose",
    "course_lib.analysis.heads",
    "course_lib.normalization",
    "course_lib.numpy_forms.attention",
    "course_lib.numpy_forms.gradients",
    "course_lib.training.optimizers",
    "course_lib.evaluation.perplexity",
    "course_lib.analysis.one_head_or_many",
    "course_lib.analysis.position_variants",
    "course_lib.positions",
    "course_lib.analysis.relative_attention",
    "course_lib.residual",
    "course_lib.training.schedules",
    "course_lib.decoding.search",
    "course_lib.fast.top_k",
    "course_lib.analysis.torch_attention",
    "course_lib.training.classification_step",
    "course_lib.transformer",
    "course_lib.decoding.translator",
    "course_lib.training.translation_step",
    "course_lib.analysis.width_study",
)
install_import_hook(_COMPONENTS, "beartype.beartype")

from course_lib.course import syllabus

# Files with tests of a minute start first, so that none runs alone at the end.
LONG = (
    *("test_student_run", "test_weather", "test_bench", "test_cli", "test_word_alignment"),
    *("test_study_processes", "test_study_postgresql"),
)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem not in LONG)


@pytest.fixture(scope="session")
def course() -> syllabus.Syllabus:
    return syllabus.load()


def pytest_terminal_summary(terminalreporter):
    """Print the proofs of the grader as a table, after a run that included some."""
    from autograder.proof import summary

    rows = {}
    for report in (r for reports in terminalreporter.stats.values() for r in reports):
        for name, value in getattr(report, "user_properties", ()):
            if name == "proven" and report.when == "call":
                summary.count(rows, *value)
    if rows:
        terminalreporter.section("the grader, proven")
    for line in summary.lines(rows):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def sandbox(course):
    """For an assignment, what opens sandboxed workers; each warm process is started once."""
    import contextlib

    from autograder.grading import judge_process, warm_processes

    with contextlib.ExitStack() as stack:
        warm = {}

        def opener(id):
            if id not in warm:
                warm.update(stack.enter_context(warm_processes.started(course, [id])))
            return judge_process.opener(warm[id], course.assignment(id))

        yield opener
