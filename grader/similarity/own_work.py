"""One student's own code for one assignment, by exercise, with its fingerprints."""

import ast
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.notebook.collect import Collected, collect
from grader.notebook.notebook_file import InvalidNotebook, read
from grader.notebook.statements import Statement

from ..library import student_tree
from .tokens import K, chosen, hashes, imported, tokens

ELSEWHERE = ""  # the exercise of a helper that none of them uses


@dataclass(frozen=True)
class Piece:
    """One definition or assignment of a student; `runs` has each hash of `K` tokens with its lines.

    Fingerprints of what every student was given are left out.
    """

    exercise: str
    source: str
    text: str  # the source without comments and layout
    runs: tuple[tuple[int, frozenset[int]], ...]
    fingerprints: frozenset[int]

    def lines(self, shared: Collection[int]) -> set[int]:
        """The lines, from 1, that these hashes cover."""
        covered = [lines for hash, lines in self.runs if hash in shared]
        return {line for lines in covered for line in lines}


@dataclass(frozen=True)
class Work:
    """A student's pieces of one assignment."""

    student: str
    pieces: tuple[Piece, ...]

    @cached_property
    def fingerprints(self) -> frozenset[int]:
        return frozenset(hash for piece in self.pieces for hash in piece.fingerprints)

    @cached_property
    def text(self) -> frozenset[str]:
        """All code, whatever its order, comments and layout."""
        return frozenset(piece.text for piece in self.pieces)

    @cached_property
    def exercises(self) -> dict[str, tuple[Piece, ...]]:
        """The pieces of each exercise, in the order of the notebook."""
        ids = dict.fromkeys(piece.exercise for piece in self.pieces)
        return {id: tuple(p for p in self.pieces if p.exercise == id) for id in ids}

    def of(self, exercise: str) -> frozenset[int]:
        """The fingerprints of one exercise."""
        pieces = self.exercises.get(exercise, ())
        return frozenset(hash for piece in pieces for hash in piece.fingerprints)


@dataclass(frozen=True)
class Handout:
    """The handout that every student of an assignment got: names, and the hashes of code."""

    assignment: Assignment
    names: Mapping[str, str]
    hashes: frozenset[int]

    @classmethod
    def of(cls, course: Course, assignment: Assignment) -> "Handout":
        """The starter's code, and the library as it is when the assignment is handed out."""
        starter = assignment.starter.read_bytes()
        given = _collected(starter, assignment).statements
        names = {name: name for statement in given for name in statement.names}
        released = student_tree.released_before(course, assignment.id)
        with tempfile.TemporaryDirectory() as folder:
            student_tree.write(course, Path(folder), assignment.id, released)
            trees = (Path(folder, name) for name in course.facts.libraries)
            paths = [path for tree in trees for path in sorted(tree.rglob("*.py"))]
            library = [path.read_text(encoding="utf-8") for path in paths]
        found = set[int]()
        for source in ["\n".join(statement.source for statement in given), *library]:
            module = ast.parse(source)
            known = {**names, **imported(module)}
            for node in module.body:
                found.update(hashes([token.text for token in tokens(node, known)]))
        return cls(assignment, names, frozenset(found))

    def work(self, student: str, data: bytes) -> Work:
        """The code that a student wrote. Raises InvalidNotebook if its code cannot be read."""
        try:
            return Work(student, tuple(self._pieces(_collected(data, self.assignment))))
        except (RecursionError, MemoryError):
            raise InvalidNotebook("its code is nested too deeply") from None
        except (SyntaxError, ValueError) as error:  # what only the compiler refuses
            raise InvalidNotebook(f"its code is not valid Python: {error}") from None

    def _pieces(self, collected: Collected) -> Iterator[Piece]:
        """The pieces with any fingerprints."""
        written = [s for s in collected.statements if not set(s.names) <= collected.unwritten]
        known = {**self.names, **imported(ast.parse("\n".join(_imports(written))))}
        exercises = _exercises(self.assignment, collected, written)
        for statement in written:
            piece = self._piece(statement, exercises.get(statement, ELSEWHERE), known)
            if piece.fingerprints:
                yield piece

    def _piece(self, statement: Statement, exercise: str, known: Mapping[str, str]) -> Piece:
        tree = ast.parse(statement.source)
        found = tokens(tree, known)
        every = hashes([token.text for token in found])
        own = {i for i, hash in enumerate(every) if hash not in self.hashes}
        runs = [
            (every[i], frozenset(token.line for token in found[i : i + K])) for i in sorted(own)
        ]
        kept = frozenset(every[i] for i in chosen(every) & own)
        return Piece(exercise, statement.source, ast.unparse(tree), tuple(runs), kept)


def _collected(data: bytes, assignment: Assignment) -> Collected:
    return collect(read(data), [name for e in assignment.exercises for name in e.names])


def _imports(statements: Iterable[Statement]) -> list[str]:
    sources = [statement.source for statement in statements]
    return [source for source in sources if source.lstrip().startswith(("import ", "from "))]


def _exercises(
    assignment: Assignment, collected: Collected, written: list[Statement]
) -> dict[Statement, str]:
    """The exercise that defines each statement's name, or else the first one that needs it."""
    found: dict[Statement, str] = {}
    for exercise in assignment.exercises:
        for statement in written:
            if set(statement.names) & set(exercise.names):
                found[statement] = exercise.id
    for exercise in assignment.exercises:
        for statement in collected.closure(exercise.names):
            found.setdefault(statement, exercise.id)
    return found
