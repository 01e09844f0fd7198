"""An explorer of attention weights in a notebook: words, heads and layers, by mouse or keyboard."""
