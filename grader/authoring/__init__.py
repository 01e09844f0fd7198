"""Builds what students get from the library: starters, solutions and the student copy."""
