"""Reads a submitted notebook: its cells, code, written answers, and forbidden names."""
