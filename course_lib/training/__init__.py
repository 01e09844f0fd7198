"""Losses, schedules, steps; the training loop `plain.train`, and `fit` for long trainings."""
