"""Finding what is wrong with a model."""
