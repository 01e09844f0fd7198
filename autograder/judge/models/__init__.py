"""Scoring a trained model by what it predicts again."""
