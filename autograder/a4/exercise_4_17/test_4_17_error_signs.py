"""Hidden tests of exercise 4.17: words that hint at a mistake."""

from functools import partial

from grader.checking.question import question

ask = partial(question, "4.17", read="the docstring of 4.17")
COUNTS = {"the": 900, "dog": 40, "runs": 5, "quickly": 4, "a": 700, "small": 6, "red": 3}
KNOWN = "the quickly dog runs quickly a small red a".split()  # each word has a count


@ask(weight=2, advice="each word as often as it is missing, sorted")
def test_dropped_and_added(its):
    """Missing and added words are listed with their multiplicity."""
    texts = (
        ("le chien vite vite vite", "le petit chien court le soir"),
        ("un un chat noir", "un chat un chat noir"),
        ("le chien", "le chien"),
        ("", "la la nuit"),
        ("zut alors", ""),
    )
    return {
        f"{sign} in `{made}` for `{wanted}`": found[sign]
        for made, wanted in texts
        for found in [its.error_signs(KNOWN, made.split(), wanted.split(), COUNTS)]
        for sign in ("dropped", "added")
    }


@ask(advice="compare each word of the hypothesis with the next")
def test_repeated(its):
    """Words that repeat immediately are listed once."""
    return {
        f"repeated in `{made}`": its.error_signs(KNOWN, made.split(), [*"xxy"], COUNTS)["repeated"]
        for made in ("le le chien et le chat", "a b b b a a c", "un chien un chat", "")
    }


@ask(weight=1.5, advice="words seen fewer than `rare` times, once each: `counts.get(word, 0)`")
def test_rare(its):
    """Source words seen fewer than `rare` times, or never; `counts` stays as it is."""
    counts, words = its.make("dict(counts)", counts=COUNTS), [*KNOWN, "zebra"]
    return {
        f"rare words with {options or 'rare=5'}": its.error_signs(
            words, ["red"], ["zut"], counts, **options
        )["rare"]
        for options in ({}, {"rare": 4}, {"rare": 41})
    } | {"words in `counts` afterwards": len(counts.get())}
