"""Marks a generated class by keyboard in a browser: what the page costs a marker besides reading.

Nobody reads here: points are typed as soon as an answer is there. So the time is what a marker
waits for the page and the store, and the number of answers is that of cards, as equal and nearly
equal ones lie on one. How many are alike is the class's own; here a tenth is empty, three tenths
are common answers with a word exchanged, and the others are of students' own.
"""

import random
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bench.record import Log, Measures, of_values
from book.decks import browser
from grader.authoring import results_file
from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.gradebook.exercise_result import ExerciseResult, PartResult
from grader.gradebook.result import Result, SubmissionFacts
from grader.gradebook.store import Store
from grader.marking.desk import Desk
from grader.marking.entries import Marker
from grader.marking.server import offered

NAME = "bench_marking"
COMMON = 12  # answers that many students give, to each question
WORDS = (
    "the weights of a softmax sum to one whatever the scale so that dividing by the root of the "
    "width keeps the variance of each score and lets gradients reach queries and keys while large "
    "scores make one key win and order is lost unless positions are added to the embeddings before "
    "attention mixes values of other tokens in this head which a later layer may ignore"
).split()


def run(course: Course, assignment: Assignment, students: int, log: Log) -> Measures:
    """Measures of one class, each answer marked once. Raises NoBrowserError."""
    binary = browser.path()
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "results.db") as store:
        for result in class_of(course, assignment, students):
            store.add(result)
        desk, marker = Desk(store, course), Marker("bench")
        parts = [part for part in desk.parts() if part.assignment == assignment.id]
        cards = sum(len(desk.cards(part.assignment, part.item)) for part in parts)
        log(f"{students * len(parts)} answers on {cards} cards")
        with offered(desk, marker, "127.0.0.1", 0, Path(folder)) as served:
            threading.Thread(target=served.run, daemon=True).start()
            waits, keys = _marked(binary, served.address, [p.item for p in parts], assignment.id)
        marks = store.marks()
    if len(marks) != students * len(parts) or not all(m.mark.answer_sha256 for m in marks):
        raise AssertionError(f"{len(marks)} marks were stored: a bug of ours")
    return _measures(students * len(parts), waits, keys)


def class_of(course: Course, assignment: Assignment, students: int, seed: int = 0) -> list[Result]:
    """Results of a class: the written parts alone, with generated answers."""
    draw = random.Random(seed)
    common: dict[str, list[list[str]]] = {}
    found = []
    for number in range(students):
        exercises = []
        for exercise in assignment.exercises:
            parts = []
            for part in exercise.parts:
                id = f"{exercise.id}.{part.id}"
                pool = common.setdefault(id, [_sentence(draw) for _ in range(COMMON)])
                answer = _answer(draw, pool)
                facts: dict[str, Any] = {"id": id, "title": part.title, "points": None}
                facts |= {"comment": "", "answer": answer, "words": len(answer.split())}
                facts |= {"max_points": part.points}
                parts.append(PartResult(**facts, word_limit=part.words))
            if parts:
                facts = exercise.model_dump(include={"id", "title", "kind", "bonus", "section"})
                facts |= {"max_points": exercise.points, "points": None, "status": "pending"}
                exercises.append(ExerciseResult(**facts, parts=parts))
        result = Result.of(
            assignment, SubmissionFacts(sha256=f"{number:064x}"), exercises, "GRADED", ""
        )
        found.append(result.model_copy(update={"student": f"s{number:03}"}))
    return found


def _answer(draw: random.Random, pool: list[list[str]]) -> str:
    kind = draw.random()
    if kind < 0.1:
        return ""
    words = [*draw.choice(pool)] if kind < 0.4 else _sentence(draw)
    if kind < 0.4:
        words[draw.randrange(len(words))] = draw.choice(WORDS)
    return f"{' '.join(words).capitalize()}, as $d_k$ shows."


def _sentence(draw: random.Random) -> list[str]:
    return draw.choices(WORDS, k=draw.randint(40, 110))


def _marked(
    binary: str, address: str, items: list[str], assignment: str
) -> tuple[list[float], int]:
    """Seconds from a card's first key to the next card, for each; and the number of keys."""
    waits, keys = list[float](), 0
    with browser.running(binary) as window:
        page = window.new_page()
        for item in items:
            page.goto(f"{address}{assignment}/{item}")
            while page.locator("#give").count():
                begun = time.perf_counter()
                page.keyboard.press(str(len(waits) % 5))
                with page.expect_navigation(wait_until="load"):
                    page.keyboard.press("Enter")
                waits.append(time.perf_counter() - begun)
                keys += 2
    return waits, keys


def _measures(answers: int, waits: list[float], keys: int) -> Measures:
    seconds = sum(waits)
    found = of_values(
        {
            "answers": [answers],
            "cards": [len(waits)],
            "keys": [keys],
            "minutes": [seconds / 60],
            "marks_per_minute": [60 * answers / seconds],
            "cards_per_minute": [60 * len(waits) / seconds],
            "card_ms": [1000 * statistics.median(waits)],
            "card_ms_of_95_percent": [1000 * sorted(waits)[int(0.95 * len(waits))]],
        }
    )
    data = {"class": "generated (bench/grader/marking.py), seed 0"}
    command = f"course bench marking --students {answers // 3}"
    results_file.write(NAME, command, found, data)
    return found
