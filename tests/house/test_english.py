"""The English of what users read: constructions that read as translated, and what to write instead.

CONTRIBUTING.md has the rule, under “English”; a pattern finds only the commonest breaches of it.
"""

import ast
import re

import pytest
from user_texts import python_files, texts

BANNED = {
    r"\b(?:is|are|was|were|be|been) told\b(?! apart| from)": "says, lists, reports",
    r"\b(?:is|are|was|were|be|been) said\b(?! to be)": "says, mentions, is in",
    r"\b(?:goes|go|went|gone|going) on\b": "continues, resumes",
    r"(?<![-\w])(?:stands?|stood)\b(?!-| in for| for\b| out\b)": "is, is in, comes, follows",
    r"\bwhat (?:is|was) (?:pinned|due|told|said|graded|allowed|forbidden|made|got|here|so far)\b": (
        "a noun: the requirements, the message, the graded parts"
    ),
    r"(?:^|[.;:|!] )Whoever [^?.;|]+[.;|]": "anyone who, students who",
    r"\bonce no \w+ is\b|\bnone of them is required\b": "once you have, all are optional",
    r"\bfor good(?=[.:;,])": "permanently",
    r"\b(?:therein|thereof|hereby|nor need you)\b": "the noun, the positive",
    r"\ba (?:day|week|minute) begun\b": "per started day",
    r"\b(?:one|a) (?:row|line|file|folder|key|column) an? \w+": "one file per student",
    r"\b(?:derivative|gradient)s? by (?:its|the|\w\b)": "with respect to",
    r"\b(?:orange|green|blue) way\b": "path",
    r"\bno mistake of yours\b|\bof one's own making\b": "not your mistake",
    r"\bcomes? about\b": "happens, is computed",
    r"\bcounts before\b": "overrides",
    r"(?<!there )\bis no (?:notebook|name|component|exercise|number|hash|repository|code)\b": (
        "is not a notebook"
    ),
    r"\bway round\b|\bturned round\b": "way around, reversed",
    r"\b(?:neighbours?|colours?|behaviour|labell(?:ed|ing)|licence|centred)\b(?!=)": (
        "American spelling"
    ),
}
CLAUSES = {"What", "Whatever", "Who", "Whoever", "Whose"}  # a docstring begins with a verb or noun
NAMES = {"said", "told", "beside", "apart", "stands", "goes", "lacking", "around", "stretches"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.fixture(scope="module")
def paragraphs():
    found = [*texts()]
    assert len(found) > 20_000
    return found


@pytest.mark.parametrize(("pattern", "instead"), BANNED.items())
def test_no_text_has_a_construction_that_reads_as_translated(paragraphs, pattern, instead):
    assert [
        f"{path}:{line}: …{text[max(0, hit.start() - 40) : hit.end() + 40]}… Write: {instead}"
        for path, line, text in paragraphs
        for hit in re.finditer(pattern, text, re.IGNORECASE)
    ] == []


def test_docstrings_begin_with_a_verb_or_a_noun():
    assert [
        f"{path}:{getattr(node, 'lineno', 1)}: {first}"
        for path in python_files()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node))
        if (first := text.split()[0]) in CLAUSES
    ] == []


def test_no_module_and_no_function_is_named_by_a_participle_that_stands_for_a_thing():
    assert [
        f"{path}: {name}"
        for path in python_files()
        for name in [
            path.stem,
            *(
                node.name
                for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                if isinstance(node, ast.FunctionDef)
            ),
        ]
        if name in NAMES
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "who is missing is told",
        "What it takes stands in README.",
        "The training goes on.",
        "up to 3 days late for 10 % a day begun",
        "exercise 1.4, what is pinned",
        "Whoever sees it can mark.",
    ],
)
def test_a_breach_is_found(text):
    assert any(re.search(pattern, text, re.IGNORECASE) for pattern in BANNED)
