"""Evaluation metrics: accuracy, BLEU, perplexity, and their uncertainty."""
