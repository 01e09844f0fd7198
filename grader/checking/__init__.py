"""Public checks: what a student sees while working. `check("A1.4")` in a notebook."""
