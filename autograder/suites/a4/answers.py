"""How the hidden tests of assignment 4 write weights into a whole model."""

MATRIX = "embedding.tokens.weight"


def write_in(module, state):
    """Load `state`, the pinned names' values, into a Transformer on the student's side.

    A second name of the shared matrix, such as that of a tied linear layer, is allowed.
    """
    more = {n: value for n, value in module.state_dict().items() if n not in state}
    matrix = state[MATRIX]
    same = {name: matrix for name, value in more.items() if value.shape == matrix.shape}
    module.load_state_dict(more | state | same)
