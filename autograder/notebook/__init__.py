"""A submitted notebook: its cells, statements, answers, and what it may not use."""
