"""Checks of a training: its rates, its steps, and whether the model learns."""
