"""The hidden pytest suites, one folder an assignment, one file an exercise."""
