"""How good a model is: accuracy, BLEU, perplexity, and how sure that is."""
