"""Faster forms of the components, each equal to the readable one to rounding."""
