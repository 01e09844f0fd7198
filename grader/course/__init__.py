"""The course's data model: assignments, exercises, and submissions."""
