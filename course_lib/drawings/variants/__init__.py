"""Drawings of lectures: the machine in steps, later layers and models, decoding, batches."""
