"""How the course grade is made up: the table `[grading]` of `course.toml`.

    [grading]
    cap_percent = 100                  # of the course total, extra credit included

    [[grading.components]]             # marked elsewhere: an exam, participation, a presentation
    id = "exam"
    weight_percent = 30

    [[grading.groups]]
    id = "projects"
    weight_percent = 70
    items = ["a1", "a2", "a3", "a4", "a5"]
    drop_lowest = 1                    # or best = 4

Without it, the grade is that of the assignments, by their `weight_percent`. A component in no group
counts by itself, and these weights add up to 100. Within a group, weights are shares of the group.
Extra credit comes on top of the 100.
"""

from collections.abc import Mapping

from pydantic import Field, model_validator

from .table import Table

Location = tuple[str | int, ...]


class Weighted(Table):
    """A part of the course grade besides the assignments; extra credit comes on top of the 100."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    weight_percent: float = Field(ge=0, le=100)
    extra_credit: bool = False


class Component(Weighted):
    """Something that is marked elsewhere."""


class Group(Weighted):
    """Assignments, components and earlier groups that count together; `best` keeps only k."""

    items: list[str] = Field(min_length=1)
    best: int | None = Field(default=None, ge=1)
    drop_lowest: int = Field(default=0, ge=0)
    cap_percent: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _leaves_something(self) -> "Group":
        size = len(self.items)
        if len(set(self.items)) < size:
            raise ValueError(f"group {self.id} names an item twice: keep one")
        if self.best is not None and self.drop_lowest:
            raise ValueError(f"group {self.id} has best and drop_lowest: keep one of them")
        if self.best is not None and self.best > size:
            raise ValueError(f"best = {self.best}, but group {self.id} has only {size} items")
        if self.drop_lowest >= size:
            raise ValueError(
                f"drop_lowest = {self.drop_lowest} leaves nothing of group {self.id}, which has "
                f"{size} items"
            )
        return self

    @property
    def rule(self) -> str:
        """Which of the items count, for students: "the best 1 of a3, a4 counts"."""
        names = ", ".join(self.items)
        if self.best is not None and self.best < len(self.items):
            return f"the best {self.best} of {names} {'counts' if self.best == 1 else 'count'}"
        if self.drop_lowest:
            return f"all but the lowest {self.drop_lowest} of {names} count"
        return f"{names} {'count together' if len(self.items) > 1 else 'counts'}"

    @property
    def is_choice(self) -> bool:
        """Whether some of the items need not count."""
        return bool(self.drop_lowest) or (self.best or len(self.items)) < len(self.items)

    def keeps(self, present: int) -> int:
        """How many of `present` items count: those that the student is not excused from."""
        if self.best is not None:
            return min(self.best, present)
        return max(min(present, 1), present - self.drop_lowest)


class Grading(Table):
    """The scheme of a course's grade."""

    cap_percent: float = Field(default=100, gt=0)
    components: list[Component] = []
    groups: list[Group] = []

    @property
    def declared(self) -> list[Component | Group]:
        """Components and groups, a group after those it names."""
        return [*self.components, *self.groups]

    def standing_alone(self, assignments: Mapping[str, float]) -> dict[str, float]:
        """The items outside every group, with their weights, given those of the `assignments`.

        Extra credit is left out.
        """
        inside = {item for group in self.groups for item in group.items}
        extra = {e.id for e in self.declared if e.extra_credit}
        return {
            id: weight
            for id, weight in self.weights(assignments).items()
            if id not in inside | extra
        }

    def roles(self, id: str) -> list[str]:
        """The prerequisites for working on this: the choices that it is in, and extra credit."""
        is_extra = any(entry.id == id and entry.extra_credit for entry in self.declared)
        found = ["extra credit"] if is_extra else []
        for group in self.groups:
            if id in group.items:
                found += [group.rule] if group.is_choice else []
                found += self.roles(group.id)
        return found

    def weights(self, assignments: Mapping[str, float]) -> dict[str, float]:
        """The weight of every assignment, component and group."""
        own = {entry.id: entry.weight_percent for entry in self.declared}
        return {**assignments, **own}

    def problem(self, assignments: Mapping[str, float]) -> tuple[Location, str] | None:
        """Where this scheme is wrong, as a location in `course.toml`, and why; None if it is right.

        `assignments` are the weights of all assignments.
        """
        known, used = set(assignments), dict[str, str]()
        for number, component in enumerate(self.components):
            if component.id in known:
                where = ("grading", "components", number, "id")
                return where, f"the name {component.id} is taken: choose another one"
            known.add(component.id)
        extra = {component.id for component in self.components if component.extra_credit}
        for number, group in enumerate(self.groups):
            at: Location = ("grading", "groups", number)
            if group.id in known:
                return (*at, "id"), f"the name {group.id} is taken: choose another one"
            for item in group.items:
                if item not in known:
                    names = ", ".join([*assignments, *(c.id for c in self.components)])
                    return (*at, "items"), (
                        f"group {group.id} names {item}, which is not an assignment, component or "
                        f"earlier group; there are {names}"
                    )
                if item in used:
                    return (*at, "items"), f"{item} is in group {used[item]} too: keep one"
                if item in extra:
                    return (*at, "items"), f"{item} is extra credit: take it out of {group.id}"
                used[item] = group.id
            if not any(self.weights(assignments)[item] for item in group.items):
                return (*at, "items"), f"all items of group {group.id} have weight 0: give weights"
            known.add(group.id)
            extra |= {group.id} if group.extra_credit else set()
        return self._sum(assignments)

    def _sum(self, assignments: Mapping[str, float]) -> tuple[Location, str] | None:
        alone = self.standing_alone(assignments)
        total = round(sum(alone.values()), 6)
        if total == 100:
            return None
        shown = " + ".join(f"{id} {weight:g}" for id, weight in alone.items())
        told = f"the weights add up to {total:g} instead of 100 ({shown}): change weight_percent"
        where: Location = ("assignments", 0)
        for entry in self.declared:
            if entry.id in alone:
                where = self._place(entry)
        return (*where, "weight_percent"), told

    def _place(self, entry: Component | Group) -> Location:
        if isinstance(entry, Group):
            return "grading", "groups", self.groups.index(entry)
        return "grading", "components", self.components.index(entry)
