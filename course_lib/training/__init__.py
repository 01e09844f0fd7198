"""Losses, optimizers, schedules, the step on one batch, and `fit`, the loop that repeats it."""
