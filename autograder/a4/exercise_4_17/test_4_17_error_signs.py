"""Hidden tests of exercise 4.17: words that hint at a mistake."""

from collections import Counter

from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

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
    """By key, the words that each likely mistake would list."""
    right = signs(source, hypothesis, reference, counts, rare)
    neighbours = [a for a, b in zip(hypothesis, hypothesis[1:], strict=False) if a == b]
    as_sets = MISTAKE.signs_as_sets
    exchanged = MISTAKE.signs_exchanged
    return {
        "dropped": {
            exchanged: right["added"],
            as_sets: sorted(set(reference) - set(hypothesis)),
            "list each word as often as it is missing": sorted(set(right["dropped"])),
        },
        "added": {
            exchanged: right["dropped"],
            as_sets: sorted(set(hypothesis) - set(reference)),
            "list each word as often as it is added": sorted(set(right["added"])),
        },
        "repeated": {
            MISTAKE.signs_repeated_anywhere: sorted(
                word for word, n in Counter(hypothesis).items() if n > 1
            ),
            "list a repeated word once": sorted(neighbours),
            "look for repeated words in the hypothesis, not in the reference": signs(
                source, reference, reference, counts
            )["repeated"],
        },
        "rare": {
            MISTAKE.signs_rare_or_equal: sorted(
                {word for word in source if counts.get(word, 0) <= rare}
            ),
            "list a rare word once": sorted(w for w in source if counts.get(w, 0) < rare),
            "`rare` is not used: it is always 5": signs(source, hypothesis, reference, counts)[
                "rare"
            ],
            MISTAKE.signs_unknown_words_lost: sorted(
                {word for word in source if word in counts and counts[word] < rare}
            ),
            "look for rare words in the source, not in the hypothesis": sorted(
                {word for word in hypothesis if counts.get(word, 0) < rare}
            ),
            "look for rare words in the source, not in the reference": sorted(
                {word for word in reference if counts.get(word, 0) < rare}
            ),
            "the words that are not rare": sorted(
                {word for word in source if counts.get(word, 0) >= rare}
            ),
        },
    }


COUNTS = {"the": 900, "dog": 40, "runs": 5, "quickly": 4, "a": 700, "small": 6, "red": 3}
KNOWN = "the small dog runs quickly quickly a"  # each word has a count
UNKNOWN = {
    MISTAKE.signs_key_error: lambda: COUNTS["zebra"],
}


def signs_of(student, source, hypothesis, reference, rare):
    """The student's dict for one sentence."""
    options = {} if rare is None else {"rare": rare}
    words = [text.split() for text in (source, hypothesis, reference)]
    found = student.error_signs(*words, COUNTS, **options)
    expect.true(
        isinstance(found, dict) and set(KEYS) <= set(found),
        expected=f"a dict with {', '.join(KEYS)}",
        got=f"{sorted(found)}" if isinstance(found, dict) else type(found).__name__,
        read=READ,
    )
    return found


def compare(student, keys, cases):
    """Run all (source, hypothesis, reference, rare) before comparing any."""
    made = [signs_of(student, *case) for case in cases]
    inputs = [
        (*(text.split() for text in texts), COUNTS, 5 if rare is None else rare)
        for *texts, rare in cases
    ]
    right, wrong = [signs(*one) for one in inputs], [mistakes(*one) for one in inputs]
    for key in keys:
        found, wanted = [one[key] for one in made], [one[key] for one in right]
        if found == wanted:
            continue
        shown = [name for name in wrong[0][key] if [one[key][name] for one in wrong] == found]
        if (
            all(isinstance(words, list) for words in found)
            and [sorted(map(str, words)) for words in found] == wanted
        ):
            shown = [MISTAKE.signs_unsorted]
        n = next(n for n, words in enumerate(found) if words != wanted[n])
        expect.equal(
            found[n],
            wanted[n],
            because=shown[0] if shown else "",
            otherwise="see the docstring" if isinstance(found[n], list) else "a list of words",
            read=READ,
            what=f"{key} for {' | '.join(cases[n][:3])}",
        )


@exercise("4.17", weight=2)
def test_dropped_and_added(student):
    """Missing and added words are listed with their multiplicity."""
    texts = (
        ("le chien vite vite vite", "le petit chien court le soir"),
        ("un un chat noir", "un chat un chat noir"),
        ("le chien", "le chien"),
        ("", "la la nuit"),
        ("zut alors", ""),
    )
    compare(student, ("dropped", "added"), [(KNOWN, *pair, None) for pair in texts])


@exercise("4.17")
def test_repeated(student):
    """Words that repeat immediately are listed once."""
    texts = ("le le chien et le chat", "a b b b a a c", "un chien un chat", "")
    compare(student, ("repeated",), [(KNOWN, text, "x x y", None) for text in texts])


@exercise("4.17")
def test_rare(student):
    """Source words seen fewer than `rare` times in training are listed once."""
    cases = [(KNOWN, "le chien red", "le zut", rare) for rare in (None, 4, 41)]
    compare(student, ("rare",), cases)


@exercise("4.17", weight=0.5)
def test_never_in_training(student):
    """Words unseen in training are rare."""
    cases = [(f"{KNOWN} zebra", "le chien red", "le zut", rare) for rare in (None, 4)]
    compare(student, ("rare",), cases)
