"""The visible checks of exercise 4.17: signs of mistakes."""

from grader.checking.question import question

COUNTS = {"a": 900, "dog": 40, "chases": 5, "ferret": 4}
READ = "exercise 4.17"


def signs(its, source, hypothesis, reference, **options):
    texts = (text.split() for text in (source, hypothesis, reference))
    return its.error_signs(*texts, COUNTS, **options)


@question(
    "4.17",
    weight=2,
    advice="count words with Counter; `un` is not its own neighbor; five is not rare",
    read=READ,
)
def test_one_sentence(its):
    """All four signs: dropped and added words with their multiplicity, the others once."""
    made, wanted = "un chien chasse un chat chat chat", "un petit chien chasse un furet"
    found = signs(its, "a dog chases a ferret", made, wanted)
    often = signs(its, "dog a dog", "la la maison", "la maison la fleur et la fleur", rare=41)
    return found | {f"{sign}, in the second": words for sign, words in often.items()}


@question("4.17", advice="a word that is not in `counts` was seen 0 times", read=READ)
def test_never_in_training(its):
    """A word that is not in `counts` is rare."""
    return {"rare": signs(its, "zebra a zebra", "un", "un", rare=1)["rare"]}
