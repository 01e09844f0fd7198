"""Drawings of the course's central ideas: SVG made by code, for light and dark pages."""
