"""The seam between tests and a student's code: one facade, one verb set, two backends.

`facade.Student` is what a test holds; `executor.Executor` runs on the student's side, in the
notebook's own process (`local.LocalBackend`) or in the autograder's sandboxed worker. Both speak
`codec`'s plain data, so a test cannot tell them apart and never touches a student's object.
"""

from .errors import StudentError
from .facade import Handle, Student

__all__ = ["Handle", "Student", "StudentError"]
