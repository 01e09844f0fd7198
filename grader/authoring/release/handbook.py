"""The README of a release, written for students, from `course.toml`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from grader.course.assignment import Assignment
from grader.course.course import Course
from grader.course.grading import Group
from grader.course.lab import Lab
from grader.course.submission_folder import FOLDER

from ...gradebook.lateness import written
from ..views import texts
from .project_files import TORCH_CPU

CLEAN = "starter"  # the folder of the copy that nobody works on

START = """\
## Start

**On your own machine.** With [uv](https://docs.astral.sh/uv/), one command in this folder installs
what the notebook needs and opens it in JupyterLab:

```bash
uv run jupyter lab {notebook}
```

Without uv, with Python {python}:

```bash
python -m venv .venv
.venv/bin/pip install -e . jupyterlab{index}
.venv/bin/jupyter lab {notebook}
```

On Windows, write `.venv\\Scripts\\` for `.venv/bin/`. After a new release, run the line with `pip`
again if `requirements.txt` changed; uv sees that by itself. {torch}If you are offline and have the
packages, `pip install --no-index -e .` adds just the course; `python grader.zip` is `student`
without any installation.

**Colab and Kaggle.** Open the notebook there: on Colab by the badge, if the notebook has one, or
with File, Upload notebook; on Kaggle with File, Import Notebook, and switch Internet on in the
sidebar. Its first cell downloads the course and installs missing packages; its last cell downloads
`submission.zip` to your machine. On Colab, save a copy in Drive, or you lose your work when you
close the tab.
"""

GPU = (
    "PyTorch comes without CUDA; for a GPU, leave out the address, or with uv the last lines of "
    "`pyproject.toml`. "
)

WORK = """\
## Work

1. Read the sections of the paper that an exercise names.
2. Replace each `raise NotImplementedError(…)`, run the cell, then the `check("A1.4")` below it. It
   shows what was expected, what your code returned, and the likely cause if the answer shows one.
3. Write down your prediction before you run an experiment. It is not graded: a wrong one costs
   nothing and shows you what you did not expect.
4. Restart the kernel and run everything once before you hand in. The grader starts from a fresh
   kernel, too.
5. In graded code, import only Python's own modules, the packages in `requirements.txt` and their
   dependencies: the grader has no others. `student check` names packages that it lacks.

`{starter}` is the original notebook: copy a cell from there to start it again.
"""

PROGRAM = """
In a terminal, `student` runs the same checks on the saved file, the one that is graded. If the
shell does not find it, use `.venv/bin/student` (on Windows `.venv\\Scripts\\student`):

```bash
student check {id}      # the visible checks; `student check` alone: of all that you have begun
student progress      # what is done, and what is left
student submit {id}     # makes the archive to hand in, and says what is in it
```

`student debug` runs a checklist on a model that does not learn, `student translate` uses the
translator of assignment 4. `student --help` has the rest.
"""


def readme(
    course: Course,
    assignments: Sequence[Assignment],
    answers: Collection[str],
    python: str,
    opened: bool = False,
    lectures: str = "",
    packages: Collection[str] = (),
    more: Collection[str] = (),
) -> str:
    """The README for these assignments; `opened` for readers without an instructor.

    `lectures` is the section on the lectures, where the release holds them; `packages` are those
    that the assignments need, `more` what only the lectures' notebooks do.
    """
    labs = [one for one in assignments if isinstance(one, Lab)]
    assignments = [one for one in assignments if one not in labs]
    begun = assignments[0 if opened else -1].id if assignments else "a1"
    notebook = f"assignments/{begun}/{begun}.ipynb"
    hidden = "are in `after_an_attempt`" if opened else "decide the rest of the points"
    parts = [
        f"# {course.facts.title}\n\nAssignments on *{course.facts.paper}*. This folder "
        f"has the visible checks; hidden tests {hidden}.\n",
        _start(python, notebook, packages),
        _weeks(course, assignments, dates=not opened),
        _labs(labs),
        lectures + _for_lectures(more),
        (WORK + PROGRAM).format(id=begun, starter=f"assignments/{begun}/{CLEAN}/{begun}.ipynb"),
        SELF_STUDY if opened else _hand_in(course, assignments),
        "" if opened else _what_counts(course),
        _answers(course, answers, opened),
        "## Rules\n\nAssistants may tutor, not solve: [AI_POLICY.md](AI_POLICY.md). What changed: "
        "[CHANGELOG.md](CHANGELOG.md). Data sets and their licenses: "
        "[data/README.md](data/README.md). MIT license.\n",
    ]
    return "\n".join(part for part in parts if part)


def _start(python: str, notebook: str, packages: Collection[str]) -> str:
    index = _index(packages)
    torch = GPU if index else ""
    return START.format(python=python, notebook=notebook, index=index, torch=torch)


def _index(packages: Collection[str]) -> str:
    """The option with which pip finds PyTorch without CUDA, if PyTorch is one of the packages."""
    has_torch = any(line.startswith("torch>") for line in packages)
    return f" --extra-index-url {TORCH_CPU}" if has_torch else ""


def _for_lectures(more: Collection[str]) -> str:
    """How to install what the lectures' notebooks need besides."""
    if not more:
        return ""
    names = " ".join(re.split(r"[<>=;]", line)[0] for line in more)
    return (
        f"\nThese notebooks need more than the assignments do so far: `uv run --group lectures "
        f"jupyter lab lectures/notebooks`, or `.venv/bin/pip install {names}{_index(more)}`.\n"
    )


SELF_STUDY = """\
## Without an instructor

The folder `after_an_attempt` contains the hidden tests and the model answers. Try each exercise
first: a model answer that you read too early only teaches you to agree with it. The folder's own
README says how to use it.
"""


def _weeks(course: Course, assignments: Sequence[Assignment], dates: bool) -> str:
    parts = {part.number: part.title for part in course.parts}
    due, rule = (" due |", "---|") if dates else ("", "")
    rows = [f"| week | about | assignment | time |{due}", f"|--:|---|---|--:|{rule}"]
    for assignment in assignments:
        weeks = [w for w in course.weeks if w.number in course.weeks_of(assignment)]
        numbers = ", ".join(str(week.number) for week in weeks)
        covered = [number for week in weeks for number in week.whole]
        about = ", ".join(parts[number] for number in covered)
        link = f"[{assignment.title}](assignments/{assignment.id}/README.md)"
        hours = texts.hours(assignment.minutes)
        extra = sum(e.minutes for e in assignment.exercises if e.bonus)
        bonus = f" + {texts.hours(extra)} of bonus exercises" if extra else ""
        due = f" {written(assignment.due, assignment.zone)} |" if dates else ""
        rows.append(f"| {numbers} | {about} | {link} | {hours}{bonus} |{due}")
    told = (
        "Hours add up the exercises' minutes: keyboard time only. Reading the paper, waiting for a "
        "training, and learning NumPy or PyTorch on the way come on top: if these are new to you, "
        "plan much more. Numbers may skip: merged exercises are not renumbered."
    )
    return "## Week by week\n\n" + "\n".join(rows) + f"\n\n{told}\n"


def _labs(labs: Sequence[Lab]) -> str:
    """The optional labs, or nothing."""
    if not labs:
        return ""
    lines = [
        f"- [{lab.title}](assignments/labs/{lab.id}/README.md): you build {lab.build}; about "
        f"{texts.hours(lab.minutes)}."
        for lab in labs
    ]
    told = "No points, nothing to hand in: a notebook with checks and model answers."
    return f"## Optional labs\n\n{told}\n\n" + "\n".join(lines) + "\n"


def _hand_in(course: Course, assignments: Sequence[Assignment]) -> str:
    newest = assignments[-1].id if assignments else "a1"
    with_files = [a for a in assignments if a.files]
    folder = ""
    if with_files:
        folder = (
            f" For {_numbers(with_files).lower()}, it also contains the files in `{FOLDER}`, "
            "which the assignment's README lists."
        )
    terms: dict[str, list[Assignment]] = {}
    for a in assignments:
        told = f"up to {a.late_days} days late, minus {a.late_penalty_percent:g} % per started day."
        terms.setdefault(told, []).append(a)
    late = " ".join(f"{_numbers(those)}: {told}" for told, those in terms.items())
    return (
        f"## Hand in\n\nSave the notebook and upload the archive that `student submit {newest}` "
        "or the notebook's last cell makes, in the place that your instructor named."
        f"{folder} {late}{texts.slip_days(course)}\n"
    )


def _what_counts(course: Course) -> str:
    """The parts of the course grade, as `course grades` adds them up."""
    grading = course.grading
    alone = grading.standing_alone(course.weights)
    groups = {group.id: group for group in grading.groups}
    extra = {e.id: e.weight_percent for e in grading.declared if e.extra_credit}
    weights, lines = grading.weights(course.weights), []
    for id, weight in (alone | extra).items():
        more = " on top, as extra credit" if id in extra else ""
        lines.append(f"- {id}: {weight:g} %{more}{_within(groups, weights, id)}")
    points = "An assignment has 100 points; those of bonus exercises come on top of them."
    cap = f" With extra credit, it ends at {grading.cap_percent:g} %." if extra else ""
    told = "\n".join(lines)
    return f"## What counts\n\nThe course grade is made up of:\n\n{told}\n\n{points}{cap}\n"


def _within(groups: Mapping[str, Group], weights: Mapping[str, float], id: str) -> str:
    """The items of a group, and the rule by which they count; of a group within it, the same."""
    if id not in groups:
        return ""
    items = groups[id].items
    unequal = len({weights[item] for item in items}) > 1
    shares = f", as {', '.join(f'{i} {weights[i]:g}' for i in items)}" if unequal else ""
    inner = "".join(f"; {i}{_within(groups, weights, i)}" for i in items if i in groups)
    return f": {groups[id].rule}{shares}{inner}"


def _numbers(assignments: Sequence[Assignment]) -> str:
    """Assignments 1, 2 and 3."""
    *others, last = (a.id.removeprefix("a") for a in assignments)
    return f"Assignments {', '.join(others)} and {last}" if others else f"Assignment {last}"


def _answers(course: Course, answers: Collection[str], opened: bool) -> str:
    if opened or not answers:
        return ""
    lines = [
        f"- [{a.title}](solutions/{a.id}.ipynb)" for a in course.assignments if a.id in answers
    ]
    return "## Model answers\n\nThese assignments are closed:\n\n" + "\n".join(lines) + "\n"
