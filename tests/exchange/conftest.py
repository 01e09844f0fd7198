"""A small class with results, for the tests of what goes to other systems."""

import pytest
from sample_results import sample

MESSAGE = {"expected": "[0.5 0.5]", "got": "<b>nan</b> \x1b & ]]>", "cause": "no mask", "read": ""}
FAILED = {"1.3": [{"message": MESSAGE}], "1.4": [{"outcome": "TIMEOUT", "message": None}]}


@pytest.fixture
def roster(world):
    return world.roster(
        "student,name,section,email,canvas,moodle,a2\n"
        "ada,Ada Lovelace,Tue,ada@example.org,1041,Participant 501,\n"
        "ben,=Ben,Fri,ben@example.org,1042,502,excused\n"
        "cyd,Cyd,Fri,cyd@example.org,,,\n"
    )


@pytest.fixture(scope="module")
def results():
    failed = sample("ada", failed=FAILED)
    invalid = sample("=dan", outcome="INVALID", reason="not a notebook", exercises=[])
    return [failed, sample("ada", "a2"), sample("ben"), sample("cyd"), invalid]


@pytest.fixture
def graded(world, results):
    return world.add(*results)
