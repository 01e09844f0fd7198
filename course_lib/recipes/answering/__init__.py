"""A small model that learns to answer: text, instructions, preferences, rewards."""
