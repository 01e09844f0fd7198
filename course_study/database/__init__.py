"""Where trials are kept and who runs them: an Optuna database, its workers, its table."""
