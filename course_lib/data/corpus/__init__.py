"""A corpus of millions of pairs: fetched and tokenized once, kept in shards, read a few at a time."""
