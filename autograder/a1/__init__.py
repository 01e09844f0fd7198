"""Hidden suites of assignment 1."""
