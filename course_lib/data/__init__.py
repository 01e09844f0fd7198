"""Data sets from several sources, tokenizers, and batches."""
