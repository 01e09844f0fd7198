"""Hidden tests of exercise 1.3: scaled dot products of every query with every key."""

from grader.checking.question import question

SWAP = "swap only the last two axes of the keys: np.swapaxes(key, -1, -2)"
READ = "§3.2.1, Eq. 1"


@question("1.3", weight=2, advice="QKᵀ/√d_k with d_k = query.shape[-1]", read=READ)
def test_divides_by_root_d_k(its, rng):
    """The dot products are divided by √d_k, where d_k is the width of a key."""
    drawn = {d: (rng.normal(size=(5, d)), rng.normal(size=(7, d))) for d in (9, 2, 1, 12)}
    return {f"scores of width {d}": its.scaled_scores(*pair) for d, pair in drawn.items()}


@question("1.3", weight=2, advice=SWAP, read=READ)
def test_leading_axes(its, rng):
    """Each sequence is scored against its own keys, or against keys that all of them share."""
    shapes = (((2, 3, 5, 4), (2, 3, 6, 4)), ((4, 4, 4), (4, 4, 4)), ((2, 3, 4), (5, 4)))
    return [its.scaled_scores(*(rng.normal(size=shape) for shape in both)) for both in shapes]
