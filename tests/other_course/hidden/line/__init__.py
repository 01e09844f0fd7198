"""The hidden tests of its assignment."""
