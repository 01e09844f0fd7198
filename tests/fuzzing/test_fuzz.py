"""Some of the inputs of `fuzz.py`."""

import io
import pickle
import zipfile
from dataclasses import replace

import fuzz
import fuzz_files
import fuzz_mutation
import pytest


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_every_answer_is_a_value_or_a_documented_exception(name):
    found = fuzz.run(fuzz.TARGETS[name], 60, seed=1)
    assert found.findings == []
    assert found.failed == 0
    assert found.inputs >= 50
    assert found.slowest < fuzz.SECONDS


def without_a_name() -> bytes:
    """A zip file with an entry whose name is empty; Python's zipfile fails on it."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(zipfile.ZipInfo("~"), b"{}")  # no clock in it: the same bytes each time
    return whole.getvalue().replace(b"~", b"\0")  # a name ends at its first NUL


FOUND = {"archive": without_a_name}  # by the fuzzer, and mended since


@pytest.mark.parametrize("name", FOUND)
def test_what_once_failed_is_refused_now(name):
    target = fuzz.TARGETS[name]
    with pytest.raises(target.documented):
        target.feed(FOUND[name]())


def test_a_reader_that_raises_or_hangs_is_found(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    target = fuzz.TARGETS["weights"]

    def wrong(data):
        if len(data) % 2:
            raise KeyError("no such thing")
        while True:
            pass

    broken = fuzz.Target("broken", target.inputs, wrong, target.documented)
    found = fuzz.run(broken, 20, 1)
    assert found.failed == found.inputs
    assert {finding.partition(":")[0] for finding in found.findings} <= {"KeyError", "HangError"}


def test_a_pickle_that_is_loaded_is_found():
    target = fuzz.TARGETS["weights"]

    def careless(data):
        pickle.loads(fuzz_files.pickles()[0])
        fuzz_files.feed_weights(data)

    (found,) = fuzz.run(replace(target, feed=careless), 1, 1).findings
    assert "a pickle that was handed in has been loaded" in found


def test_a_change_leaves_the_odd_values_as_they_are():
    """Else an input would depend on those before it, and a list could come to hold itself."""
    before = repr(fuzz_mutation.ODD)
    for seed in range(300):
        rng = fuzz_mutation.Rng(seed)
        fuzz_mutation.changed(
            rng, {"a": fuzz_mutation.ODD[-1], "b": [rng.choice(fuzz_mutation.ODD)]}
        )
    assert repr(fuzz_mutation.ODD) == before
