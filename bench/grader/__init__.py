"""Benchmarks of the grader and of the site."""
