"""The library of a course about straight lines."""

__version__ = "1.0"
