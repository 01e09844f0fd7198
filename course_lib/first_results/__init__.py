"""First results: small models of torch's own layers, trained in seconds, before the exercises."""
