"""The history of a grade: gradings compared, why totals moved, and a student's whole history."""
