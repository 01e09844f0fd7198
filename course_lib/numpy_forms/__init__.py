"""Attention in plain NumPy, forward and backward: what assignment 1 writes."""
