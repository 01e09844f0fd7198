"""The `course` command. Heavy libraries are imported by the command that needs them."""

import os
import signal
import sys
from pathlib import Path

EXIT_OK, EXIT_FOUND, EXIT_USAGE, EXIT_ISOLATION, EXIT_DISK, EXIT_UNGRADED = range(6)
EXIT_INTERRUPTED = 130

EXIT_CODES = """\
Exit codes: 0 done · 1 a check failed (a test, a proof, a built file that is out of date) ·
2 bad input or usage · 3 too little isolation for untrusted code · 4 the disk is full or not
writable, or a study's database cannot be used · 5 the grader failed on some submissions (run
again: only these are graded) · 130 interrupted (run again: `grade` resumes)."""

INTERRUPTED = "interrupted; what is written is kept: run the command again (`grade` resumes)"


def main() -> None:
    """Run the command line; a user error prints one sentence on stderr, never a traceback.

    SIGTERM and SIGHUP end a command as Ctrl-C does.
    """
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # before torch is imported, or forks may hang
    for output in (sys.stdout, sys.stderr):
        if hasattr(output, "reconfigure"):
            output.reconfigure(errors="replace")  # a terminal without ✓ shows a question mark
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` ignores one of them
            signal.signal(number, signal.default_int_handler)
    try:
        from ..course.course import Course
        from ..course.tree import FILE, root_of
        from . import app  # inside `try`, as Ctrl-C may interrupt the import

        root = root_of(Path.cwd())
        if (root / FILE).is_file():
            sys.path.insert(0, str(root))  # the course's own packages, whatever is installed
            app.add_commands_of(Course.here())
        code = app.app(standalone_mode=False)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception as error:
        from .output import code_and_message, warn

        problem = code_and_message(error)
        if problem is None:
            raise
        code, text = problem
        if text:
            warn(text)
    if code == EXIT_INTERRUPTED:
        print(INTERRUPTED, file=sys.stderr)
    sys.exit(code if isinstance(code, int) else EXIT_OK)
