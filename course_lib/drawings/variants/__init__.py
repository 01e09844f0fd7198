"""Drawings of layers that the paper does not have: gates, grouped queries, adapters."""
