"""Hidden tests of exercise 4.20: widths and length penalties, compared with greedy search."""

import math
from functools import partial

from autograder.a3.answers import answered
from course_lib.evaluation.translation import bleu, paired_bootstrap
from grader.checking import expect
from grader.checking.exercise import exercise
from grader.checking.known_mistakes import known_mistakes

MISTAKE = known_mistakes(__file__)

READ = "§6.2; the docstring of 4.20"
KEYS = ("width", "length_penalty", "bleu", "difference", "low", "high", "sentences_per_second")
# Logs every call; `made` maps "width penalty" to a list of sentences.
TRANSLATE = (
    "lambda width, length_penalty: (log.append([int(width), float(length_penalty)]), "
    "__import__('time').sleep(pauses.get(f'{int(width)} {float(length_penalty)}', 0.0)), "
    "made[f'{int(width)} {float(length_penalty)}'])[-1]"
)
WORDS = "le la un une chat chien maison rouge petit noir court dort sur sous avec et".split()
PAUSE, LONG_PAUSE = 0.02, 0.25  # seconds
TRIES = (0.2, 1.0, 1.0)  # shares of the pauses, until correct speeds differ in some run


class Translator:
    """A `translate` on the student's side with translations drawn on the judge's side."""

    def __init__(self, student, rng, widths, penalties, sentences=10, pauses=None):
        self.references = [
            " ".join(rng.choice(WORDS, int(rng.integers(6, 11)))) for _ in range(sentences)
        ]
        self.made = {}
        for width, penalty in [(1, 0.0), *((w, p) for w in widths for p in penalties)]:
            self.made[f"{width} {float(penalty)}"] = [
                self.spoilt(rng, reference) for reference in self.references
            ]
        self.log = student.make("[]")
        self.there = student.make(TRANSLATE, log=self.log, made=self.made, pauses=pauses or {})

    @staticmethod
    def spoilt(rng, reference):
        """The reference with some words replaced, so that settings differ."""
        words = reference.split()
        for place in range(len(words)):
            if rng.random() < 0.25:
                words[place] = str(rng.choice(WORDS))
        return " ".join(words)

    def translations(self, row):
        return self.made[f"{int(row['width'])} {float(row['length_penalty'])}"]


def study(student, translator, widths, penalties, samples=60):
    """The rows, checked for all their keys."""
    rows = answered(
        lambda: student.width_study(
            translator.there, translator.references, widths, penalties, samples
        ),
        "`translate(width, length_penalty)` returns a list of sentences",
        READ,
    )
    return expect.rows(rows, KEYS, read=READ)


@exercise("4.20")
def test_rows(student, rng):
    """Greedy first, then every width with every penalty, widths in the outer loop."""
    widths, penalties = [2, 5], [0.0, 0.6, 1.0]
    rows = study(student, Translator(student, rng, widths, penalties), widths, penalties, 20)
    found = [[int(row["width"]), float(row["length_penalty"])] for row in rows]
    both = [[w, p] for w in widths for p in penalties]
    inner = [[w, p] for p in penalties for w in widths]
    causes = {
        MISTAKE.study_greedy_without_row: both,
        "greedy search is in the last row: put it first": [*both, [1, 0.0]],
        MISTAKE.study_other_order: [[1, 0.0], *inner],
    }
    expect.equal(
        found,
        [[1, 0.0], *both],
        otherwise="greedy search, then each width with each penalty",
        read=READ,
        what="(width, length_penalty) of all rows",
    )


@exercise("4.20")
def test_each_is_run_once(student, rng):
    """Every setting is translated once, including greedy search."""
    widths, penalties = [3, 4], [0.6, 1.0]
    translator = Translator(student, rng, widths, penalties)
    study(student, translator, widths, penalties, 20)
    calls = translator.log.get()
    expect.true(
        calls.count([1, 0.0]) == 1,
        expected="one run of greedy search",
        got=f"{calls.count([1, 0.0])}",
        otherwise="the first row is `translate(1, 0.0)`",
        read=READ,
    )
    wanted = [[w, p] for w in widths for p in penalties]
    expect.equal(
        sorted(call for call in calls if call != [1, 0.0]),
        sorted(wanted),
        otherwise="each width with each penalty, once",
        read=READ,
        what="the other calls of `translate`, sorted",
    )


def interval(one, other, references, samples=60):
    made = paired_bootstrap(one, other, references, samples)
    return [made.difference, *made.interval]


def other_intervals(own, greedy, before, references):
    """The results that each likely mistake would give."""
    difference, low, high = interval(own, greedy, references)
    return {
        MISTAKE.study_other_way_round: interval(greedy, own, references),
        MISTAKE.study_against_the_row_before: interval(own, before, references),
        MISTAKE.study_samples_ignored: interval(own, greedy, references, 1000),
        "compared with itself": [0.0, 0.0, 0.0],
        "the ends of the interval are swapped": [difference, high, low],
    }


@exercise("4.20", weight=2)
def test_bleu_and_intervals(student, rng):
    """BLEU of each row, and its difference from greedy search with an interval."""
    widths, penalties = [2, 6], [0.0, 1.0]
    translator = Translator(student, rng, widths, penalties)
    rows = study(student, translator, widths, penalties)
    references, greedy = translator.references, translator.made["1 0.0"]
    before = greedy
    for row in rows:
        own = translator.translations(row)
        name = f"of width {row['width']} with penalty {row['length_penalty']}"
        value = bleu(own, references).value
        expect.close(
            row["bleu"],
            value,
            atol=1e-4,
            read=READ,
            what=f"the BLEU {name}",
        )
        if row is rows[0]:
            expect.close(
                row["difference"],
                0.0,
                atol=1e-6,
                otherwise="greedy search has a difference of 0 from itself",
                read=READ,
                what=f"the difference {name}",
            )
            continue
        expect.close(
            [row["difference"], row["low"], row["high"]],
            interval(own, greedy, references),
            atol=1e-3,
            otherwise="`paired_bootstrap(these, greedy, references, samples)`: its difference "
            "and its interval",
            read=READ,
            what=f"difference, low and high {name}",
        )
        before = own


def speeds(rows):
    """Each row's sentences per second."""
    found = [row["sentences_per_second"] for row in rows]
    for speed in found:
        expect.true(
            isinstance(speed, (int, float)) and math.isfinite(speed) and speed > 0,
            expected="sentences per second, a number above 0",
            got=f"{speed!r}",
            otherwise="the number of sentences / the seconds that `translate` took",
            read=READ,
        )
    return found


@exercise("4.20")
def test_speed(student, rng):
    """Sentences per second, measured for each setting, timing only the translation."""
    for share in TRIES:  # a busy machine may delay a short one
        pauses = {"1 0.0": share * PAUSE, "4 0.6": share * LONG_PAUSE, "6 0.6": share * PAUSE}
        translator = Translator(student, rng, [4, 6], [0.6], pauses=pauses)
        found = speeds(study(student, translator, [4, 6], [0.6], 20))
        count = len(translator.references)
        at_most = [count / pause for pause in pauses.values()]
        at_least = [count / (pause + 3.0) for pause in pauses.values()]
        in_order = found[1] < min(found[0], found[2])
        if in_order and all(a < s <= b for a, s, b in zip(at_least, found, at_most, strict=True)):
            return
    got = ", ".join(f"{speed:.4g}" for speed in found)
    wanted = f"at most {', '.join(f'{limit:g}' for limit in at_most)} sentences per second, the "
    wanted += f"second slower than the others: it takes {LONG_PAUSE} s for {count} sentences"
    upside_down = all(
        a < 1 / s <= b for a, s, b in zip(at_least, found, at_most, strict=True)
    ) and found[1] > max(found[0], found[2])
    cause = ""
    if len(set(found)) == 1:
        cause = MISTAKE.study_speed_invented
    elif upside_down:
        cause = MISTAKE.study_seconds_a_sentence
    elif found[1] > at_most[1]:
        cause = MISTAKE.study_processor_time
    otherwise = "the number of sentences / the seconds that `translate` took"
    expect.true(False, expected=wanted, got=got, because=cause, otherwise=otherwise, read=READ)


@exercise(
    "4.20", weight=0.5, beside=["test_bleu_and_intervals", "test_rows", "test_each_is_run_once"]
)
def test_width_one(student, rng):
    """Width 1 among the widths raises a ValueError."""
    translator = Translator(student, rng, [1, 2], [0.6])
    for widths in ([1], [2, 1]):
        expect.raises(
            lambda widths=widths: student.width_study(
                translator.there, translator.references, widths, [0.6], 20
            ),
            read=READ,
        )
