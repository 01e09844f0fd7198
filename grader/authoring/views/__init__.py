"""Views of the one implementation: starters, solutions, set-up cells, hints, handouts."""
