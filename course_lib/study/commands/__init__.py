"""Commands of the hyperparameter study."""
