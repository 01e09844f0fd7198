"""Settings of the whole course, the table [course] of `course.toml`; its parts and weeks."""

import datetime
import zoneinfo
from collections.abc import Iterable

from pydantic import Field, field_validator

from .exercise import Taught
from .table import Table


def zoned(when: datetime.datetime, zone: datetime.tzinfo) -> datetime.datetime:
    """The time, in `zone` if it has none of its own; its offset is fixed: a day has 24 hours."""
    offset = when.replace(tzinfo=when.tzinfo or zone).utcoffset()
    return when.replace(tzinfo=datetime.timezone(offset or datetime.timedelta(0)))


class StudentCommand(Table):
    """A command of the course's own for students."""

    module: str  # has `add_arguments(command)` and `run(options, work)`, see `StudentWork`
    help: str
    assignment: str  # whose notebook and folder it may use


class LatePolicy(Table):
    """The rules for late submissions of all assignments."""

    grace_minutes: int = Field(default=0, ge=0)  # after the due time and after each late day
    slip_days: int = Field(default=0, ge=0)  # late days without a penalty, for the whole course


class CourseFacts(Table):
    """Settings of the whole course."""

    title: str
    name: str = Field(default="course", pattern=r"^[a-z][a-z0-9-]*$")  # of packages, folders
    paper: str
    student_repository: str = ""  # on GitHub, or the address of a zip; empty: not there yet
    student_branch: str = Field(default="main", pattern=r"^[\w./-]+$")  # which students fetch
    timezone: str = "UTC"  # in which people read times: "Europe/Berlin"
    source_repository: str = ""  # on GitHub or GitLab, with lectures/; empty: pages link to none
    site: str = ""  # the address of the published site, with its last slash; empty: none yet
    reserved: list[str] = []  # components of future assignments; students get stubs until then
    library: str  # the package whose components are the exercises
    extensions: list[str] = []  # packages that build on it, with components of their own
    hidden: str  # the folder, and package, of hidden tests, mistakes, variants and references
    shared: list[str] = []  # packages of the library without components: students have them whole
    commands: dict[str, str] = {}  # the course's own, beside the grader's: name → "module:app"
    plugins: dict[str, str] = {}  # what the engine asks a course for: see `Course.plugin`
    scorers: dict[str, str] = {}  # of trained models: measure → "module:class"
    student_commands: dict[str, StudentCommand] = {}  # the course's own, beside `student check`

    @field_validator("timezone")
    @classmethod
    def _known(cls, name: str) -> str:
        if name != "UTC":
            try:
                zoneinfo.ZoneInfo(name)
            except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
                raise ValueError(
                    f"timezone = {name!r} is not known here: write one such as Europe/Berlin (on "
                    "Windows, install the package tzdata)"
                ) from None
        return name

    @property
    def libraries(self) -> tuple[str, ...]:
        """The packages with components of exercises: the library and its extensions."""
        return (self.library, *self.extensions)

    @property
    def zone(self) -> datetime.tzinfo:
        """The zone of the times that people read."""
        utc = self.timezone == "UTC"
        return datetime.timezone.utc if utc else zoneinfo.ZoneInfo(self.timezone)


class Part(Table):
    """One part of the lecture."""

    number: int
    title: str


class Lesson(Table):
    """A part in one meeting: some of its sections, or all that no other meeting names."""

    part: int
    sections: list[str] = []


class Week(Table):
    """The topics of a week's meetings, and the assignment that students work on."""

    number: int
    meetings: list[list[Lesson]]
    assignment: str | None = None

    @property
    def lessons(self) -> list[Lesson]:
        return [lesson for meeting in self.meetings for lesson in meeting]

    @property
    def whole(self) -> list[int]:
        """The numbers of the parts that are taught but for the sections that others name."""
        return [lesson.part for lesson in self.lessons if not lesson.sections]

    @property
    def parts(self) -> list[int]:
        """The numbers of the parts of which something is taught, each once."""
        return list(dict.fromkeys(lesson.part for lesson in self.lessons))


def week_of(taught: Taught, weeks: Iterable[Week]) -> int | None:
    """The first week that teaches a section: the one that names it, or has the rest of its part."""
    lessons = [
        (week.number, lesson)
        for week in weeks
        for lesson in week.lessons
        if lesson.part == taught.part
    ]
    named = (number for number, lesson in lessons if taught.section in lesson.sections)
    rest = (number for number, lesson in lessons if not lesson.sections)
    return next(named, next(rest, None))


def taught_too_late(taught: Taught | None, week: int, weeks: Iterable[Week]) -> str:
    """Why an exercise of a week comes before the section that teaches it, or ""."""
    found = week if taught is None else week_of(taught, weeks)
    if found is not None and found <= week:
        return ""
    when = f"in week {found}" if found else "in no week"
    return f"of week {week} is taught {when}: move its section of the lecture to an earlier meeting"
