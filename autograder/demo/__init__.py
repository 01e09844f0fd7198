"""The demonstration: a class made from right, wrong and hostile sources."""
