"""The parts of `fit`: batch groups, steps on any device, checkpoints, logs, early stopping."""
