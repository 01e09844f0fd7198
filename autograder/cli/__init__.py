"""The `course` command. Heavy libraries are imported by the command that needs them."""

from __future__ import annotations

import os
import sys

EXIT_OK, EXIT_FOUND, EXIT_USAGE, EXIT_ISOLATION, EXIT_DISK, EXIT_UNGRADED = range(6)
EXIT_INTERRUPTED = 130

EXIT_CODES = """\
Exit codes: 0 done · 1 something is wrong with what was examined (a drift, a failing check) ·
2 bad input or usage · 3 too little isolation for untrusted code · 4 the disk is full or cannot be
written, or a study's database cannot be used · 5 the grader failed on some submissions (run
again: only these are graded) · 130 interrupted (run again: `grade` resumes)."""


INTERRUPTED = "interrupted; what was finished is kept, run the command again to go on"


def main() -> None:
    """Run the command line; a user's mistake is one sentence on stderr, never a traceback."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # before torch is imported, or forks may hang
    try:
        from . import app  # Ctrl-C may come while it is imported

        code = app.app(standalone_mode=False)
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except Exception as error:
        from .problems import sentence

        told = sentence(error)
        if told is None:
            raise
        code, text = told
        if text:
            print(text, file=sys.stderr)
    if code == EXIT_INTERRUPTED:
        print(INTERRUPTED, file=sys.stderr)
    sys.exit(code if isinstance(code, int) else EXIT_OK)
