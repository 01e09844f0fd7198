"""Cases of exercise 4.11, and what each known mistake of a beam search finds in them."""

from itertools import combinations

from autograder.a4.search_models import TableModel
from autograder.a4.search_reference import beam, factor
from autograder.a4.searching import Search, compare, drawn, same
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§6.1; the docstring of 4.11"
STEPS = ("length_penalty_factor", "continuations", "split_candidates", "is_final")


def powers(base):
    return lambda score, length, alpha: score / max(base(length), 1e-9) ** alpha


CUT_OFF = {
    MISTAKE.beam_cut_off_ranked: {"ranking": lambda found: sorted(found, key=lambda h: -h.score)},
    MISTAKE.beam_cut_off_first: {
        "ranking": lambda found: sorted(found, key=lambda h: (h.finished, -h.score))
    },
    MISTAKE.beam_cut_off_lost: {
        "ranking": lambda found: sorted((h for h in found if h.finished), key=lambda h: -h.score)
    },
}


MISTAKES = {
    MISTAKE.beam_penalty_multiplied: {
        "normalized": lambda score, length, alpha: score * factor(length, alpha)
    },
    "the 5 of the length penalty is missing": {"normalized": powers(lambda n: n / 6)},
    MISTAKE.beam_penalty_counts_the_end: {"normalized": powers(lambda n: (6 + n) / 6)},
    MISTAKE.beam_penalty_left_out: {"normalized": lambda score, *_: score},
    "divided by the number of tokens, not by ((5 + |Y|) / 6)^α": {
        "normalized": lambda score, n, alpha: score / max(n, 1) ** alpha
    },
    MISTAKE.beam_penalty_while_running: {"running": True},
    MISTAKE.split_extends_finished: {"extended": True},
    "end tokens ranked below the `width` best candidates also finish hypotheses": {
        "all_ends": True
    },
    MISTAKE.split_ends_take_places: {"ends_take_places": True},
    MISTAKE.final_at_the_first: {"first_only": True},
    MISTAKE.final_never_done: {"never_done": True},
    MISTAKE.beam_unsorted: {"ranking": list},
    **CUT_OFF,
    "the worst hypotheses come first": {
        "ranking": lambda found: sorted(found, key=lambda h: (not h.finished, h.score))
    },
    "each beam gives its own best: all candidates of a sentence compete": {"own_best": True},
    MISTAKE.beam_begins_with_copies: {"copies": True},
    "the scores of the prefixes are not added: a score covers the whole sentence": {"added": False},
    "the end token is kept: return the tokens without start and end": {"kept_end": True},
}


def expectations(asked, mistakes=MISTAKES):
    """The correct lists of all (model, case) pairs, and the lists of each mistake."""

    def made(change=lambda case: {}, **mistake):
        return [beam(model, **{**case, **change(case)}, **mistake) for model, case in asked]

    def others():
        found = {
            MISTAKE.beam_n_best_ignored: made(lambda _: {"n_best": 1}),
            "`n_best` is not used: all hypotheses are returned": made(lambda _: {"n_best": 10**6}),
        }
        found |= {name: made(**options) for name, options in mistakes.items()}
        for step, name in ((-1, "one step too early"), (1, "one step too late")):
            found[MISTAKE.saying(f"the search ends {name}: `max_length` steps are allowed")] = made(
                lambda case, step=step: {"max_length": max(1, case["max_length"] + step)}
            )
        return found

    return made(), others


def clear(rng, cases, suits=None, apart=(), **options):
    """A table where no choice depends on rounding, and whose lists satisfy `suits`.

    There, the mistakes in `apart` give lists that differ from the correct ones and from each other.
    """
    while True:
        table, gaps = drawn(rng, **options), []
        model = TableModel(table)
        found = [beam(model, **case, gaps=gaps) for case in cases]
        if min(gaps, default=1.0) <= 1e-4 or not (suits is None or all(map(suits, found))):
            continue
        made = [found, *([beam(model, **{**case, **one}) for case in cases] for one in apart)]
        if not any(all(map(same, *pair)) for pair in combinations(made, 2)):
            return table


def check(student, tables, cases, mistakes=MISTAKES, **options):
    """Run every case separately on every table, without a state."""
    found, asked = [], []
    for table in tables:
        search = Search(student, table)
        for case in cases:
            own = {"width": case["width"], "length_penalty": case["alpha"]}
            own |= {"max_length": case["max_length"], "n_best": case["n_best"]}
            found += search.beam(1, **own)
            asked.append((search.twin, case))
    right, others = expectations(asked, mistakes)
    compare(found, right, read=READ, what="search", **options)


def case(width, alpha, max_length, n_best=None, sentence=0):
    n_best = width if n_best is None else n_best
    return {
        "sentence": sentence,
        "width": width,
        "alpha": alpha,
        "max_length": max_length,
        "n_best": n_best,
    }
