"""Builds the lectures into a book, decks of slides, quizzes and a live page."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]  # of the course
DECKS = "slides"  # the folder of the decks, and the page that lists them
IN_RELEASE = "lectures"  # the folder of the site in what students get
