"""The visible checks of exercise 4.20: widths and penalties."""

from grader.checking import expect
from grader.checking.exercise import exercise

# Expectations are set like tables: value, causes, hint, section.
# fmt: off

REFERENCES = ["un chien noir court dans la neige .", "deux enfants jouent au ballon .",
              "une femme lit un livre dans le train .", "un homme joue de la guitare ."]
# Greedy gets the end of two sentences wrong, width 2 of one; a penalty of 1.0 drops a period.
TRANSLATE = ("lambda width, length_penalty: (log.append([width, float(length_penalty)]), "
             "[r if i >= {1: 2, 2: 1}.get(width, 0) else ' '.join(r.split()[:-2] + ['ici', '.']) "
             "if length_penalty < 1 else r[:-2] for i, r in enumerate(references)])[1]")
KEYS = ["bleu", "difference", "high", "length_penalty", "low", "sentences_per_second", "width"]


def studied(student, widths, penalties):
    log = student.make("[]")
    translate = student.make(TRANSLATE, log=log, references=REFERENCES)
    rows = student.width_study(translate, REFERENCES, widths, penalties, samples=20)
    rows = expect.parts(rows, 1 + len(widths) * len(penalties), read="exercise 4.20",
                        otherwise="greedy, then every width with every penalty")
    for row in rows:
        expect.equal(sorted(row) if isinstance(row, dict) else row, KEYS, what="keys of a row",
                     read="exercise 4.20")
    return rows, log.get()


@exercise("4.20", weight=2)
def test_rows(student):
    """Greedy first, then each width with each penalty; each setting is translated once."""
    rows, log = studied(student, [2, 3], [0.0, 1.0])
    want = [[1, 0.0], [2, 0.0], [2, 1.0], [3, 0.0], [3, 1.0]]
    expect.equal([[row["width"], float(row["length_penalty"])] for row in rows], want,
                 what="[width, length_penalty] of the rows", read="exercise 4.20",
                 otherwise="widths in the outer loop")
    expect.equal(sorted(log), want, what="what was translated", read="exercise 4.20",
                 otherwise="greedy is width 1 with penalty 0.0, translated once for all rows")
    expect.close(rows[3]["bleu"], 100.0, atol=1e-3, what="BLEU of width 3, which makes no mistake,",
                 read="exercise 4.20")
    speeds = [row["sentences_per_second"] for row in rows]
    expect.true(min(speeds) > 0, expected="sentences per second above 0", got=repr(min(speeds)),
                read="exercise 4.20")
    expect.true(len(set(speeds)) > 1, expected="a different speed for every row",
                got=f"{speeds[0]!r} in all of them", read="exercise 4.20",
                because="the same speed everywhere is not measured: time each translation")


@exercise("4.20")
def test_differences(student):
    """Each row's difference to greedy, in points, within its interval; greedy itself has 0."""
    rows, _ = studied(student, [3], [0.0])
    greedy, wide = rows
    expect.close([greedy[key] for key in ("difference", "low", "high")], [0.0, 0.0, 0.0],
                 what="difference, low and high of greedy", read="exercise 4.20",
                 otherwise="greedy is compared with itself")
    gain = wide["bleu"] - greedy["bleu"]
    expect.close(wide["difference"], gain, atol=1e-6, what="the difference of width 3",
                 read="exercise 4.20")
    expect.true(wide["low"] <= gain <= wide["high"], expected=f"an interval around {gain:.2f}",
                got=f"{wide['low']:.2f} to {wide['high']:.2f}", otherwise="are the ends swapped?",
                read="exercise 4.20")


@exercise("4.20", beside=["test_rows", "test_differences"])
def test_width_one_is_there(student):
    """Width 1 among the widths raises a ValueError: greedy already has its row."""
    expect.raises(lambda: studied(student, [1, 2], [0.0]), read="exercise 4.20",
                  otherwise="raise a ValueError before anything is translated")
