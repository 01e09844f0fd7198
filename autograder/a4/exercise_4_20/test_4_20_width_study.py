"""Hidden tests of exercise 4.20: widths and length penalties, compared with greedy search."""

from functools import partial

from grader.checking.question import question, refusal

ask = partial(question, "4.20", read="§6.2; the docstring of 4.20")
BOOTSTRAP = "`paired_bootstrap(these, greedy, references, samples)`"
SECONDS = "the number of sentences / the seconds that `translate` took"
# Logs every call; `made` maps "width penalty" to a list of sentences.
TRANSLATE = (
    "lambda width, length_penalty: (log.append(f'{int(width)} {float(length_penalty)}'), "
    "__import__('time').sleep(pauses.get(log[-1], 0.0)), made[log[-1]])[-1]"
)
WORDS = "le la un une chat chien maison rouge petit noir court dort sur sous avec et".split()
TRIES = (0.2, 1.0, 1.0)  # shares of the pauses, until speeds are right in some run


def study(its, rng, widths, penalties, *samples, pauses=None):
    """The rows of a study of drawn translations, and the calls of `translate`."""
    drawn = [rng.choice(WORDS, int(rng.integers(6, 11))) for _ in range(10)]
    made = {"1 0.0": spoilt(rng, drawn, 0.25)}
    for width in widths:  # widths above 5 are worse than greedy search
        for penalty in penalties:
            made[f"{width} {penalty}"] = spoilt(rng, drawn, 0.15 if width <= 5 else 0.6)
    log, references = its.make("[]"), [" ".join(words) for words in drawn]
    translate = its.make(TRANSLATE, log=log, made=made, pauses=pauses or {})
    return its.width_study(translate, references, widths, penalties, *samples), log.get()


def spoilt(rng, drawn, share):
    """The sentences with a share of their words replaced, so that settings differ."""
    return [
        " ".join(str(rng.choice(WORDS)) if rng.random() < share else word for word in words)
        for words in drawn
    ]


@ask(weight=4, atol=1e-3, advice=f"greedy, then each width with each penalty, once; {BOOTSTRAP}")
def test_rows(its, rng):
    """Greedy first, widths in the outer loop; BLEU, and the difference from greedy search."""
    rows, log = study(its, rng, [2, 6], [0.0, 0.6, 1.0], 60)
    (_, plain), _ = study(its, rng, [2], [0.6])
    parts = ("width", "length_penalty", "bleu", "difference", "low", "high")
    return {f"`{part}` of the rows": [row[part] for row in rows] for part in parts} | {
        "keys of a row": sorted(rows[-1]),
        "low and high with the default of `samples`": [plain["low"], plain["high"]],
        "the calls of `translate`, sorted": sorted(log),
    }


@ask(weight=2, advice=SECONDS)
def test_speed(its, rng):
    """Sentences per second, measured for each setting, timing only the translation."""
    for share in TRIES:  # a busy machine may delay a short one
        pauses = {"1 0.0": share * 0.02, "4 0.6": share * 0.25, "6 0.6": share * 0.02}
        rows, _ = study(its, rng, [4, 6], [0.6], 20, pauses=pauses)
        speeds = [float(row["sentences_per_second"]) for row in rows]
        both = list(zip(speeds, pauses.values(), strict=True))
        answer = {
            "the rows have different speeds": len(set(speeds)) > 1,
            "no speed is above that of the translation": all(s <= 10 / p for s, p in both),
            "no speed is far below it": all(s > 10 / (p + 3) for s, p in both),
            "the slow translation has the lowest speed": speeds[1] < min(speeds[0], speeds[2]),
        }
        if all(answer.values()):
            break
    return answer


@ask(weight=0.5, needs_one_of=["test_rows"], advice="ValueError")
def test_width_one(its, rng):
    """Width 1 among the widths raises a ValueError."""
    return refusal(lambda: study(its, rng, [2, 1], [0.6]))
