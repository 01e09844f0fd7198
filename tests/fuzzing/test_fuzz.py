"""Generated inputs for what reads untrusted bytes on the trusted side of the grader.

Each target answers with a value or with one of its documented exceptions. A long run:

    pytest tests/fuzzing --hypothesis-profile=long
"""

import io
import warnings
import zipfile

import fuzz_answers
import fuzz_files
import fuzz_messages
import fuzz_mutation
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

MODULES = (fuzz_answers, fuzz_files, fuzz_messages)
TARGETS = {target.name: target for module in MODULES for target in module.TARGETS}
ONLY_NEW = {"phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}


@pytest.mark.parametrize("name", TARGETS)
@settings(**ONLY_NEW)
@given(data=st.data())
def test_every_answer_is_a_value_or_a_documented_exception(name, data):
    target = TARGETS[name]
    untrusted = data.draw(target.inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of zipfile, about names that are there twice
        try:
            target.feed(untrusted)
        except target.documented:
            return


def test_an_entry_without_a_name_is_refused():
    """Found by such inputs: Python's zipfile fails on it."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(zipfile.ZipInfo("~"), b"{}")
    target = TARGETS["archive"]
    with pytest.raises(target.documented):
        target.feed(whole.getvalue().replace(b"~", b"\0"))  # a name ends at its first NUL


def test_a_change_leaves_the_odd_values_as_they_are():
    """Else an input would depend on those before it, and a list could come to hold itself."""
    before = repr(fuzz_mutation.ODD)
    for seed in range(300):
        rng = fuzz_mutation.Rng(seed)
        fuzz_mutation.changed(
            rng, {"a": fuzz_mutation.ODD[-1], "b": [rng.choice(fuzz_mutation.ODD)]}
        )
    assert repr(fuzz_mutation.ODD) == before
