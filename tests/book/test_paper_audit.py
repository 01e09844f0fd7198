"""The audit of the paper: it holds, and each kind of lie in it is found."""

from dataclasses import replace

import pytest

from book import statements


@pytest.fixture(scope="module")
def audit():
    return statements.load()


def about(audit, words):
    return next(one for one in audit if words in one.says)


def test_every_statement_holds(audit):
    assert statements.problems(audit) == []
    assert len(audit) >= 60
    assert sum(bool(one.open) for one in audit) >= 10


def test_every_statement_carried_out_names_its_lines(audit):
    for one in audit:
        if one.broken_by and not one.open:
            assert statements.where(one), one.says


LIES = {
    "no such section": ("divided by √d_k", {"section": "3.2.4"}),
    "defines no 'attend'": ("divided by √d_k", {"components": ("course_lib.attention:attend",)}),
    "no anchor of §3.2.1": ("divided by √d_k", {"components": ("course_lib.masks:causal_mask",)}),
    "no named bug": ("divided by √d_k", {"broken_by": "a2/attention_scaled_twice"}),
    "none of its components": ("divided by √d_k", {"broken_by": "a2/merge_sum_of_heads"}),
    "give components and": ("divided by √d_k", {"broken_by": ""}),
    "the paper says 4000": ("d_ff = 2048", {"paper": 4000}),
    "is not there": ("d_ff = 2048", {"value": "course_lib.config:TransformerConfig(d_inner)"}),
    "needs `paper`": ("d_ff = 2048", {"paper": None}),
    "there is no test": ("similar length", {"tested_by": "tests/data/test_batching.py::test_it"}),
    "one of open": ("parsing", {"open": "The paper does not say."}),
}


@pytest.mark.parametrize("said", LIES)
def test_a_lie_is_found(audit, said):
    words, changes = LIES[said]
    true = about(audit, words)
    wrong = [replace(one, **changes) if one is true else one for one in audit]
    found = statements.problems(wrong)
    assert any(said in problem for problem in found), found


def test_a_mistake_that_no_longer_fits_the_source_is_found(audit, monkeypatch):
    true = about(audit, "divided by √d_k")
    stale = replace(true.bug, find="a line that was rewritten")
    monkeypatch.setattr(statements.mistakes, "load", lambda _: [stale])
    assert any("occurs 0 times" in problem for problem in statements.problems([true]))


def test_an_anchor_without_a_statement_is_found(audit):
    left = [one for one in audit if one.section != "5.3"]
    found = "\n".join(statements.problems(left))
    assert "§5.3 has no statement" in found
    assert "course_lib/training/optimizers.py, line 19: no statement is about" in found


def test_an_unknown_key_is_named(tmp_path):
    path = tmp_path / "audit.toml"
    path.write_text('[[statements]]\nsection = "3"\nsays = "x"\nbroken = "a1/x"\n', "utf-8")
    with pytest.raises(TypeError, match=r"audit\.toml: unknown key 'broken' of 'x'"):
        statements.load(path)
