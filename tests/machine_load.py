"""A busy machine, for tests of what must not depend on its load."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator

A_CORE, MOST, SECONDS = 2, 64, 120

LOOP = f"""\
import time
print("running", flush=True)
end = time.monotonic() + {SECONDS}
while time.monotonic() < end:
    pass
"""


@contextlib.contextmanager
def busy_machine() -> Iterator[None]:
    """Several endless loops for each processor; they end with the block, or after two minutes."""
    count = min(MOST, A_CORE * (os.cpu_count() or 1))
    command = [sys.executable, "-I", "-S", "-c", LOOP]
    with contextlib.ExitStack() as stack:
        for _ in range(count):  # a session each: the kernel may share the processor by session
            process = stack.enter_context(
                subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            process.stdout.readline()  # it runs
        yield
