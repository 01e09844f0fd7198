"""Writes a course folder for nbgrader: configuration, one source notebook an assignment, README.

    DIR/nbgrader_config.py
    DIR/README.md
    DIR/source/a1/a1.ipynb        with solutions, which `nbgrader generate_assignment a1` clears
    DIR/source/a1/course_lib/ …   the students' copy of the course, so that a release needs no other

The students' copy is next to each notebook because it differs: it holds stubs of what is not
released yet, and stand-ins for what the assignment builds on.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from grader.course.course import Course
from grader.notebook import answer_cells

from ..library import student_tree
from ..library.components import BuildError
from .views import notebooks
from .views.texts import TEMPLATES

CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "{name}"
# What `nbgrader generate_assignment` puts in place of answers. The grader knows both.
c.ClearSolutions.code_stub = {{"python": 'raise NotImplementedError("not written yet")'}}
c.ClearSolutions.text_stub = "{written}"
c.Execute.timeout = 600  # seconds a cell: some train a model
"""

README = (TEMPLATES / "nbgrader.md").read_text(encoding="utf-8")


def write(course: Course, folder: Path, only: Iterable[str] = ()) -> list[Path]:
    """Write the folder, or some of its assignments; returns the notebooks and the other files.

    A configuration that is there already is kept. Raises BuildError as `notebooks.build` does, or
    before anything is written if a file is there that this did not write.
    """
    if exams := [id for id in only if course.is_exam(id)]:
        raise BuildError(f"the {exams[0]} has no form for nbgrader: `course exam` writes it")
    wanted = only or {assignment.id for assignment in course.assignments}
    _check(folder, wanted)
    (folder / "source").mkdir(parents=True, exist_ok=True)
    written = [folder / "README.md"]
    written[0].write_text(README, encoding="utf-8")
    config = folder / "nbgrader_config.py"
    if not config.exists():
        text = CONFIG.format(name=course.facts.name, written=answer_cells.WRITTEN)
        config.write_text(text, encoding="utf-8")
        written.append(config)
    for assignment in course.assignments:
        if assignment.id in wanted:
            source = notebooks.build(course, assignment, "nbgrader")
            place = folder / "source" / assignment.id
            shutil.rmtree(place, ignore_errors=True)
            before = student_tree.released_before(course, assignment.id)
            student_tree.write(course, place, assignment.id, before)
            written.append(place / f"{assignment.id}.ipynb")
            written[-1].write_text(notebooks.dump(source), encoding="utf-8")
    return written


def _check(folder: Path, ids: Iterable[str]) -> None:
    """Raises BuildError if writing would replace what somebody else wrote."""
    replaced = [(folder / "README.md", folder / "README.md", README.partition("\n")[0])]
    for id in ids:
        place = folder / "source" / id
        replaced.append((place, place / f"{id}.ipynb", '"view": "nbgrader"'))
    for place, file, sign in replaced:
        found = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        if place.exists() and sign not in found:
            raise BuildError(
                f"{place}: was not written by `course build --nbgrader`, which would replace it; "
                "give another folder, or move it away"
            )
