"""Reads the record of an exercise, `exercise.toml`, beyond its facts: hints and mistakes."""
