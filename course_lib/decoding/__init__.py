"""Decoding: search, the key-value cache, the translator."""
