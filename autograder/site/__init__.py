"""The course site: the lectures as a book and as slides, made from the same files."""
