"""Placeholders for text that students write: the build inserts them, the grader strips them."""

PREDICTION = "*Your prediction, before you run the cell.*"
WRITTEN = "*Write your answer here.*"
