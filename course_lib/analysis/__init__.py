"""Analysis of trained models: attention, heads, alignment, fair comparisons."""
