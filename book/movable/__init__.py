"""Figures that a reader moves: the library computes every frame, a small script shows one."""
