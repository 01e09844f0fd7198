"""The command line of the `student` program; each command is in the module it imports."""

import argparse
import errno
import importlib
import json
import os
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ..course.problem import Problem
from . import tree
from .tree import missing_package

if TYPE_CHECKING:
    from ..course.course_facts import StudentCommand

EXIT_OK, EXIT_FOUND, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = """\
Exit codes: 0 done, nothing wrong · 1 done, but a check fails or something is open ·
2 not done: bad input, a wrong folder, a missing package, a full disk · 130 interrupted."""


def main(arguments: list[str] | None = None) -> None:
    """Run a command; a problem prints one sentence on stderr, never a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")  # a terminal without ✓ shows a question mark
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        code = _run(given)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
        print("interrupted", file=sys.stderr)
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = EXIT_OK
    except Exception as error:
        code = EXIT_USAGE
        print(_sentence(error), file=sys.stderr)
    sys.exit(code)


def _run(given: list[str]) -> int:
    options = _parser().parse_args(given)
    code = tree.elsewhere(given)
    return code if code is not None else int(options.run(options))


def _sentence(error: Exception) -> str:
    """The message of an expected problem. Anything else is raised: it is a bug of ours."""
    if isinstance(error, Problem) or hasattr(error, "exit_code"):
        return str(error)
    if isinstance(error, ImportError) and error.name:
        return missing_package(error.name)
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space and run the command again"
    raise error


class _Parser(argparse.ArgumentParser):
    """Its complaints are one sentence, as all others are."""

    def error(self, message: str) -> NoReturn:
        raise Problem(f"{message} (for example `student check a1`; --help lists all commands)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="student", description="Your work on the course.", epilog=EXIT_CODES)
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND")

    command = commands.add_parser("check", help="run the visible tests on a saved notebook")
    _assignment(command, "default: all that you have begun and not finished")
    command.add_argument(
        "--full", action="store_true", help="hidden tests too, if this folder has them"
    )
    command.set_defaults(run=_check)

    command = commands.add_parser("progress", help="show what is done and what is left")
    command.set_defaults(run=_progress)

    command = commands.add_parser("debug", help="diagnose a model that does not learn")
    command.add_argument(
        "notebook", nargs="?", type=Path, help="with a model, or a3; default: example faults"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=_debug)

    command = commands.add_parser(
        "submit", help="make and try the archive to submit, and say what the grader will see"
    )
    _assignment(command)
    command.add_argument("--to", type=Path, metavar="FILE", help="default: aN.zip in this folder")
    command.set_defaults(run=_submit)
    for name, own in _own_commands().items():
        command = commands.add_parser(name, help=own.help)
        module = importlib.import_module(own.module)
        module.add_arguments(command)
        command.set_defaults(run=partial(_own, module, own.assignment))
    return parser


def _own_commands() -> "dict[str, StudentCommand]":
    """The course's own commands, but for those whose module comes with a later assignment."""
    try:
        from ..course.course import Course
        from ..course.course_file import is_here

        named = Course.here().facts.student_commands
    except Exception as error:  # the command that is run tells it
        _sentence(error)
        return {}
    return {name: own for name, own in named.items() if is_here(own.module)}


def _own(module: Any, assignment: str, options: argparse.Namespace) -> int:
    from ..course.course import Course
    from .work import Notebooks

    code: int = module.run(options, Notebooks(Course.here().assignment(assignment)))
    return code


def _assignment(command: argparse.ArgumentParser, without: str = "") -> None:
    said = f"a1, a2, …{f'; {without}' if without else ''}"
    command.add_argument("assignment", nargs="?", help=said)
    command.add_argument(
        "notebook", nargs="?", type=Path, help="default: aN.ipynb here or in assignments/aN"
    )


def _check(options: argparse.Namespace) -> int:
    from . import check

    if options.assignment or options.full:
        passed = check.run(_chosen(options), options.notebook, options.full)
    else:
        passed = check.run_open()
    return EXIT_OK if passed else EXIT_FOUND


def _progress(options: argparse.Namespace) -> int:
    from . import progress

    print(progress.progress())
    return EXIT_OK


def _debug(options: argparse.Namespace) -> int:
    from . import debug

    if options.notebook is None:
        table = debug.of_known_faults()
        if options.json:
            listed = {fault: [asdict(check) for check in found] for fault, found in table.items()}
            print(json.dumps(listed))
            return EXIT_OK
        print("What the checklist finds in models with one known fault each:\n")
        for fault, found in table.items():
            wrong = ", ".join(check.name for check in found if check.ok is False)
            print(f"{fault:<24} {wrong or 'nothing is wrong'}")
        print("\nName a notebook to check your own model.")
        return EXIT_OK
    checks = debug.of_notebook(options.notebook)
    if options.json:
        print(json.dumps([asdict(check) for check in checks]))
    else:
        print(*checks, sep="\n")
        failed = sum(check.ok is False for check in checks)
        if failed > 1:
            print("Begin with the first that is wrong: it may explain the others.")
        if failed:
            print("In the lectures, “Questions that everybody asks” starts from what you see.")
    return EXIT_FOUND if any(check.ok is False for check in checks) else EXIT_OK


def _submit(options: argparse.Namespace) -> int:
    from . import submit

    clean = submit.run(_chosen(options), options.notebook, options.to)
    return EXIT_OK if clean else EXIT_FOUND


def _chosen(options: argparse.Namespace):  # type: ignore[no-untyped-def]
    from ..course.course import Course

    if not options.assignment:
        flag = " --full" if getattr(options, "full", False) else ""
        raise Problem(f"which assignment? For example `student {options.command} a1{flag}`")
    if options.assignment.endswith(".ipynb"):
        raise Problem(
            f"{options.assignment}: the assignment comes before its file, as in "
            f"`student {options.command} a1 {options.assignment}`"
        )
    there = {one.id: one for one in Course.here().notebooks if one.public_tests}
    if options.assignment not in there:
        raise Problem(
            f"this course folder has no {options.assignment}: it has {', '.join(there)}; a new "
            "release may have more"
        )
    return there[options.assignment]
