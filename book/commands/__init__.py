"""The commands of `course site`."""
