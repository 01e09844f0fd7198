"""Gradescope: an autograder zip for a programming assignment.

It holds the autograder, `course_lib` and the assignment's suite, no data sets and no results. There
each submission is graded in the sandbox, too: the student's code cannot read the suite.
"""

from __future__ import annotations

import io
import json
import zipfile

from grader.course.assignment import Assignment

from . import course_files

SETTINGS = "gradescope.json"
SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, when it builds the image.
set -eu
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv libseccomp2
python3 -m venv /autograder/venv
/autograder/venv/bin/pip install --no-cache-dir \\
    -r /autograder/source/requirements.txt -c /autograder/source/constraints.txt
"""
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
        | course_files.requirements()
    )
    settings = {"assignment": assignment.id, "min_tier": min_tier}
    files[SETTINGS] = json.dumps(settings).encode() + b"\n"
    scripts = {"setup.sh": SETUP.encode(), "run_autograder": RUN.encode()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted((files | scripts).items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = (0o755 if name in scripts else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()


def left_to_course_grade(assignment: Assignment) -> list[str]:
    """Exercises that Gradescope cannot score: written ones, and trained models (no test data)."""
    kinds = {"written": "written", "model": "the trained model"}
    return [f"{e.id} ({kinds[e.kind]})" for e in assignment.exercises if e.kind in kinds]
