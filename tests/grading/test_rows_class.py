"""Every row of the threat list, handed in by somebody of a class that `course grade` grades.

The honest students of that class get what they get in a class without the others, byte for byte.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import proofs
import pytest
from checkout import ROOT
from threats import HOSTILE, OWN_TIME, THREATS, notebook

from grader.course import mistakes
from grader.library.components import Component
from grader.sandbox import detection

HONEST = ("01_0ada", "21_0ben", "45_0cyd", "99_dee")  # somewhere between the others
QUICK = tuple(threat for threat in THREATS if threat.quick)
WHEN = 1_790_000_000
RUN = re.compile(r'"(graded_at|seconds)": [^,}]+')
GRADE = """
from grader.cli import main
from grader.course.course import Course

course = Course.here()
hurried = [a.model_copy(update={"call_seconds": 1.0}) for a in course.assignments]
course = course.model_copy(update={"assignments": hurried})
Course.here = lambda: course  # what hangs needs no longer to show it
main()
"""


def honest_notebooks():
    bug = mistakes.named(proofs.COURSE, "a1/softmax_fixed_axis")
    wrong = bug.apply(Component.parse(bug.component).source)
    starter = json.dumps(json.loads(proofs.notebook("a1", "starter"))).encode()
    data = (  # unlike every other file, or they would be flagged as copies
        notebook(add=["MARGIN = 1"]),
        notebook({bug.component: wrong}),
        starter,
        notebook(add=["MARGIN = 2"]),
    )
    return dict(zip(HONEST, data, strict=True))


def write_class(folder, threats):
    for student, data in honest_notebooks().items():
        (folder / student / "a1").mkdir(parents=True)
        (folder / student / "a1" / "a1.ipynb").write_bytes(data)
    for threat in threats:
        (folder / threat.name).mkdir()
        threat.write(folder / threat.name)
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_mtime != OWN_TIME:
            os.utime(path, (WHEN, WHEN))


def contents(folder):
    """Every path below a folder with its kind, size and time of change; links are not followed."""
    return {
        str(path.relative_to(folder)): (facts.st_mode, facts.st_size * path.is_file(), facts.st_uid)
        for path in folder.rglob("*")
        for facts in [path.lstat()]
    }


def left_over(home):
    """Processes that were started with this home folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"HOME={home}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_bytes())
        except OSError:
            continue
    return found


class Graded:
    """A class graded by `course grade`, with its own home, temporary and working folder."""

    def __init__(self, world, threats, jobs=2):
        self.home, temporary, self.work = (world / name for name in ("home", "tmp", "work"))
        for folder in (world, self.home, temporary, self.work):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        for parent in world.parents[:2]:
            parent.chmod(0o755)  # workers run under other users
        write_class(self.work / "submitted", threats)
        before = contents(world)
        self.done = subprocess.run(
            [sys.executable, "-c", GRADE, "grade", "submitted", "--jobs", str(jobs)],
            cwd=self.work,
            env={
                **{name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS")},
                "HOME": str(self.home),
                "TMPDIR": str(temporary),
                "PYTHONPATH": str(ROOT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "COLUMNS": "200",
            },
            capture_output=True,
            text=True,
            errors="replace",
        )
        self.processes = left_over(self.home)
        after = contents(world)
        self.changed = {
            path
            for path in before.keys() | after.keys()
            if before.get(path) != after.get(path) and not path.startswith("work/out")
        }
        out = self.work / "out" / "grades"
        self.results = {}
        if (out / "results.json").exists():
            found = json.loads((out / "results.json").read_text(encoding="utf-8"))
            self.results = {result["student"]: result for result in found}
            self.rows = (out / "grades.csv").read_text(encoding="utf-8").splitlines()
            pages = [out / "report.html", *(out / "report").iterdir()]
            self.report = "\n".join(page.read_text(encoding="utf-8") for page in pages)

    def of_honest(self):
        """Their results as text, and their rows of the table, without the times of the run."""
        texts = [json.dumps(self.results[student], sort_keys=True) for student in HONEST]
        rows = [row for row in self.rows if row.partition(",")[0].strip('"') in HONEST]
        return [RUN.sub("", text) for text in texts], rows


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    return Graded(tmp_path_factory.mktemp("alone"), ())


def check(graded, alone, threats):
    assert graded.done.returncode == 0, graded.done.stderr[-3000:]
    assert "Traceback" not in graded.done.stderr
    assert graded.processes == []
    new = graded.changed - alone.changed  # libraries keep caches in the home folder
    assert new == set(), "files outside the folder of results"
    assert "<script>alert" not in graded.report
    assert graded.of_honest() == alone.of_honest()
    assert len(graded.rows) == 1 + len(HONEST) + len(threats)
    wrong = {threat.name: why for threat in threats if (why := unlike(threat, graded))}
    assert wrong == {}


def unlike(threat, graded):
    """What of a threat's result is not as documented; "" if all is."""
    result = graded.results.get(threat.name)
    if result is None:
        return "it has no result"
    softmax = result["exercises"][0]
    share = (softmax["points"] or 0) / softmax["max_points"]
    rest = (result["totals"]["automatic"] or 0) / result["totals"]["automatic_max"]
    text = json.dumps(result, ensure_ascii=False)
    told = [
        result["outcome"] not in threat.outcomes and result["outcome"],
        not threat.softmax[0] <= share <= threat.softmax[1] and f"{share:.2f} of softmax",
        not threat.rest[0] <= rest <= threat.rest[1] and f"{rest:.2f} of all points",
        threat.told not in text and f"does not say {threat.told!r}",
    ]
    return "; ".join(filter(None, told)) and f"{told} {result['reason']}"


needs_isolation = pytest.mark.skipif(
    sys.platform != "linux" or detection.detect().name > "B",
    reason="a class with hostile submissions is only graded with namespaces (tier A or B)",
)


@pytest.mark.long
@needs_isolation
def test_some_threats_change_nothing_for_the_others(alone, tmp_path):
    assert alone.done.returncode == 0, alone.done.stderr[-3000:]
    check(Graded(tmp_path / "class", QUICK), alone, QUICK)


@needs_isolation
@pytest.mark.slow
def test_all_threats_at_once_change_nothing_for_the_others(alone, tmp_path):
    threats = [threat for threat in THREATS if threat.write]
    check(Graded(tmp_path / "class", threats), alone, threats)


def test_every_row_of_the_list_has_a_threat():
    assert {row for threat in THREATS for row in threat.rows} == set(range(1, 52))
    assert len({threat.name for threat in THREATS}) == len(THREATS)


def test_every_attack_of_the_repository_is_in_the_list():
    assert HOSTILE.keys() <= {threat.name for threat in THREATS}


def test_what_no_class_can_show_is_proven_elsewhere():
    for threat in THREATS:
        assert threat.write or threat.tests
        for place in threat.tests:
            file, _, name = place.partition("::")
            text = next((ROOT / "tests").rglob(file)).read_text(encoding="utf-8")
            assert f"def {name}(" in text, place
