"""Grades: results and their store, manual marks, lateness, totals."""
