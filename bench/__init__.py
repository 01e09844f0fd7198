"""Benchmarks and training runs whose measurements are written to `results/NAME.json`."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]  # of the course
