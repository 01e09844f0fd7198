"""Losses, optimizers, schedules, training steps on one batch, and the training loop `fit`."""
