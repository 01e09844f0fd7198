"""Shapes are checked at run time in tests: jaxtyping and beartype watch every component."""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # before numpy and torch: see "Forking with torch"

import pytest
from jaxtyping import install_import_hook

_COMPONENTS = (
    "course_lib.alignment",
    "course_lib.attention",
    "course_lib.attention_analysis",
    "course_lib.attention_bugs",
    "course_lib.attention_figures",
    "course_lib.averaging",
    "course_lib.batch_groups",
    "course_lib.cache",
    "course_lib.checkpoint_average",
    "course_lib.classifier",
    "course_lib.decoder",
    "course_lib.early_stopping",
    "course_lib.embeddings",
    "course_lib.encoder",
    "course_lib.encoder_parity",
    "course_lib.error_signs",
    "course_lib.evaluation",
    "course_lib.fast_decoding",
    "course_lib.fast_dropout",
    "course_lib.fast_forms",
    "course_lib.fast_translation_step",
    "course_lib.feed_forward",
    "course_lib.fused_attention",
    "course_lib.initialization",
    "course_lib.losses",
    "course_lib.masks",
    "course_lib.model_diagnosis",
    "course_lib.multihead_analysis",
    "course_lib.normalization",
    "course_lib.numpy_attention",
    "course_lib.numpy_gradients",
    "course_lib.optimizers",
    "course_lib.perplexity",
    "course_lib.pointer_task",
    "course_lib.position_variants",
    "course_lib.positions",
    "course_lib.relative_attention",
    "course_lib.residual",
    "course_lib.schedules",
    "course_lib.search",
    "course_lib.top_candidates",
    "course_lib.torch_parity",
    "course_lib.training_step",
    "course_lib.transformer",
    "course_lib.translation",
    "course_lib.translation_step",
    "course_lib.width_study",
)
install_import_hook(_COMPONENTS, "beartype.beartype")

from course_lib import syllabus


@pytest.fixture(scope="session")
def course() -> syllabus.Syllabus:
    return syllabus.load()


def pytest_terminal_summary(terminalreporter):
    """The proofs of the grader as a small table, at the end of every run that made some."""
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

    from autograder import judge_process, warm_processes

    with contextlib.ExitStack() as stack:
        warm = {}

        def opener(id):
            if id not in warm:
                warm.update(stack.enter_context(warm_processes.started(course, [id])))
            return judge_process.opener(warm[id], course.assignment(id))

        yield opener
