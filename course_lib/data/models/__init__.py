"""Models that others trained: their files from the first source that can be reached."""
