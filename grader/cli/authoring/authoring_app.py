"""Commands that make what students get, and that prove the grader."""

from __future__ import annotations

import typer

from ..options import command
from . import authoring_options as given

authoring_app = typer.Typer()


@command(authoring_app, given.Build)
def build(options: given.Build) -> int:
    """Make starters, solutions and their READMEs from course_lib."""
    from . import build_command

    return build_command.run(options)


@command(authoring_app, given.Release)
def release(options: given.Release) -> int:
    """Make what students get in a week, and prove that nothing hidden is in it."""
    from . import release_command

    return release_command.run(options)


@command(authoring_app, given.Challenge)
def challenge(options: given.Challenge) -> int:
    """Make a broken notebook for a workshop: fix it until all its checks are green."""
    from . import challenge_command

    return challenge_command.run(options)


@command(authoring_app, given.Exam)
def exam(options: given.Exam) -> int:
    """Write what the exam room gets: the coding exam's notebook, its checks, and the library."""
    from . import exam_command

    return exam_command.run(options)


@command(authoring_app, given.Prove)
def prove(options: given.Prove) -> int:
    """Prove the grader: every reference, starter, variant and named bug, in both backends."""
    from . import prove_command

    return prove_command.run(options)


@command(authoring_app, given.Margins)
def margins(options: given.Margins) -> int:
    """Measure how much of each test's tolerance a correct answer uses, on any processor."""
    from . import margins_command

    return margins_command.run(options)
