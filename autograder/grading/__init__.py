"""Grading a class: what is new, who grades it, what is tried again."""
