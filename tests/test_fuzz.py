"""A few hundred generated inputs for every reader of untrusted bytes; `fuzz.py` feeds many more."""

import fuzz
import pytest


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_every_answer_is_a_value_or_a_documented_exception(name):
    found = fuzz.run(fuzz.TARGETS[name], inputs=60, seed=1)
    assert found.findings == []
    assert found.inputs >= 50
    assert found.slowest < fuzz.SECONDS


def test_a_reader_that_raises_or_hangs_is_found(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    target = fuzz.TARGETS["weights"]

    def wrong(data):
        if len(data) % 2:
            raise KeyError("no such thing")
        while True:
            pass

    broken = fuzz.Target("broken", target.inputs, wrong, target.documented)
    kinds = {finding.partition(":")[0] for finding in fuzz.run(broken, 20, 1).findings}
    assert kinds <= {"KeyError", "HangError"}
    assert kinds
