"""Quizzes: questions with feedback, one TOML file a lecture part, shown in four forms."""
