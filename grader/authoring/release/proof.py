"""Proves that a finished tree holds nothing hidden, whatever the kind of file or place in it.

Code is found verbatim (three lines in a row, or a whole short body, in any layout), as a syntax
tree, and as a syntax tree with other names; sentences of rubrics, model answers and hints in any
layout; hidden tests and named mistakes by name. A file that cannot be read is itself a finding.
What the course's own public texts say, as read from this checkout and not from the tree, is none.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from grader.course.course import Course
from grader.notebook import notebook_file

from ...library.components import Component
from ...library.student_tree import released_code, unreleased
from .. import likeness
from ..likeness import LEAST_CHARACTERS, RUN, WORD
from . import text_fragments
from .secrets import Secrets
from .text_fragments import TextFragment

UNREADABLE = "what is neither UTF-8 nor a zip, so that nobody can tell what is in it"
SHORT_SENTENCE = 25  # squeezed characters below which a hint or sentence is said by chance


@dataclass(frozen=True)
class Leak:
    """One place that holds something hidden."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: holds {self.what}"


Found = dict[str, str]  # fingerprint → what it belongs to


@dataclass
class Marks:
    """The fingerprints of everything hidden."""

    runs: Found = field(default_factory=dict)  # three normalized lines
    texts: Found = field(default_factory=dict)  # squeezed texts
    trees: Found = field(default_factory=dict)  # exact and renamed
    names: Found = field(default_factory=dict)

    @cached_property
    def beginnings(self) -> dict[str, list[str]]:
        """The squeezed texts by their first characters, to look them all up in one pass."""
        found: dict[str, list[str]] = {}
        for text in self.texts:
            found.setdefault(text[:SHORT_SENTENCE], []).append(text)
        return found

    def without(self, other: "Marks") -> "Marks":
        """These, but for those in `other`."""

        def left(mine: Found, theirs: Found) -> Found:
            return {key: what for key, what in mine.items() if key not in theirs}

        return Marks(
            left(self.runs, other.runs),
            left(self.texts, other.texts),
            left(self.trees, other.trees),
            left(self.names, other.names),
        )


def marks(secrets: Secrets, public: Iterable[tuple[str, bytes]]) -> Marks:
    """The fingerprints to look for; `public` are files that students may have."""
    found = Marks(names=dict(secrets.names))
    for code in secrets.code:
        mine = _of_code(code.what, code.source, code.is_answer)
        if code.given:
            mine = mine.without(_of_code("", code.given, code.is_answer))
        found.runs |= mine.runs
        found.texts |= mine.texts
        found.trees |= mine.trees
    for sentence, what in secrets.sentences.items():
        if len(squeezed := likeness.squeezed(sentence)) >= SHORT_SENTENCE:
            found.texts[squeezed] = what
    seen = Marks()
    for path, data in public:
        for fragment in text_fragments.of_file(path, data):
            for kind, key, _, _ in _hits(fragment, found):
                getattr(seen, kind)[key] = ""
    return found.without(seen)


def _of_code(what: str, source: str, renamed: bool) -> Marks:
    found, source_lines = Marks(), source.splitlines()
    tree = likeness.parsed(source)
    if tree is None:
        return found
    for body in _all_bodies(tree):
        lines = [text for _, text in likeness.code_lines(ast.unparse(ast.Module(body, [])))]
        original = source_lines[body[0].lineno - 1 : body[-1].end_lineno]
        written = [text for _, text in likeness.code_lines("\n".join(original))]
        for kind in (lines, written):
            for first in range(len(kind) - RUN + 1):
                key = "\n".join(kind[first : first + RUN])
                if len(key) >= LEAST_CHARACTERS:
                    found.runs[key] = what
            if len(whole := "".join(kind).casefold()) >= LEAST_CHARACTERS:
                found.texts[whole] = what
        if sum(map(len, lines)) >= LEAST_CHARACTERS:
            found.trees[likeness.exact(body)] = what
    for key, _ in _renamed(tree) if renamed else ():
        found.trees[key] = what
    return found


def _all_bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    """The bodies of functions; code without any function is a body by itself."""
    found = [body for _, body in likeness.bodies(tree)]
    has_functions = any(isinstance(n, likeness.FUNCTIONS) for n in ast.walk(tree))
    return found if has_functions or not tree.body else [tree.body]


def _renamed(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The renamed trees of bodies and of runs of statements, each with its line."""
    for number, body in likeness.bodies(tree):
        if key := likeness.renamed(body):
            yield key, number
    for block in likeness.blocks(tree):
        for number, run in likeness.windows(block):
            if key := likeness.renamed(run):
                yield key, number


def find(files: Mapping[str, bytes], hidden: Marks) -> list[Leak]:
    """The leaks in a tree of files, by path; each hidden thing is listed once per file."""
    leaks: dict[tuple[str, str], Leak] = {}
    for path, data in sorted(files.items()):
        for word in WORD.findall(path):
            if word in hidden.names:
                leaks[path, word] = Leak(path, f"the name of {hidden.names[word]}: {word}")
        for place in text_fragments.unreadable(path, data):
            leaks[place, ""] = Leak(place, UNREADABLE)
        for fragment in text_fragments.of_file(path, data):
            for _, _, what, line in _hits(fragment, hidden):
                leaks.setdefault((path, what), Leak(fragment.place(line), what))
    return list(leaks.values())


def _hits(fragment: TextFragment, hidden: Marks) -> Iterator[tuple[str, str, str, int]]:
    """Kind, fingerprint, what it belongs to and line of everything hidden in a fragment."""
    for word in set(WORD.findall(fragment.text)) & hidden.names.keys():
        line = fragment.text[: fragment.text.index(word)].count("\n")
        yield "names", word, f"the name of {hidden.names[word]}: {word}", line
    lines = likeness.code_lines(fragment.text)
    for first in range(len(lines) - RUN + 1):
        key = "\n".join(text for _, text in lines[first : first + RUN])
        if key in hidden.runs:
            yield "runs", key, hidden.runs[key], lines[first][0]
    whole = "".join(text for _, text in lines).casefold()
    plain = likeness.squeezed(fragment.text)
    for key in {*_inside(whole, hidden), *_inside(plain, hidden)}:
        yield "texts", key, hidden.texts[key], _line_of(key, fragment)
    tree = likeness.parsed(fragment.text) if len(fragment.text) >= LEAST_CHARACTERS else None
    for body_line, body in likeness.bodies(tree) if tree else ():
        key = likeness.exact(body)
        if key in hidden.trees:
            yield "trees", key, hidden.trees[key], body_line - 1
    for key, number in _renamed(tree) if tree else ():
        if key in hidden.trees:
            yield "trees", key, f"{hidden.trees[key]}, under other names", number - 1


def _inside(squeezed: str, hidden: Marks) -> Iterator[str]:
    """The hidden texts that a squeezed text contains."""
    beginnings = hidden.beginnings
    for at in range(len(squeezed) - SHORT_SENTENCE + 1):
        for text in beginnings.get(squeezed[at : at + SHORT_SENTENCE], ()):
            if squeezed.startswith(text, at):
                yield text


def _line_of(key: str, fragment: TextFragment) -> int:
    """The line of a fragment in which a squeezed text begins, or 0."""
    for number, line in enumerate(fragment.lines):
        beginning = likeness.line(line).casefold()[:LEAST_CHARACTERS]
        if len(beginning) > 5 and key.startswith(beginning):
            return number
    return 0


def unexcused(course: Course, files: Mapping[str, bytes], answers: Iterable[str]) -> list[Leak]:
    """The leaks of answers in code, even if a public source of this checkout has them too.

    Only an answer that is out excuses what looks like it: an encoder looks like a decoder.
    """
    code = [(p, d.decode()) for p, d in sorted(files.items()) if p.endswith(".py")]
    for path, data in sorted(files.items()):
        if path.endswith(".ipynb"):
            cells = notebook_file.read(data)
            code += [(f"{path}, cell {cell.number}", cell.source) for cell in cells]
    hidden = list(unreleased(course, answers))
    out = released_code(course, answers)
    found = likeness.find_leaks(code, hidden, out)
    leaks = [Leak(leak.where, f"{leak.what} of {leak.component}") for leak in found]
    bodies, allowed = dict[str, str](), _renamed_bodies(out)
    for reference in hidden:
        component = Component.parse(reference)
        given = _renamed_bodies(component.stub(""))  # a constructor that students get, say
        bodies |= dict.fromkeys(_renamed_bodies(component.source) - given - allowed, reference)
    for path, source in code:
        for key in _renamed_bodies(source) & bodies.keys():
            leaks.append(Leak(path, f"a function body of {bodies[key]}, under other names"))
    return leaks


def _renamed_bodies(source: str) -> set[str]:
    tree = likeness.parsed(source)
    keys = {likeness.renamed(body) for _, body in likeness.bodies(tree)} if tree else set()
    return {key for key in keys if key}
