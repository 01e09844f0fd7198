"""Made-up reviews and sentence pairs, whose right answers are known."""
