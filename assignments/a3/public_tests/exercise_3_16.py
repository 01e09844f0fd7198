"""The visible checks of exercise 3.16: F1, and how sure we are."""

import math

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off


@exercise("3.16")
def test_scores_by_hand(student):
    """Eight sentences: accuracy, precision, recall, F1 and the standard error."""
    got = student.classification_scores([1, 1, 1, 0, 0, 0, 0, 1], [1, 1, 0, 1, 0, 0, 0, 0])
    want = {"accuracy": 5 / 8, "precision": 1 / 2, "recall": 2 / 3, "f1": 4 / 7,
            "standard_error": math.sqrt(15 / 512)}
    expect.equal(sorted(got) if isinstance(got, dict) else got, sorted(want), what="the keys",
                 read="exercise 3.16")
    causes = {"precision": {"this is recall": 2 / 3}, "recall": {"this is precision": 1 / 2},
              "f1": {"the arithmetic mean of precision and recall": 7 / 12,
                     "this is F1 of class 0": 2 * 3 / (2 * 3 + 3)},
              "standard_error": {"this is the variance": 15 / 512, "√n is missing":
                                 math.sqrt(15 / 64)}}
    for key, value in want.items():
        expect.close(got[key], value, what=key, read="exercise 3.16")


@exercise("3.16")
def test_nothing_predicted(student):
    """Without a sentence predicted as positive, precision and F1 are 0, not NaN."""
    got = student.classification_scores([0, 0, 0], [0, 1, 0])
    expect.close([got["precision"], got["recall"], got["f1"]], [0.0, 0.0, 0.0],
                 what="[precision, recall, f1]", otherwise="0/0 counts as 0", read="exercise 3.16")
    expect.raises(lambda: student.classification_scores([1, 0, 1], [1, 0]), mentions=["3", "2"],
                  because="different lengths are accepted", otherwise="name both lengths",
                  read="exercise 3.16")
    expect.raises(lambda: student.classification_scores([], []), because="empty input is accepted",
                  otherwise="a ValueError", read="exercise 3.16")
