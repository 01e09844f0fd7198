"""The exception that a failed expectation raises."""

from __future__ import annotations


class Failure(AssertionError):
    """A failed expectation, in the four parts of `messages.Message`."""

    def __init__(
        self, expected: str, got: str, cause: str = "", read: str = "", seen: bool = False
    ):
        self.expected, self.got, self.cause, self.read = expected, got, cause, read
        self.seen = seen  # the answer shows the cause; otherwise `cause` is advice
        lines = [f"expected  {expected}", f"got       {got}"]
        lines += [f"{'likely' if seen else 'advice'}    {cause}"] if cause else []
        lines += [f"read      {read}"] if read else []
        super().__init__("\n".join(lines))
