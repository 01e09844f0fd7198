"""`course demo`: a bundled class, graded before your eyes."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Collection
from pathlib import Path

from course_lib import syllabus

from .. import class_run, demo_class, demo_translator
from ..gradebook.store import Result, Store
from . import EXIT_OK, grade_command, results

LOOK_AT = """
What to look at in the report: s03 forgot the scaling, s10 handed in the same file; s04's softmax
ignores its axis, yet what rests on it keeps its points ("carried through"); s11 never ends and s12
searches the disk for answers, and neither costs anybody else a point. In assignments 3 and 4, s04
trained too short, and s09 handed in predictions without the weights that made them."""


TRANSLATED = (
    "The proud nurse does not know the old garden.",
    "Three proud nurses will not visit a museum tomorrow.",
)


def run(out: Path, jobs: int) -> int:
    """Write the class's notebooks, grade them afresh, report; prints a table and what to see.

    Meanwhile a translator learns, which is then handed in, graded, and asked two sentences. The
    report is there before that, without the assignment that a translator is handed in for.
    """
    started = time.perf_counter()
    course = syllabus.load()
    tier = grade_command.checked_tier(None, trust=True)  # the class is ours
    results.prepare(out)
    folder, models = out / "submitted", out / "translators"
    for old in (folder, models):
        shutil.rmtree(old, ignore_errors=True)
    with demo_translator.DemoTranslator(models) as training:
        print("a translator learns in the background", file=sys.stderr)
        count = demo_class.write(folder, course)
        print(f"{count} notebooks of a class written to {folder}", file=sys.stderr)
        print(f"isolation: {grade_command.told(tier)}", file=sys.stderr)
        late = {a.id for a in course.assignments if a.model and a.model.measure == "bleu"}
        with Store(out / "results.db") as store:

            def grade(ids: Collection[str]) -> list[Result]:
                kept = [s for s in grade_command.received(folder, course) if s.assignment in ids]
                wanted = grade_command.with_models(course, kept, None)
                labels = grade_command.hidden_labels(course, wanted, "generated")
                settings = class_run.Settings(
                    jobs, tier.letter, least="D", regrade=True, hidden=labels
                )
                return grade_command.grade(kept, course, store, settings, quiet=False)

            graded = grade({a.id for a in course.assignments} - late)
            first = results.write(store, course, out)
            took = time.perf_counter() - started
            print(
                f"{len(graded)} of {count} submissions graded in {took:.0f} s; a first report: "
                f"{first.report}",
                file=sys.stderr,
            )
            learnt = training.wait()
            for id in sorted(late):
                demo_class.hand_in_translators(folder, course.assignment(id), models)
            graded += grade(late)
            written = results.write(store, course, out)
    results.print_table(written.of(graded), course)
    print(LOOK_AT)
    _translate(models / demo_translator.TRAINED, learnt)
    took = time.perf_counter() - started
    print(f"\n{count} submissions graded in {took:.0f} s. Open the report: {written.report}")
    return EXIT_OK


def _translate(folder: Path, learnt: dict[str, float]) -> None:
    """Two sentences, and how good the translator is on sentences that it has never seen."""
    from course_lib.translation import Translator

    print(
        f"\nMeanwhile a translator learnt a grammar's sentences in {learnt['cpu_seconds']:.0f} s "
        f"of CPU: {learnt['exact_match']:.1%} of 1,000 new ones are exactly right, and its "
        f"attention finds the words (alignment error rate {learnt['alignment_error_rate']:.2f})."
    )
    for text, made in zip(TRANSLATED, Translator.load(folder).translate(TRANSLATED), strict=True):
        print(f"  {text} → {made}")
