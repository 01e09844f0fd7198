"""A corpus of millions of pairs: tokenized once, kept in shards, read a few at a time."""
