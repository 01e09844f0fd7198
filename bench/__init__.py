"""Benchmarks and training runs whose measurements are written to `results/NAME.json`."""
