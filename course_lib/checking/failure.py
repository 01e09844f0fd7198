"""What a failed expectation says."""

from __future__ import annotations


class Failure(AssertionError):
    """A failed expectation, in the four parts that a report shows."""

    def __init__(
        self, expected: str, got: str, cause: str = "", read: str = "", seen: bool = False
    ):
        self.expected, self.got, self.cause, self.read = expected, got, cause, read
        self.seen = seen  # the cause rests on evidence; otherwise it is advice
        lines = [f"expected  {expected}", f"got       {got}"]
        lines += [f"{'likely' if seen else 'advice'}    {cause}"] if cause else []
        lines += [f"read      {read}"] if read else []
        super().__init__("\n".join(lines))
