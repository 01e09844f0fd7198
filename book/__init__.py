"""Builds the lectures into a book, decks of slides, quizzes and a live page."""
