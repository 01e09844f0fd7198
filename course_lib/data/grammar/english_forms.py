"""English word forms that the grammar needs: plurals, third person, past tense, "a" or "an"."""

# I, you (one), he or she, we, you, they
BE = {
    "present": ("am", "are", "is", "are", "are", "are"),
    "past": ("was", "were", "was", "were", "were", "were"),
}


def plural(noun: str) -> str:
    """The regular plural: "box" gives "boxes", "story" gives "stories"."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    hisses = noun.endswith(("s", "x", "z", "ch", "sh")) or noun == "hero"
    return noun + ("es" if hisses else "s")


def third_person(verb: str) -> str:
    """ "watch" gives "watches", "have" gives "has"."""
    if verb in ("have", "go"):
        return {"have": "has", "go": "goes"}[verb]
    return plural(verb)


def past(verb: str) -> str:
    """The regular past: "hope" gives "hoped", "stop" gives "stopped"."""
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + ("ped" if verb == "stop" else "ed")


def article(following: str) -> str:
    """ "a" or "an", by the word that follows; "useful" begins with a consonant."""
    vowel = following[0] in "aeiouAEIOU" and not following.startswith("use")
    return "an" if vowel else "a"
