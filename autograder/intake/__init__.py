"""What was handed in: found, opened safely, and read once."""
