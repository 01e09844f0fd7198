"""A release: the tree that students get in a week, proven to hold nothing they should not have."""
