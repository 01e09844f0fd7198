"""A release: the folder that students get in a week, checked to contain nothing hidden."""
