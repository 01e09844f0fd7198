"""The meaning of exceptions that a student's code raises, in words for the student."""
