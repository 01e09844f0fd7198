"""The commands of `course bench`."""
