"""French word forms that the grammar needs: agreement, conjugation, elision and contraction.

Persons count from 0: je, tu, il or elle, nous, vous, ils or elles. Genders are "m" and "f".
"""

from functools import lru_cache

from .word_tables import tables

VOWELS = "aeiouâàéèêëîïôûœ"
ELIDED = frozenset("le la de que je me te se ne".split())
CONTRACTED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}
REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")

# of the three regular groups: endings of the present, of the participle
REGULAR = {
    "er": ("e es e ons ez ent", "é"),
    "ir": ("is is it issons issez issent", "i"),
    "re": ("s s _ ons ez ent", "u"),
}
FUTURE = "ai as a ons ez ont".split()
IMPARFAIT = "ais ais ait ions iez aient".split()


def plural(word: str) -> str:
    """Of a noun or an adjective: "gâteau" gives "gâteaux", "souris" stays."""
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith(("eau", "eu")) and word != "bleu" else "s")


def feminine(adjective: str) -> str:
    """By rule: "heureux" gives "heureuse", "actif" "active", "cher" "chère", "bon" "bonne"."""
    endings = {"eux": "euse", "f": "ve", "er": "ère", "on": "onne", "en": "enne", "e": "e"}
    for ending, new in endings.items():
        if adjective.endswith(ending):
            return adjective.removesuffix(ending) + new
    return adjective + "e"


def agree(masculine: str, feminine: str, gender: str, is_plural: bool) -> str:
    """The form of an adjective or a participle for a gender and a number."""
    form = masculine if gender == "m" else feminine
    return plural(form) if is_plural else form


def participle(verb: str, gender: str = "m", is_plural: bool = False) -> str:
    """The past participle, agreeing with gender and number."""
    masculine = _parts(verb)[2]
    return agree(masculine, masculine + "e", gender, is_plural)


@lru_cache(maxsize=1024)
def conjugate(verb: str, tense: str, person: int) -> str:
    """A simple tense, "present", "future" or "imparfait", of an infinitive."""
    present, future, _ = _parts(verb)
    if tense == "present":
        return present[person]
    if tense == "future":
        return future + FUTURE[person]
    stem = "ét" if verb == "être" else present[3].removesuffix("ons")
    if stem.endswith("ge") and IMPARFAIT[person][0] == "i":
        stem = stem[:-1]
    return stem + IMPARFAIT[person]


def _parts(verb: str) -> tuple[list[str], str, str]:
    """All forms of the present, the stem of the future, the participle."""
    if forms := tables()["irregular"].get(verb):
        future = forms.get("future") or verb.removesuffix("e")
        return forms["present"].split(), future, forms["participle"]
    stem, group = verb[:-2], verb[-2:]
    endings, past = REGULAR[group]
    present = [stem + ending.strip("_") for ending in endings.split()]
    if stem.endswith("g"):
        present[3] = stem + "eons"  # nous mangeons
    return present, verb.removesuffix("e"), stem + past


def begins_with_vowel(word: str) -> bool:
    """Whether "le" is "l'" before it: also before most h, not before an aspirated one."""
    word = word.lower()
    if word[0] == "h":
        return word not in tables()["aspirated"].split()
    return word[0] in VOWELS


def elide(word: str, following: str) -> str:
    """ "le" before "homme" is "l'"; a word that does not elide stays."""
    if word in ELIDED and begins_with_vowel(following):
        return word[:-1] + "'"
    return word


def possessive(masculine: str, feminine: str, gender: str, following: str) -> str:
    """ "ma" before a vowel is "mon": "mon amie", "mon ancienne maison"."""
    return feminine if gender == "f" and not begins_with_vowel(following) else masculine


def demonstrative(gender: str, is_plural: bool, following: str) -> str:
    """ "ce", "cet" before a vowel, "cette", "ces"."""
    if is_plural:
        return "ces"
    if gender == "f":
        return "cette"
    return "cet" if begins_with_vowel(following) else "ce"
