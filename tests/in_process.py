"""Runs programs and commands in this process, where what they import is imported already.

And reads what a program says of a user's mistake, in whichever process it ran; and calls what a
notebook has defined.
"""

import contextlib
import io
import signal
import subprocess
import sys
from unittest import mock

from typer.testing import CliRunner

from grader.cli.app import app
from grader.seam import Student
from grader.seam.executor import Executor, LocalBackend

HANDLED = (signal.SIGTERM, signal.SIGHUP)


def run(main, *arguments, text=""):
    """What it prints, and its exit code, as `subprocess.run` tells them; `text` is its input."""
    given = [str(argument) for argument in arguments]
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(3)]
    streams[0].write(text)
    streams[0].seek(0)
    code, handlers = 0, [signal.getsignal(number) for number in HANDLED]
    with (
        mock.patch.multiple(sys, argv=["program", *given], path=[*sys.path], stdin=streams[0]),
        contextlib.redirect_stdout(streams[1]),
        contextlib.redirect_stderr(streams[2]),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code
    for number, handler in zip(HANDLED, handlers, strict=True):
        signal.signal(number, handler)
    for stream in streams:
        stream.seek(0)
    return subprocess.CompletedProcess(given, code, streams[1].read(), streams[2].read())


def course(*words):
    """A command of the course, as typer's runner tells it: output, exit code and exception."""
    return CliRunner().invoke(app, [str(word) for word in words])


def printed(*words):
    """What a command of the course prints that does its work."""
    done = course(*words)
    assert done.exit_code == 0, (done.output, done.exception)
    return done.stdout


def one_sentence(done, code, *parts):
    """It ended with this code and a single line of advice that has these parts."""
    assert done.returncode == code, (done.returncode, done.stdout[-800:], done.stderr[-2000:])
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


def student(namespace, unavailable=None):
    """A `Student` whose functions are in this process."""
    return Student(LocalBackend(Executor(namespace, unavailable)))
