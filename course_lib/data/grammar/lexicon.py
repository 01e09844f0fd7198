"""The words of the English-French grammar, as tables.

Forms that follow the rules of `english_forms` and `french_forms` are left out; irregular forms
follow a slash: `child/children=enfant:m`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from . import english_forms, french_forms


class Noun(NamedTuple):
    """A noun, singular and plural, in both languages; `gender` is that of the French one."""

    english: tuple[str, str]
    french: tuple[str, str]
    gender: str  # "m" or "f"
    kind: str  # person, animal, food, text, thing, place


class Adjective(NamedTuple):
    """`french` is masculine, feminine and the masculine before a vowel."""

    english: str
    french: tuple[str, str, str]
    before: bool  # stands before its noun in French
    kinds: frozenset[str]  # of nouns that it goes with


class Verb(NamedTuple):
    """A verb: `english` is base and past, `particle` what follows it ("for", "up")."""

    english: tuple[str, str]
    particle: str
    french: str
    preposition: str  # before the French object
    frame: str  # direct, dative, motion, intransitive, reflexive, give, clause
    objects: frozenset[str]
    with_etre: bool  # être makes its passé composé
    state: bool  # its past is the imparfait


NOUNS = {
    "person": """man/men=homme:m woman/women=femme:f boy=garçon:m girl=fille:f friend=ami:m
        child/children=enfant:m teacher=professeur:m doctor=médecin:m neighbour=voisin:m
        student=étudiant:m king=roi:m queen=reine:f hero=héros:m brother=frère:m sister=sœur:f
        uncle=oncle:m aunt=tante:f nurse=infirmière:f engineer=ingénieur:m actress=actrice:f""",
    "animal": """dog=chien:m cat=chat:m horse=cheval/chevaux:m bird=oiseau:m cow=vache:f
        owl=hibou/hiboux:m mouse/mice=souris:f donkey=âne:m ant=fourmi:f squirrel=écureuil:m
        lobster=homard:m""",
    "food": """apple=pomme:f cake=gâteau:m orange=orange:f egg=œuf:m pear=poire:f onion=oignon:m
        carrot=carotte:f strawberry=fraise:f bean=haricot:m""",
    "text": "book=livre:m letter=lettre:f newspaper=journal/journaux:m story=histoire:f",
    "thing": """car=voiture:f key=clé:f chair=chaise:f table=table:f hat=chapeau:m coat=manteau:m
        dress=robe:f boat=bateau:m umbrella=parapluie:m lamp=lampe:f tree=arbre:m flower=fleur:f
        knife/knives=couteau:m tool=outil:m axe=hache:f clock=horloge:f image=image:f
        box=boîte:f""",
    "place": """house=maison:f garden=jardin:m school=école:f market=marché:m church=église:f
        park=parc:m hospital=hôpital/hôpitaux:m hotel=hôtel:m village=village:m city=ville:f
        inn=auberge:f forest=forêt:f kitchen=cuisine:f castle=château:m museum=musée:m
        library=bibliothèque:f""",
}

# kinds of noun: those before it in French, those after it
ADJECTIVES = {
    "person animal text thing place": (
        "small=petit big=grand beautiful=beau/belle/bel old=vieux/vieille/vieil pretty=joli",
        "",
    ),
    "person animal": (
        "young=jeune",
        """happy=heureux sad=triste calm=calme active=actif curious=curieux proud=fier
        intelligent=intelligent kind=gentil/gentille patient=patient serious=sérieux""",
    ),
    "text thing place": (
        "new=nouveau/nouvelle/nouvel",
        "modern=moderne strange=étrange French=français Italian=italien",
    ),
    "food": ("good=bon", "round=rond fresh=frais/fraîche"),
    "thing": ("", "expensive=cher useful=utile blue=bleu yellow=jaune green=vert"),
    "animal thing": ("", "red=rouge black=noir white=blanc/blanche grey=gris"),
}

# English base and past, particle | French, preposition | frame | objects | remarks
VERBS = """
see/saw        | voir             | direct       | person animal text thing place |
love           | aimer            | direct       | person animal                  | state
know/knew      | connaître        | direct       | person place                   | state
want           | vouloir          | direct       | food thing animal              | state
have/had       | avoir            | direct       | thing animal text              | state
eat/ate        | manger           | direct       | food                           |
buy/bought     | acheter          | direct       | food thing text                |
sell/sold      | vendre           | direct       | thing animal                   |
finish         | finir            | direct       | text                           |
write/wrote    | écrire           | direct       | text                           |
find/found     | trouver          | direct       | thing text animal              |
lose/lost      | perdre           | direct       | thing text                     |
choose/chose   | choisir          | direct       | food thing                     |
take/took      | prendre          | direct       | food thing                     |
hear/heard     | entendre         | direct       | person animal                  |
follow         | suivre           | direct       | person animal                  |
help           | aider            | direct       | person                         |
visit          | visiter          | direct       | place                          |
look at        | regarder         | direct       | animal place thing             |
look for       | chercher         | direct       | person animal thing            |
wait for       | attendre         | direct       | person                         |
listen to      | écouter          | direct       | person                         |
answer         | répondre à       | dative       | person                         |
speak/spoke to | parler à         | dative       | person                         |
enter          | entrer dans      | motion       | place                          | être
go/went to     | aller à          | motion       | place                          | être
come/came from | venir de         | motion       | place                          | être
live in        | habiter dans     | motion       | place                          | state
work in        | travailler dans  | motion       | place                          |
sleep/slept    | dormir           | intransitive |                                |
sing/sang      | chanter          | intransitive |                                |
run/ran        | courir           | intransitive |                                |
cry            | pleurer          | intransitive |                                |
fall/fell      | tomber           | intransitive |                                | être
arrive         | arriver          | intransitive |                                | être
leave/left     | partir           | intransitive |                                | être
stay           | rester           | intransitive |                                | être
stop           | arrêter          | reflexive    |                                | être
hurry          | dépêcher         | reflexive    |                                | être
wake/woke up   | réveiller        | reflexive    |                                | être
get/got dressed| habiller         | reflexive    |                                | être
give/gave      | donner à         | give         | text thing animal              |
show/showed    | montrer à        | give         | text thing animal              |
send/sent      | envoyer à        | give         | text thing                     |
say/said       | dire             | clause       |                                |
think/thought  | penser           | clause       |                                |
know/knew      | savoir           | clause       |                                |
hope           | espérer          | clause       |                                |
"""


def nouns() -> list[Noun]:
    """All nouns, in the order of the table."""
    found = []
    for kind, words in NOUNS.items():
        for word in words.split():
            left, _, right = word.partition("=")
            singular, _, plural = left.partition("/")
            right, _, gender = right.partition(":")
            french, _, irregular = right.partition("/")
            found.append(
                Noun(
                    (singular, plural or english_forms.plural(singular)),
                    (french, irregular or french_forms.plural(french)),
                    gender,
                    kind,
                )
            )
    return found


@lru_cache(maxsize=1)
def kinds() -> dict[str, str]:
    """The kind of every English noun, singular and plural."""
    return {form: noun.kind for noun in reversed(nouns()) for form in noun.english}


def adjectives() -> list[Adjective]:
    """All adjectives, in the order of the table."""
    found = []
    for kinds, halves in ADJECTIVES.items():
        for half, words in enumerate(halves):
            for word in words.split():
                english, _, right = word.partition("=")
                french, feminine, vowel = (right.split("/") + ["", ""])[:3]
                forms = (french, feminine or french_forms.feminine(french), vowel or french)
                found.append(Adjective(english, forms, half == 0, frozenset(kinds.split())))
    return found


def verbs() -> list[Verb]:
    """All verbs, in the order of the table."""
    found = []
    for line in VERBS.strip().split("\n"):
        left, right, frame, objects, remarks = (cell.strip() for cell in line.split("|"))
        english, _, particle = left.partition(" ")
        base, _, past = english.partition("/")
        french, _, preposition = right.partition(" ")
        found.append(
            Verb(
                (base, past or english_forms.past(base)),
                particle,
                french,
                preposition,
                frame,
                frozenset(objects.split()),
                remarks == "être",
                remarks == "state",
            )
        )
    return found
