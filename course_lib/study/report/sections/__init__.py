"""The sections of a report, one a module: each a function from the material to a Section."""
