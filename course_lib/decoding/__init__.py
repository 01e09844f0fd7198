"""From probabilities to sentences: search, the cache, the translator."""
