"""Hidden tests of exercise 4.20: widths and length penalties, compared with greedy search."""

import math

from autograder.suites.a3.answers import answered
from course_lib.checking import expect
from course_lib.checking.exercise import exercise
from course_lib.metrics import bleu, paired_bootstrap

READ = "§6.2; the docstring of 4.20"
KEYS = ("width", "length_penalty", "bleu", "difference", "low", "high", "sentences_per_second")
# Notes every call; `made` has a list of sentences by "width penalty".
TRANSLATE = (
    "lambda width, length_penalty: (log.append([int(width), float(length_penalty)]), "
    "__import__('time').sleep(pause), made[f'{int(width)} {float(length_penalty)}'])[-1]"
)
WORDS = "le la un une chat chien maison rouge petit noir court dort sur sous avec et".split()
PAUSE = 0.02


class Translator:
    """A `translate` on the student's side whose translations are drawn here."""

    def __init__(self, student, rng, widths, penalties, sentences=10, pause=0.0):
        self.references = [
            " ".join(rng.choice(WORDS, int(rng.integers(6, 11)))) for _ in range(sentences)
        ]
        self.made = {}
        for width, penalty in [(1, 0.0), *((w, p) for w in widths for p in penalties)]:
            self.made[f"{width} {float(penalty)}"] = [
                self.spoilt(rng, reference) for reference in self.references
            ]
        self.log = student.make("[]")
        self.there = student.make(TRANSLATE, log=self.log, made=self.made, pause=pause)

    @staticmethod
    def spoilt(rng, reference):
        """Some words replaced: more or fewer of them, so that settings differ."""
        words = reference.split()
        for place in range(len(words)):
            if rng.random() < 0.25:
                words[place] = str(rng.choice(WORDS))
        return " ".join(words)

    def translations(self, row):
        return self.made[f"{int(row['width'])} {float(row['length_penalty'])}"]


def study(student, translator, widths, penalties, samples=60):
    """The rows, with all their keys."""
    rows = answered(
        lambda: student.width_study(
            translator.there, translator.references, widths, penalties, samples
        ),
        "`translate(width, length_penalty)` gives a list of sentences",
        READ,
    )
    expect.true(
        isinstance(rows, list) and all(isinstance(row, dict) for row in rows),
        expected="a list of rows, each a dict",
        got=type(rows).__name__,
        read=READ,
    )
    for row in rows:
        missing = [key for key in KEYS if key not in row]
        expect.true(
            not missing,
            expected=f"the columns {', '.join(KEYS)}",
            got=f"no {', '.join(missing)}",
            otherwise="keep the names of the docstring",
            read=READ,
        )
    return rows


@exercise("4.20")
def test_rows(student, rng):
    """Greedy first, then every width with every penalty, widths in the outer order."""
    widths, penalties = [2, 5], [0.0, 0.6, 1.0]
    rows = study(student, Translator(student, rng, widths, penalties), widths, penalties, 20)
    found = [[int(row["width"]), float(row["length_penalty"])] for row in rows]
    both = [[w, p] for w in widths for p in penalties]
    hints = {
        str(both): "the row of greedy search is missing: the first, width 1 without penalty",
        str([*both, [1, 0.0]]): "greedy search has the first row",
        str([[1, 0.0], *([w, p] for p in penalties for w in widths)]): (
            "the rows are in the other order: widths in the outer loop"
        ),
    }
    expect.equal(
        found,
        [[1, 0.0], *both],
        otherwise=hints.get(str(found), "greedy search, then each width with each penalty"),
        read=READ,
        what="(width, length_penalty) of all rows",
    )


@exercise("4.20")
def test_each_is_run_once(student, rng):
    """Every setting is translated once, greedy search too."""
    widths, penalties = [3, 4], [0.6, 1.0]
    translator = Translator(student, rng, widths, penalties)
    study(student, translator, widths, penalties, 20)
    calls = translator.log.get()
    expect.true(
        calls.count([1, 0.0]) == 1,
        expected="one run of greedy search",
        got=f"{calls.count([1, 0.0])}",
        otherwise="greedy search is run again and again: keep its translations",
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


@exercise("4.20", weight=2)
def test_bleu_and_intervals(student, rng):
    """BLEU of each row, and its difference to greedy search with the interval."""
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
            causes={
                "this is the BLEU of greedy search": bleu(greedy, references).value,
                "a share between 0 and 1: BLEU is given from 0 to 100": value / 100,
            },
            read=READ,
            what=f"the BLEU {name}",
        )
        if row is rows[0]:
            expect.close(
                row["difference"],
                0.0,
                atol=1e-6,
                otherwise="greedy search does not differ from itself",
                read=READ,
                what=f"the difference {name}",
            )
            continue

        def interval(one, other, samples=60):
            made = paired_bootstrap(one, other, references, samples)
            return [made.difference, *made.interval]

        right = difference, low, high = interval(own, greedy)
        expect.close(
            [row["difference"], row["low"], row["high"]],
            right,
            atol=1e-3,
            causes={
                "the difference is greedy minus this one: the other way round": interval(
                    greedy, own
                ),
                "compared with the row before, not with greedy search": interval(own, before),
                "`samples` is not used: it is always 1000": interval(own, greedy, 1000),
                "compared with itself": [0.0, 0.0, 0.0],
                "the ends of the interval have changed places": [difference, high, low],
            },
            otherwise="`paired_bootstrap(these, greedy, references, samples)`: its difference "
            "and its interval",
            read=READ,
            what=f"difference, low and high {name}",
        )
        before = own


@exercise("4.20")
def test_speed(student, rng):
    """Sentences a second, of the translation alone."""
    translator = Translator(student, rng, [4], [0.6], pause=PAUSE)
    rows = study(student, translator, [4], [0.6], 20)
    count = len(translator.references)
    for row in rows:
        speed = row["sentences_per_second"]
        name = f"of width {row['width']}"
        at_most, at_least = count / PAUSE, count / (PAUSE + 3.0)
        cause = "the number of sentences / the seconds that `translate` took"
        if isinstance(speed, float) and 0 < speed < at_least:
            cause = "seconds a sentence, not sentences a second"
        expect.true(
            isinstance(speed, (int, float))
            and math.isfinite(speed)
            and at_least < speed <= at_most,
            expected=f"at most {at_most:g} sentences a second {name}, whose {count} sentences "
            f"take {PAUSE:g} s or more",
            got=f"{speed!r}",
            otherwise=cause,
            read=READ,
        )


@exercise("4.20", weight=0.5)
def test_width_one(student, rng):
    """Width 1 among the widths raises a ValueError."""
    translator = Translator(student, rng, [1, 2], [0.6])
    for widths in ([1], [2, 1]):
        expect.raises(
            lambda widths=widths: student.width_study(
                translator.there, translator.references, widths, [0.6], 20
            ),
            otherwise="width 1 has its row already, as greedy search: refuse it",
            read=READ,
        )
