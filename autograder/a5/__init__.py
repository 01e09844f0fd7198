"""Hidden suites of assignment 5."""
