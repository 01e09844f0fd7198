"""The grader, proven by submissions whose grade is known beforehand; see `claims` and `run`."""
