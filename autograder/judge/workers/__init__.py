"""The judge's side of the sandbox: where workers come from, and how they are asked."""
