"""Measured comparisons: two things in one run, written to `results/NAME.json`."""
