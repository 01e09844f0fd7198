"""The paper's positions alone, until assignments 2 and 3 are over: others are made of answers."""


def with_positions(model, scheme, max_length=512):
    """The model itself. Raises ValueError for a `scheme` other than "sinusoidal"."""
    if scheme != "sinusoidal":
        raise ValueError(f"positions = {scheme!r} come when the answers to assignment 3 are out")
    return model
