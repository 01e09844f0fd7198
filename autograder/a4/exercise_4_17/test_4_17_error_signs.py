"""Hidden tests of exercise 4.17: words that hint at a mistake."""

from functools import partial

from grader.checking.question import question

READ = "the docstring of 4.17"
ask = partial(question, "4.17", read=READ)
COUNTS = {"the": 900, "dog": 40, "runs": 5, "quickly": 4, "a": 700, "small": 6, "red": 3}
KNOWN = "the quickly dog runs quickly a small red a"  # each word has a count


def signs(its, keys, cases):
    """The lists of some signs for all (source, hypothesis, reference, rare)."""
    answer = {}
    for *texts, rare in cases:
        found = its.error_signs(*(text.split() for text in texts), COUNTS, **rare)
        answer |= {f"{key} for {' | '.join(texts)}, {rare or 'rare=5'}": found[key] for key in keys}
    return answer


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
    return signs(its, ("dropped", "added"), [(KNOWN, *pair, {}) for pair in texts])


@ask(advice="compare each word of the hypothesis with the next")
def test_repeated(its):
    """Words that repeat immediately are listed once."""
    texts = ("le le chien et le chat", "a b b b a a c", "un chien un chat", "")
    return signs(its, ("repeated",), [(KNOWN, text, "x x y", {}) for text in texts])


@ask(advice="words of the source seen fewer than `rare` times, once each")
def test_rare(its):
    """Source words seen fewer than `rare` times in training are listed once."""
    cases = ({}, {"rare": 4}, {"rare": 41})
    return signs(its, ("rare",), [(KNOWN, "le chien red", "le zut", rare) for rare in cases])


@ask(weight=0.5, advice="use `counts.get(word, 0)`")
def test_never_in_training(its):
    """Words unseen in training are rare, and `counts` stays as it is."""
    counts, words = its.make("dict(counts)", counts=COUNTS), f"{KNOWN} zebra".split()
    found = [its.error_signs(words, ["le"], ["le"], counts, rare)["rare"] for rare in (5, 4)]
    return {"rare, with 5 and 4": found, "words in `counts` afterwards": len(counts.get())}
