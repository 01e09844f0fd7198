"""The findings of a run of tests: right answers and likely mistakes."""
