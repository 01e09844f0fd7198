"""Hidden suites of assignment 3."""
