"""Runs cells in IPython itself: rows of cells and a probe come as JSON, and so do the values.

A process of its own, as a shell replaces the interpreter's `__main__`.
"""

import json
import sys

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


def value(probe: str, namespace: dict) -> str:
    """The value of an expression, or the kind of exception that it raises."""
    try:
        return repr(eval(probe, namespace))
    except Exception as error:
        return type(error).__name__


def main() -> None:
    found = []
    out, sys.stdout = sys.stdout, sys.stderr
    for cells, probe in json.load(sys.stdin):
        shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        for cell in cells:
            shell.run_cell(cell)
        found.append(value(probe, shell.user_ns))
    print(json.dumps(found), file=out, flush=True)  # Python itself flushes sys.stdout alone


if __name__ == "__main__":
    main()
