"""The judge's side of the sandbox: starts workers and sends them requests."""
