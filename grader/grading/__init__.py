"""Grades a class: finds what is new, runs judge processes, retries doubtful results."""
