"""Hidden tests of exercise 4.17: words that hint at a mistake."""

from collections import Counter

from autograder.suites.a3.answers import answered
from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.checking.expect import Failure

READ = "the docstring of 4.17"
KEYS = ("dropped", "added", "repeated", "rare")


def signs(source, hypothesis, reference, counts, rare=5):
    made, wanted = Counter(hypothesis), Counter(reference)
    return {
        "dropped": sorted((wanted - made).elements()),
        "added": sorted((made - wanted).elements()),
        "repeated": sorted({a for a, b in zip(hypothesis, hypothesis[1:], strict=False) if a == b}),
        "rare": sorted({word for word in source if counts.get(word, 0) < rare}),
    }


def mistakes(source, hypothesis, reference, counts, rare):
    """By key, what each likely mistake would have told."""
    right = signs(source, hypothesis, reference, counts, rare)
    neighbours = [a for a, b in zip(hypothesis, hypothesis[1:], strict=False) if a == b]
    as_sets = "a word that is missing twice is told twice: count the words, sets do not"
    exchanged = "dropped and added have changed places: dropped is what the hypothesis lacks"
    return {
        "dropped": {
            exchanged: right["added"],
            as_sets: sorted(set(reference) - set(hypothesis)),
            "each word is told as often as it is missing": sorted(set(right["dropped"])),
        },
        "added": {
            exchanged: right["dropped"],
            as_sets: sorted(set(hypothesis) - set(reference)),
            "each word is told as often as it is too much": sorted(set(right["added"])),
        },
        "repeated": {
            "only neighbours count: a word may well stand twice in a sentence": sorted(
                word for word, n in Counter(hypothesis).items() if n > 1
            ),
            "a repeated word is told once": sorted(neighbours),
            "repeated are words of the hypothesis, not of the reference": signs(
                source, reference, reference, counts
            )["repeated"],
        },
        "rare": {
            "fewer than `rare` times: one that training had just as often is not rare": sorted(
                {word for word in source if counts.get(word, 0) <= rare}
            ),
            "a rare word is told once": sorted(w for w in source if counts.get(w, 0) < rare),
            "`rare` is not used: it is always 5": signs(source, hypothesis, reference, counts)[
                "rare"
            ],
            "a word that training never had is the rarest of all": sorted(
                {word for word in source if word in counts and counts[word] < rare}
            ),
            "rare are words of the source, not of the hypothesis": sorted(
                {word for word in hypothesis if counts.get(word, 0) < rare}
            ),
            "rare are words of the source, not of the reference": sorted(
                {word for word in reference if counts.get(word, 0) < rare}
            ),
            "the words that are not rare": sorted(
                {word for word in source if counts.get(word, 0) >= rare}
            ),
        },
    }


def compare(student, keys, source, hypothesis, reference, counts, rare=None):
    options = {} if rare is None else {"rare": rare}
    rare = rare or 5
    args = [text.split() for text in (source, hypothesis, reference)]
    found = answered(
        lambda: student.error_signs(*args, counts, **options),
        "`counts` lacks what training never had: `counts.get(word, 0)`",
        READ,
    )
    expect.true(
        isinstance(found, dict) and set(KEYS) <= set(found),
        expected=f"a dict with {', '.join(KEYS)}",
        got=f"{sorted(found)}" if isinstance(found, dict) else type(found).__name__,
        read=READ,
    )
    right, wrong = signs(*args, counts, rare), mistakes(*args, counts, rare)
    for key in keys:
        told = found[key]
        if told == right[key]:
            continue
        seen = next((name for name, words in wrong[key].items() if told == words), "")
        if not seen and isinstance(told, list) and sorted(map(str, told)) == right[key]:
            seen = "the words are not in alphabetical order"
        hint = "a list of words" if not isinstance(told, list) else "see the docstring"
        raise Failure(f"{key} = {right[key]}", repr(told)[:200], seen or hint, READ, bool(seen))


COUNTS = {"the": 900, "dog": 40, "runs": 5, "quickly": 4, "a": 700, "small": 6, "red": 3}
SOURCE = "the small dog runs quickly quickly a zebra"


@exercise("4.17", weight=2)
def test_dropped_and_added(student):
    """What is missing and what is too much, as often as it is."""
    for hypothesis, reference in (
        ("le chien vite vite vite", "le petit chien court le soir"),
        ("un un chat noir", "un chat un chat noir"),
        ("le chien", "le chien"),
        ("", "la la nuit"),
        ("zut alors", ""),
    ):
        compare(student, ("dropped", "added"), SOURCE, hypothesis, reference, COUNTS)


@exercise("4.17")
def test_repeated(student):
    """Words that stand next to themselves, told once."""
    for hypothesis in ("le le chien et le chat", "a b b b a a c", "un chien un chat", ""):
        compare(student, ("repeated",), SOURCE, hypothesis, "x x y", COUNTS)


@exercise("4.17")
def test_rare(student):
    """Words of the source that training had less often than `rare`, told once."""
    for rare in (None, 4, 41):
        compare(student, ("rare",), SOURCE, "le chien red", "le zut", COUNTS, rare)
