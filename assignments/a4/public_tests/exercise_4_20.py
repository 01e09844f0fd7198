"""The visible checks of exercise 4.20: widths and penalties."""

from functools import partial

from grader.checking.question import question, refusal

ask = partial(question, "4.20", read="exercise 4.20")
REFERENCES = [
    "un chien noir court dans la neige .",
    "deux enfants jouent au ballon .",
    "une femme lit un livre dans le train .",
    "un homme joue de la guitare .",
]
# Greedy gets the end of two sentences wrong, width 2 of one, width 5 of all; a penalty of 1.0 drops
# a period. Each takes 0.02 seconds.
TRANSLATE = (
    "lambda width, length_penalty: (log.append([width, float(length_penalty)]), "
    "__import__('time').sleep(0.02), [r if i >= {1: 2, 2: 1, 5: 4}.get(width, 0) else "
    "' '.join(r.split()[:-2] + ['ici', '.']) if length_penalty < 1 else r[:-2] "
    "for i, r in enumerate(references)])[-1]"
)


def studied(its, widths, penalties):
    log = its.make("[]")
    translate = its.make(TRANSLATE, log=log, references=REFERENCES)
    return its.width_study(translate, REFERENCES, widths, penalties, samples=20), log.get()


@ask(weight=2, advice="widths in the outer loop; time each translation")
def test_rows(its):
    """Greedy first, then each width with each penalty; each setting is translated once."""
    rows, log = studied(its, [2, 3], [1.0, 0.0])
    speeds = [row["sentences_per_second"] for row in rows]
    return {
        "keys of a row": sorted(rows[0]),
        "[width, length_penalty] of the rows": [[r["width"], r["length_penalty"]] for r in rows],
        "what was translated": sorted(log),
        "BLEU": [row["bleu"] for row in rows],
        "four sentences in 0.02 seconds or more, and less than 4": 1
        < min(speeds)
        <= max(speeds)
        < 300,
        "the speeds differ": len(set(speeds)) > 1,
    }


@ask(weight=2, advice="width 5 is worse than greedy: its difference is negative")
def test_differences(its):
    """Each row's difference to greedy, in points, within its interval; greedy itself has 0."""
    rows, _ = studied(its, [3, 5], [0.0])
    found = {key: [row[key] for row in rows] for key in ("difference", "low", "high")}
    return found | {"width 1, which is there": refusal(lambda: studied(its, [1, 2], [0.0]))}
