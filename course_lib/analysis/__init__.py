"""What a trained model does: attention, heads, alignment, fair comparisons."""
