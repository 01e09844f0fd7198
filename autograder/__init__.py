"""Grading, building and releasing the course: the instructor's side."""
