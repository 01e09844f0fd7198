"""Hidden tests of exercise 4.20: widths and length penalties, compared with greedy search."""

from functools import partial

from grader.checking.question import question, refusal

READ = "§6.2; the docstring of 4.20"
ask = partial(question, "4.20", read=READ)
SECONDS = "the number of sentences / the seconds that `translate` took"
# Logs every call; `made` maps "width penalty" to a list of sentences.
TRANSLATE = (
    "lambda width, length_penalty: (log.append([int(width), float(length_penalty)]), "
    "__import__('time').sleep(pauses.get(f'{int(width)} {float(length_penalty)}', 0.0)), "
    "made[f'{int(width)} {float(length_penalty)}'])[-1]"
)
WORDS = "le la un une chat chien maison rouge petit noir court dort sur sous avec et".split()
PAUSE, LONG_PAUSE = 0.02, 0.25  # seconds
TRIES = (0.2, 1.0, 1.0)  # shares of the pauses, until speeds are right in some run


def study(its, rng, widths, penalties, samples=20, pauses=None):
    """The rows of a study of drawn translations, and the calls of `translate`."""
    drawn = [rng.choice(WORDS, int(rng.integers(6, 11))) for _ in range(10)]
    made = {"1 0.0": spoilt(rng, drawn, 0.25)}
    for width in widths:  # widths above 5 are worse than greedy search
        for penalty in penalties:
            made[f"{width} {float(penalty)}"] = spoilt(rng, drawn, 0.15 if width <= 5 else 0.6)
    log, references = its.make("[]"), [" ".join(words) for words in drawn]
    translate = its.make(TRANSLATE, log=log, made=made, pauses=pauses or {})
    return its.width_study(translate, references, widths, penalties, samples), log.get()


def spoilt(rng, drawn, share):
    """The sentences with a share of their words replaced, so that settings differ."""
    return [
        " ".join(str(rng.choice(WORDS)) if rng.random() < share else word for word in words)
        for words in drawn
    ]


@ask(advice="greedy search, then each width with each penalty")
def test_rows(its, rng):
    """Greedy first, then every width with every penalty, widths in the outer loop."""
    rows, _ = study(its, rng, [2, 5], [0.0, 0.6, 1.0])
    found = [[int(row["width"]), float(row["length_penalty"])] for row in rows]
    return {"[width, length_penalty] of all rows": str(found), "keys of a row": sorted(rows[-1])}


@ask(advice="the first row is `translate(1, 0.0)`, run once")
def test_each_is_run_once(its, rng):
    """Every setting is translated once, including greedy search."""
    return {"the calls of `translate`, sorted": str(sorted(study(its, rng, [3, 4], [0.6, 1.0])[1]))}


@ask(weight=2, atol=1e-3, advice="`paired_bootstrap(these, greedy, references, samples)`")
def test_bleu_and_intervals(its, rng):
    """BLEU of each row, and its difference from greedy search with an interval."""
    rows, _ = study(its, rng, [2, 6], [0.0, 1.0], 60)
    answer = {"BLEU of the rows": [row["bleu"] for row in rows]}
    answer["differences from greedy search"] = [row["difference"] for row in rows]
    return answer | {f"`{end}` of the rows": [row[end] for row in rows] for end in ("low", "high")}


@ask(weight=2, advice=SECONDS)
def test_speed(its, rng):
    """Sentences per second, measured for each setting, timing only the translation."""
    for share in TRIES:  # a busy machine may delay a short one
        pauses = {"1 0.0": share * PAUSE, "4 0.6": share * LONG_PAUSE, "6 0.6": share * PAUSE}
        rows, _ = study(its, rng, [4, 6], [0.6], pauses=pauses)
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


@ask(
    weight=0.5,
    beside=["test_bleu_and_intervals", "test_rows", "test_each_is_run_once"],
    advice="ValueError",
)
def test_width_one(its, rng):
    """Width 1 among the widths raises a ValueError."""
    return {
        f"widths {widths}": refusal(lambda widths=widths: study(its, rng, widths, [0.6]))
        for widths in ([1], [2, 1])
    }
