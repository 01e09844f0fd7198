"""The code explorer: every component's source, found from the drawing of the architecture."""
