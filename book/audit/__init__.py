"""The paper page: what the paper states, where the code carries it out, and whether that is so."""
