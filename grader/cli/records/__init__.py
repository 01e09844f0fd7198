"""Commands for stored grades, and what all grading commands write and print."""
