"""Decks of slides: what the lectures show in class, their first slides, their print."""
