"""Similar work: what two students wrote compared, for the instructor alone."""
