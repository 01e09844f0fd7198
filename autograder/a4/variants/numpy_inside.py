"""Style: NumPy for everything that needs no gradient."""

import numpy as np


def error_signs(source, hypothesis, reference, counts, rare=5):
    words, places = np.unique([*hypothesis, *reference], return_inverse=True)
    sign = np.repeat([1, -1], [len(hypothesis), len(reference)])
    extra = np.bincount(places, weights=sign, minlength=len(words)).astype(int)
    array = np.array(hypothesis, dtype=object)
    same = [str(word) for word in array[1:][array[1:] == array[:-1]]]
    return {
        "added": np.repeat(words, np.maximum(extra, 0)).tolist(),
        "dropped": np.repeat(words, np.maximum(-extra, 0)).tolist(),
        "repeated": sorted(set(same)),
        "rare": sorted({word for word in source if not counts.get(word, 0) >= rare}),
    }
