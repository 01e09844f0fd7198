"""The visible checks of exercise 4.17: signs of mistakes."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

COUNTS = {"a": 900, "dog": 40, "chases": 5, "ferret": 4}


def signs(student, source, hypothesis, reference, **options):
    got = student.error_signs(source.split(), hypothesis.split(), reference.split(), COUNTS,
                              **options)
    expect.equal(sorted(got) if isinstance(got, dict) else got,
                 ["added", "dropped", "rare", "repeated"], what="the keys", read="exercise 4.17")
    return got


@exercise("4.17")
def test_one_sentence(student):
    """A sentence with all four signs."""
    got = signs(student, "a dog chases a ferret", "un chien chasse un chat chat",
                "un petit chien chasse un furet")
    wanted = {"dropped": (["furet", "petit"], "in the reference, not in the translation"),
              "added": (["chat", "chat"], "twice in the translation, never in the reference"),
              "repeated": (["chat"], "`un` occurs twice, but not next to itself"),
              "rare": (["ferret"], "fewer than five times: `chases`, with five, is not rare")}
    for key, (want, hint) in wanted.items():
        expect.equal(list(got[key]), want, what=key, otherwise=hint, read="exercise 4.17")


@exercise("4.17")
def test_as_often_as_it_lacks(student):
    """Dropped and added words are listed with their multiplicity; repeated and rare ones once."""
    got = signs(student, "dog a dog", "la la la maison", "la maison la fleur et la fleur",
                rare=41)
    wanted = {"dropped": (["et", "fleur", "fleur"], "`fleur` is missing twice, `la` not at all"),
              "added": ([], "three `la` are in both"),
              "repeated": (["la"], "listed once, however long the run is"),
              "rare": (["dog"], "40 is less than 41; it is listed once")}
    for key, (want, hint) in wanted.items():
        expect.equal(list(got[key]), want, what=key, otherwise=hint, read="exercise 4.17")


@exercise("4.17")
def test_never_in_training(student):
    """A word that is not in `counts` is rare."""
    got = signs(student, "zebra a zebra", "un", "un", rare=1)
    expect.equal(list(got["rare"]), ["zebra"], what="rare", read="exercise 4.17",
                 )
