"""`course demo`: grades a small bundled class, and trains its models meanwhile."""

import shutil
import sys
import time
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path

from autograder.demo import bundled_class, models
from grader.cli import EXIT_OK
from grader.cli.grading import class_grading
from grader.cli.records import results
from grader.course.course import Course
from grader.gradebook.result import Result
from grader.gradebook.store import Store
from grader.grading.judge_pool import Settings

LOOK_AT = """
What to look at in the report: s03 forgot the scaling. s10 handed in the same file, which only
`course similar` on the folder "submitted" tells. s04's softmax ignores its axis, but the exercises
that use it keep their points ("carried through"). s11 never ends and s12 searches the disk for
answers, and neither costs anyone else a point. In assignments 3 and 4, s04 trained too briefly, and
s09 handed in predictions without the weights."""

TRANSLATED = (
    "The proud nurse does not know the old garden.",
    "Three proud nurses will not visit a museum tomorrow.",
)


def run(out: Path, jobs: int) -> int:
    """Write the class's notebooks, grade them, write the report, and say what to look at.

    A first report covers the assignments without a trained model. Meanwhile classifiers and
    translators train in the background; they are then handed in and graded, and the best
    translates two sentences.
    """
    started = time.perf_counter()
    course = Course.here()
    tier = class_grading.checked_tier(None, trust=True)  # the class is ours
    results.prepare(out)
    folder, trained = out / "submitted", out / "models"
    for old in (folder, trained):
        shutil.rmtree(old, ignore_errors=True)
    over = frozenset(a.id for a in course.graded)  # the class has handed in
    early = [a.id for a in course.assignments if a.model is None]
    with ExitStack() as stack:
        store = stack.enter_context(Store(out / "results.db"))
        trainings = {
            measure: stack.enter_context(models.Training(trained / measure, measure))
            for measure in models.TRAININGS
        }
        print("a classifier and a translator train in the background", file=sys.stderr)
        print(f"isolation: {class_grading.tier_text(tier)}", file=sys.stderr)

        def grade(ids: Collection[str]) -> list[Result]:
            bundled_class.write(folder, course, ids, trained)
            kept = [s for s in class_grading.received(folder, course) if s.assignment in ids]
            with_models = class_grading.with_models(course, kept, None)
            labels = class_grading.hidden_labels(course, with_models, "generated")
            settings = Settings(
                jobs, tier.name, min_tier="D", regrade=True, hidden=labels, ended=over
            )
            return class_grading.grade(kept, course, store, settings, quiet=False)

        graded = grade(early)
        first, took = results.write(store, course, out), time.perf_counter() - started
        ids = " and ".join(early)
        print(f"{ids} graded in {took:.0f} s; a first report: {first.report}", file=sys.stderr)
        learned: dict[str, dict[str, float]] = {}
        for id, part in ((a.id, a.model) for a in course.assignments if a.model):
            learned[part.measure] = trainings[part.measure].learned()
            graded += grade([id])
        written = results.write(store, course, out)
    results.print_table(written.of(graded))
    print(LOOK_AT)
    _translate(trained / "bleu" / models.TRAINED, learned["bleu"])
    took = time.perf_counter() - started
    print(f"\n{len(graded)} submissions graded in {took:.0f} s. Open the report: {written.report}")
    return EXIT_OK


def _translate(folder: Path, learned: dict[str, float]) -> None:
    """Translate two sentences, and print how good the translator is on unseen ones."""
    from course_lib.decoding.translator import Translator

    print(
        f"\nMeanwhile a translator learned generated sentences in {learned['cpu_seconds']:.0f} s "
        f"of CPU time: {learned['exact_match']:.1%} of 1,000 new ones are exactly right, and its "
        f"attention aligns the words (error rate {learned['alignment_error_rate']:.2f})."
    )
    for text, made in zip(TRANSLATED, Translator.load(folder).translate(TRANSLATED), strict=True):
        print(f"  {text} → {made}")
