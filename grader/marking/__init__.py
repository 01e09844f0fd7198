"""Marks written answers in a browser on this machine: `course mark`."""
