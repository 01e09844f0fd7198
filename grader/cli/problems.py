"""The message and exit code of each expected problem; anything else is a bug of ours."""

from __future__ import annotations

import errno

import typer

from grader.course.course_file import CourseError

from . import EXIT_DISK, EXIT_FOUND, EXIT_INTERRUPTED, EXIT_ISOLATION, EXIT_USAGE


class UsageProblem(Exception):
    """The user's input is wrong; its text is the whole message."""


class IsolationProblem(Exception):
    """This machine offers too little isolation for what was asked."""


class OutputProblem(Exception):
    """The results cannot be written."""


def sentence(error: BaseException) -> tuple[int, str] | None:
    """(exit code, message) of a problem that a user can solve; None for anything else."""
    if isinstance(error, typer.Abort):
        return EXIT_INTERRUPTED, ""
    if hasattr(error, "format_message"):  # a usage error of Click, which Typer bundles
        text = error.format_message()
        return EXIT_USAGE, f"{text} (add --help to see what there is)" if text else ""
    if isinstance(error, IsolationProblem):
        return EXIT_ISOLATION, str(error)
    if isinstance(error, OutputProblem):
        return EXIT_DISK, str(error)
    if isinstance(error, (UsageProblem, CourseError)):
        return EXIT_USAGE, str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        path = f" ({error.filename})" if error.filename else ""
        return EXIT_DISK, f"the disk is full{path}: free some space and run the command again"
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return EXIT_DISK, f"{error.filename}: cannot be written ({error.strerror})"
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith(
        ("course_lib", "grader", "autograder", "book", "bench")
    ):
        return EXIT_USAGE, (
            f"the package {error.name!r} is not installed here: run `make test` once, "
            "or `pip install -e .[student,instructor]`"
        )
    return _of_ours(error)


def _of_ours(error: BaseException) -> tuple[int, str] | None:
    """Errors of our own modules, looked up by name to avoid importing the modules."""
    codes = {
        "SubmissionsError": EXIT_USAGE,
        "DataError": EXIT_USAGE,
        "SetupError": EXIT_USAGE,
        "StudyError": EXIT_DISK,
        "BuildError": EXIT_USAGE,
        "SourceError": EXIT_USAGE,
        "SuiteError": EXIT_USAGE,
        "SiteError": EXIT_FOUND,
        "QuizError": EXIT_USAGE,
        "LeakError": EXIT_FOUND,
        "ReleaseError": EXIT_USAGE,
        "FallbackError": EXIT_USAGE,
        "BugError": EXIT_USAGE,
        "CsvError": EXIT_USAGE,
        "TrainingFailedError": EXIT_FOUND,
        "InvalidNotebook": EXIT_USAGE,
        "GradebookError": EXIT_DISK,
        "NbgraderError": EXIT_USAGE,
        "SandboxError": EXIT_ISOLATION,
        "ClusterError": EXIT_USAGE,
    }
    code = codes.get(type(error).__name__)
    return (code, str(error)) if code is not None else None
