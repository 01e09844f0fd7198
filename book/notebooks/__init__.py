"""The lectures as notebooks, for whoever wants to change a cell and run it again."""
