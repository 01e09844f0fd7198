"""Hidden suites of assignment 4."""
