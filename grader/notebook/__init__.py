"""Reads a submitted notebook: its cells, code and written answers."""
