"""Attention in plain NumPy, forward and backward: the components of assignment 1."""
