"""Builds the lectures into a book, decks of slides, quizzes and a live page."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]  # of the course
