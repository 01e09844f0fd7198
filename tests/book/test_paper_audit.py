"""The audit of the paper: it holds, and each kind of lie in it is found."""

import inspect
import math
import re
from dataclasses import replace

import pytest
import torch
from checkout import ROOT
from torch import nn

from book import references
from book.audit import audit_checks, citations, claims, statements
from course_lib.classifier import EncoderClassifier
from course_lib.recipes.profiles import Profile
from course_lib.transformer import Transformer
from grader.course.record.mistake import Hunk
from grader.library.components import Component

PENALTIES = claims.value("results/multi30k_test2016.json:length_penalty")


@pytest.fixture(scope="module")
def audit():
    return statements.load()


def about(audit, words):
    return next(one for one in audit if words in one.says)


def test_every_statement_holds(audit):
    assert audit_checks.problems(audit) == []
    assert len(audit) >= 76
    assert sum(bool(one.open) for one in audit) >= 12


def test_every_statement_carried_out_names_its_lines(audit):
    for one in audit:
        if one.broken_by and not one.open:
            assert statements.where(one), one.says


# What is planted in the file of statements: (of which row, what is changed).
LIES = {
    "no such section": ("divided by √d_k", {"section": "3.2.4"}),
    "defines no 'attend'": ("divided by √d_k", {"components": ("course_lib.attention:attend",)}),
    "no anchor of §3.2.1": ("divided by √d_k", {"components": ("course_lib.masks:causal_mask",)}),
    "no named bug": ("divided by √d_k", {"broken_by": "a2/attention_scaled_twice"}),
    "none of its components": ("divided by √d_k", {"broken_by": "a2/merge_sum_of_heads"}),
    "give components and": ("divided by √d_k", {"broken_by": ""}),
    "the paper says, 4000": ("d_ff = 2048", {"paper": 4000}),
    "is not there": ("d_ff = 2048", {"claims": {"course_lib.config:TransformerConfig(d)": 1}}),
    "need `paper`": ("d_ff = 2048", {"paper": None}),
    "there is no test": ("similar length", {"tested_by": "tests/data/test_batching.py::test_it"}),
    "one of open": ("parsing", {"open": "The paper does not say."}),
    "`given` is one of": ("d_ff = 2048", {"given": "CLEAR"}),
    "is not SPECIFIED": ("initialization", {"given": "SPECIFIED"}),
    "UNSPECIFIED is open": ("d_ff = 2048", {"given": "UNSPECIFIED"}),
    "give `alternatives`": ("initialization", {"alternatives": ""}),
    "does not cite R700": ("initialization", {"number": "R700"}),
    "is given twice": ("initialization", {"number": "R1"}),
    "'Exercise 3.16' is written by hand": ("initialization", {"open": "Exercise 3.16 has three."}),
    "does not call kaiming_uniform_": (
        "initialization",
        {"calls": {"course_lib.transformer:Transformer": "kaiming_uniform_"}},
    ),
    "is 0.01, the page says 0.0": (
        "Weight decay",
        {"claims": {"course_lib.recipes.profiles:Profile(weight_decay)": 0.0}},
    ),
    f"is {PENALTIES}, the page says 0.6": (
        "α as it is used",
        {"claims": {"results/multi30k_test2016.json:length_penalty": 0.6}},
    ),
    "is 5, the page says 4": (
        "A beam of 4",
        {"claims": {"course_lib.decoding.search:beam_search(width)": 4}},
    ),
    "(dropout) is there": (
        "inside the feed-forward",
        {"lacks": ("course_lib.attention:MultiHeadAttention(dropout)",)},
    ),
    "is 63.1, the page says 65": (
        "65 million parameters",
        {"claims": {"book.audit.claims:SIZES[base].millions": 65}},
    ),
    "is 29000, the page says 30000": (
        "4.5 and 36 million",
        {"claims": {"data/registry.toml:multi30k_en_fr.train": 30000}},
    ),
}


@pytest.mark.parametrize("said", LIES)
def test_a_lie_is_found(audit, said):
    words, changes = LIES[said]
    found = audit_checks.problems([audit[0], replace(about(audit, words), **changes)])
    assert any(said in problem for problem in found), found


def another_default(monkeypatch):
    """The weight decay of the recipes is another one."""
    made = Profile.__init__
    names = list(inspect.signature(made).parameters)
    with_default = names[len(names) - len(made.__defaults__) :]
    at = with_default.index("weight_decay")
    defaults = (*made.__defaults__[:at], 0.1, *made.__defaults__[at + 1 :])
    monkeypatch.setattr(made, "__defaults__", defaults)


def another_initializer(monkeypatch):
    """The Transformer is initialized as torch initializes its layers."""
    true = Component.source.func

    def source(component):
        return true(component).replace("xavier_uniform_", "kaiming_uniform_")

    monkeypatch.setattr(Component, "source", property(source))


def another_exercise(monkeypatch):
    """No exercise asks for `initialize` any more."""
    true = references.exercise_of

    def exercise_of(*components):
        return true(*(one for one in components if not one.endswith(":initialize")))

    monkeypatch.setattr(references, "exercise_of", exercise_of)


def another_measure(monkeypatch):
    """Validation chooses another length penalty."""
    true = claims.value

    def value(reference):
        return 1.0 if reference.endswith(":length_penalty") else true(reference)

    monkeypatch.setattr(claims, "value", value)


def a_citation_too_many(monkeypatch):
    """A comment in the feed-forward network cites a row about embeddings."""
    wrong = citations.cited_in("course_lib/feed_forward.py", "x = 1  # R35\n")
    found = (*citations.citations(), *wrong)
    monkeypatch.setattr(audit_checks, "citations", lambda: found)


def a_citation_too_few(monkeypatch):
    found = tuple(one for one in citations.citations() if one.number != "R33")
    monkeypatch.setattr(audit_checks, "citations", lambda: found)


CHANGES = {
    "(weight_decay) is 0.1, the page says 0.01": another_default,
    "does not call xavier_uniform_": another_initializer,
    f"length_penalty is 1.0, the page says {PENALTIES}": another_measure,
    "feed_forward.py, line 1: R35 is about another place": a_citation_too_many,
    "feed_forward.py does not cite R33": a_citation_too_few,
}


@pytest.mark.parametrize("said", CHANGES)
def test_a_change_of_the_code_that_the_page_does_not_follow_is_found(audit, said, monkeypatch):
    CHANGES[said](monkeypatch)
    without_mistakes = [replace(one, broken_by="") for one in audit]  # which take seconds to apply
    found = audit_checks.problems(without_mistakes)
    assert any(said in problem for problem in found), found


def test_an_exercise_that_moves_moves_on_the_page(audit, monkeypatch):
    row = about(audit, "initialization")
    assert row.filled(row.open).startswith("The paper does not name one. Exercise 3.17 compares")
    another_exercise(monkeypatch)
    assert "Exercise 4.5 compares" in row.filled(row.open)


def test_the_transformer_is_initialized_as_the_page_says():
    torch.manual_seed(0)
    model = Transformer(50, n_layers=1, d_model=64, n_heads=4, d_ff=256)
    for name, matrix in [*model.encoder.named_parameters(), *model.decoder.named_parameters()]:
        if matrix.ndim > 1:
            bound = math.sqrt(6 / sum(matrix.shape))
            assert 0.98 * bound < matrix.abs().max() <= bound, name
    classifier = EncoderClassifier(50, n_layers=1, d_model=64, n_heads=4, d_ff=256)
    for layer in (one for one in classifier.encoder.modules() if isinstance(one, nn.Linear)):
        assert layer.weight.abs().max() <= 1 / math.sqrt(layer.in_features)  # torch's own


def test_the_comment_beside_the_presets_has_the_counted_parameters():
    text = re.sub(r"\n# ", " ", (ROOT / "course_lib/config.py").read_text("utf-8"))
    base, big = (claims.SIZES[name].millions for name in ("base", "big"))
    assert f"base has {base} and big {big} million parameters; Table 3 says 65 and 213." in text


def test_a_mistake_that_no_longer_fits_the_source_is_found(audit, monkeypatch):
    true = about(audit, "divided by √d_k")
    hunk = Hunk(("a line that was rewritten",), ())
    stale = true.bug.model_copy(update={"change": (hunk,)})
    monkeypatch.setattr(statements.mistakes, "load", lambda _: [stale])
    assert any("occurs 0 times" in problem for problem in audit_checks.problems([true]))


def test_an_anchor_without_a_statement_is_found(audit):
    left = [one for one in audit if one.section != "5.3"]
    found = "\n".join(audit_checks.problems(left))
    assert "§5.3 has no statement" in found
    assert re.search(r"course_lib/training/optimizers.py, line \d+: no statement is about", found)


def test_a_citation_is_read_from_a_comment_or_the_first_text_alone():
    text = (
        '"""A module.\n\nRows R1 and R2."""\n\n\ndef f():\n    """R3."""\n    return "R4"  # R5\n'
    )
    found = [(one.number, one.place) for one in citations.cited_in("course_lib/x.py", text)]
    assert found == [("R1", "course_lib.x"), ("R2", "course_lib.x"), ("R5", "course_lib.x:f")]


def test_an_unknown_key_is_named(tmp_path):
    path = tmp_path / "audit.toml"
    path.write_text('[[statements]]\nsection = "3"\nsays = "x"\nbroken = "a1/x"\n', "utf-8")
    with pytest.raises(TypeError, match=r"audit\.toml: unknown key 'broken' of 'x'"):
        statements.load(path)
