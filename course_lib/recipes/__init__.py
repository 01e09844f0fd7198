"""Complete training recipes and their named profiles."""
