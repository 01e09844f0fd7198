"""The hyperparameter study: its space, its trials, their statistics, and what it recommends."""
