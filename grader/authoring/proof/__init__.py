"""Proves the grader with submissions whose grade is known; see `claims` and `run`."""
