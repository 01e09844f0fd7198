"""The messages of commands, and the exit code of each expected problem: all else is our own bug."""

import errno
import json
import sys

import typer

from ..course.problem import Problem
from ..course.tree import is_own
from ..course.visible import visible, visible_json
from . import EXIT_DISK, EXIT_INTERRUPTED, EXIT_ISOLATION, EXIT_USAGE


def say(text: object) -> None:
    print(visible(str(text)))


def warn(text: object) -> None:
    print(visible(str(text)), file=sys.stderr)


def say_json(value: object) -> None:
    """Print a value for another program; a character that the output has not is escaped."""
    text, encoding = visible_json(value), sys.stdout.encoding or "utf-8"
    there = text.encode(encoding, "ignore").decode(encoding) == text
    print(text if there else json.dumps(value))


class UsageProblem(Problem):
    """The user's input is wrong; its text is the whole message."""


class IsolationProblem(Problem):
    """This machine offers too little isolation for what was asked."""

    exit_code = EXIT_ISOLATION


class OutputProblem(Problem):
    """The results cannot be written."""

    exit_code = EXIT_DISK


def code_and_message(error: BaseException) -> tuple[int, str] | None:
    """(exit code, message) of a problem that a user can solve; None for anything else."""
    if isinstance(error, typer.Abort):
        return EXIT_INTERRUPTED, ""
    if hasattr(error, "format_message"):  # a usage error of Click, which Typer bundles
        text = error.format_message()
        return EXIT_USAGE, f"{text} (--help lists all commands and options)" if text else ""
    if (code := getattr(error, "exit_code", None)) is not None:  # the course's own have one too
        return code, str(error)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        path = f" ({error.filename})" if error.filename else ""
        return EXIT_DISK, f"the disk is full{path}: free some space and run the command again"
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
        return EXIT_DISK, f"{error.filename}: cannot be written ({error.strerror})"
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return EXIT_USAGE, f"{error.filename}: a file is where a folder must be: give another place"
    if isinstance(error, ModuleNotFoundError) and not is_own(error.name or ""):
        return EXIT_USAGE, (
            f"the package {error.name!r} is not installed here: run `make test` once, "
            "or `pip install -e .[student,instructor]`"
        )
    return None
