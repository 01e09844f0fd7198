"""Grammars that generate reviews and sentence pairs with known labels and translations."""
