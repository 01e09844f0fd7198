"""Drawings of a training step: what fits into memory, and into 16 bits."""
