"""The seam between tests and a student's code: one facade, one verb set, two backends.

Tests use `facade.Student`. `executor.Executor` runs on the student's side, either in the notebook's
own process (`executor.LocalBackend`) or in the autograder's sandboxed worker. Both exchange
`codec`'s plain data, so a test runs the same way through either and never touches a student's
object.
"""

from .errors import StudentError
from .facade import Handle, Student

__all__ = ["Handle", "Student", "StudentError"]
