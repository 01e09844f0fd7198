"""Losses, optimizers, schedules, steps, and the loop that runs them."""
