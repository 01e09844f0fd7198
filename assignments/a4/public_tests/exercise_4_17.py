"""The visible checks of exercise 4.17: signs of mistakes."""

from grader.checking.question import question

COUNTS = {"a": 900, "dog": 40, "chases": 5, "ferret": 4}
READ = "exercise 4.17"


def signs(its, source, hypothesis, reference, **options):
    texts = (text.split() for text in (source, hypothesis, reference))
    return its.error_signs(*texts, COUNTS, **options)


@question(
    "4.17", advice="`un` is no neighbor of itself; `chases`, with five, is not rare", read=READ
)
def test_one_sentence(its):
    """A sentence with all four signs."""
    made, wanted = "un chien chasse un chat chat", "un petit chien chasse un furet"
    return signs(its, "a dog chases a ferret", made, wanted)


@question("4.17", advice="`fleur` is missing twice, `la` once; 40 is less than 41", read=READ)
def test_as_often_as_it_lacks(its):
    """Dropped and added words are listed with their multiplicity; repeated and rare ones once."""
    made, wanted = "la la maison", "la maison la fleur et la fleur"
    return signs(its, "dog a dog", made, wanted, rare=41)


@question("4.17", advice="a word that is not in `counts` was seen 0 times", read=READ)
def test_never_in_training(its):
    """A word that is not in `counts` is rare."""
    return {"rare": signs(its, "zebra a zebra", "un", "un", rare=1)["rare"]}
