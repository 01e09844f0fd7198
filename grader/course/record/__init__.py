"""What the record of an exercise, `exercise.toml`, has beside its facts: hints and mistakes."""
