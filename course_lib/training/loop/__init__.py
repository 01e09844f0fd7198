"""The parts of `fit`: groups of batches, a step on any device, checkpoints, logs, patience."""
