"""Grades after the judge: the results store, marks given by hand, lateness, exports."""
