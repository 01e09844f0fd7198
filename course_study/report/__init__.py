"""The report of a study: one HTML file that needs nothing else, and the same as Markdown."""
