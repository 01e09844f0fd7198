"""Which sentence and exit code each expected problem gets; anything else is a fault of ours."""

from __future__ import annotations

import errno

import typer

from course_lib.course.syllabus import SyllabusError

from . import EXIT_DISK, EXIT_FOUND, EXIT_INTERRUPTED, EXIT_ISOLATION, EXIT_USAGE


class UsageProblem(Exception):
    """Something a user gave that does not fit; its text is the whole message."""


class IsolationProblem(Exception):
    """This machine offers too little isolation for what was asked."""


class OutputProblem(Exception):
    """A place for results that cannot be written."""


def sentence(error: BaseException) -> tuple[int, str] | None:
    """(exit code, sentence) of a problem that a user can mend; None for anything else."""
    if isinstance(error, typer.Abort):
        return EXIT_INTERRUPTED, ""
    if hasattr(error, "format_message"):  # a usage error of Click's, which Typer carries with it
        told = error.format_message()
        return EXIT_USAGE, f"{told} (add --help to see what there is)" if told else ""
    if isinstance(error, IsolationProblem):
        return EXIT_ISOLATION, str(error)
    if isinstance(error, OutputProblem):
        return EXIT_DISK, str(error)
    if isinstance(error, (UsageProblem, SyllabusError)):
        return EXIT_USAGE, str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        place = f" ({error.filename})" if error.filename else ""
        return EXIT_DISK, f"the disk is full{place}: free some space and run the command again"
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return EXIT_DISK, f"{error.filename}: cannot be written ({error.strerror})"
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith(
        ("course_lib", "autograder")
    ):
        return EXIT_USAGE, (
            f"the package {error.name!r} is not installed here: run `make test` once, "
            "or `pip install -e .[student,instructor]`"
        )
    return _of_ours(error)


def _of_ours(error: BaseException) -> tuple[int, str] | None:
    """Errors of our own modules, looked up by name so that none is imported just to compare."""
    codes = {
        "SubmissionsError": EXIT_USAGE,
        "DataError": EXIT_USAGE,
        "StudyError": EXIT_DISK,
        "BuildError": EXIT_USAGE,
        "BugError": EXIT_USAGE,
        "ManualError": EXIT_USAGE,
        "TrainingFailedError": EXIT_FOUND,
        "InvalidNotebook": EXIT_USAGE,
        "GradebookError": EXIT_DISK,
        "SandboxError": EXIT_ISOLATION,
    }
    code = codes.get(type(error).__name__)
    return (code, str(error)) if code is not None else None
