"""Hidden suites of assignment 2."""
