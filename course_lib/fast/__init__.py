"""Fast equivalents of the components, equal to the readable ones up to rounding."""
