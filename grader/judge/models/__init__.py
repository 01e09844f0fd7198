"""Scores trained models by running them again on hidden data."""
