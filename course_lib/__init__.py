"""The Transformer, component by component: what students of the course import."""

__version__ = "0.14.0"
