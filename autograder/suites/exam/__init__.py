"""The hidden tests of the coding exam; those of tasks 1 and 2 are assignment 2's and 3's."""
