"""Grades for what an instructor already has: learning platforms, CI, data tools, Gradescope."""
