"""Benchmarks that train models and record how well they learn."""
