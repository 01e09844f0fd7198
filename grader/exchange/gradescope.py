"""Gradescope: an autograder zip for a programming assignment.

It holds the autograder, the library and the assignment's suite, no data sets and no results. There
each submission is graded in the sandbox, too: the student's code cannot read the suite.
"""

import io
import json
import re
import zipfile

from grader.course.assignment import Assignment
from grader.course.exercise import Exercise

from ..sandbox import limits
from . import course_files

SETTINGS = "gradescope.json"
# Peak of all processes together (PSS) with the model answers, by whether the assignment uses torch;
# and the smallest of Gradescope's containers that has room for a student's code besides.
MEASURED_MIB = {False: 240, True: 700}
CONTAINER = {False: "1.5 GB", True: "3 GB"}
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -eu
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv libseccomp2
python3 -m venv /autograder/venv
pip() {{ /autograder/venv/bin/pip install --no-cache-dir "$@"; }}
{torch}pip -r /autograder/source/requirements.txt -c /autograder/source/constraints.txt
"""
# Without a GPU, torch's build for CPUs: a tenth of the size, from the index of PyTorch.
TORCH = "pip --index-url https://download.pytorch.org/whl/cpu {version}\n"
RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for every submission. The two variables are for trying it elsewhere.
root="${AUTOGRADER_ROOT:-/autograder}"
python="${AUTOGRADER_PYTHON:-$root/venv/bin/python}"
results="$root/results/results.json"
mkdir -p "$root/results"
rm -f "$results"
export PYTHONPATH="$root/source" OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$python" -m grader.exchange.gradescope_run "$root" && exit 0
if [ ! -s "$results" ]; then
    said="The autograder could not start, through no fault of yours. Ask your instructor."
    printf '{"output": "%s", "stdout_visibility": "hidden"}\\n' "$said" > "$results"
fi
exit 1
"""
_DATE = (2020, 1, 1, 0, 0, 0)  # the same checkout makes the same zip


def autograder_zip(assignment: Assignment, min_tier: str) -> bytes:
    """The zip file. `min_tier`: the worst isolation that a submission may be graded with."""
    files = (
        course_files.grader([*course_files.GRADING, "exchange"])
        | course_files.library()
        | course_files.hidden_tests(assignment)
        | course_files.handed_out(assignment)
        | course_files.own_answer(assignment)
    )
    files |= course_files.requirements(
        course_files.needed_packages(files, assignment.imports, course_files.packages())
    )
    pinned = re.search(r"^torch==\S+", files["constraints.txt"].decode(), re.MULTILINE)
    assert pinned is not None
    torch = TORCH.format(version=pinned[0]) if _in_torch(assignment) else ""
    settings = {"assignment": assignment.id, "min_tier": min_tier}
    files[SETTINGS] = json.dumps(settings).encode() + b"\n"
    scripts = {"setup.sh": SETUP.format(torch=torch).encode(), "run_autograder": RUN.encode()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted((files | scripts).items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = (0o755 if name in scripts else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()


def _in_torch(assignment: Assignment) -> bool:
    return "torch" in assignment.imports


def what_to_enter(assignment: Assignment) -> list[str]:
    """The settings to enter in Gradescope for the assignment, in sentences."""
    points = sum(e.points or 0 for e in assignment.exercises if is_scored(e) and not e.bonus)
    bonus = sum(e.points or 0 for e in assignment.exercises if is_scored(e) and e.bonus)
    measured = MEASURED_MIB[_in_torch(assignment)]
    more = f" (a score may have {bonus:g} bonus points more)" if bonus else ""
    return [
        f"autograder points to enter in Gradescope: {points:g}{more}",
        f"container to choose there: {CONTAINER[_in_torch(assignment)]} or more (grading takes "
        f"{measured} MiB, and a student's code may take {limits.Limits().memory_mib} MiB more)",
    ]


def left_to_course_grade(assignment: Assignment) -> list[str]:
    """Exercises that Gradescope cannot score: written ones, and trained models (no test data)."""
    kinds = {"written": "written", "model": "the trained model"}
    return [f"{e.id} ({kinds[e.kind]})" for e in assignment.exercises if not is_scored(e)]


def is_scored(exercise: Exercise) -> bool:
    """Whether the autograder gives points for it."""
    return exercise.kind not in ("written", "model")
