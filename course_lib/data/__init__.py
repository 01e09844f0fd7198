"""Data sets and their sources, tokenizers, and batches."""
