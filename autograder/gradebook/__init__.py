"""Grades: what a result is, the store of them, marks given by hand, lateness, exports."""
