"""The figures of a report: each a function from data to a Figure whose artists tests read."""
