"""Where the lectures treat a section of the paper, quote a component, or list an exercise."""

import re
from dataclasses import dataclass, field

from docutils import nodes
from sphinx.environment import BuildEnvironment

from .. import cross_references, quotations

PART = re.compile(r"part(\d+)_")
_DETAIL = r"(?:, (?:Eq\.|Table|Figures?|footnote)\s\d+(?:[–-]\d+)?)?"
ANCHOR = re.compile(rf"§\d+(?:\.\d+)*{_DETAIL}|Appendix{_DETAIL}")


@dataclass(frozen=True)
class Spot:
    """A section of a lecture."""

    page: str
    section: str  # its id
    title: str  # of the page


@dataclass
class Lectures:
    """The first spot that treats each thing; an exercise's is its page alone."""

    parts: dict[int, Spot] = field(default_factory=dict)
    sections: dict[str, Spot] = field(default_factory=dict)  # of the paper
    components: dict[str, Spot] = field(default_factory=dict)
    exercises: dict[str, Spot] = field(default_factory=dict)

    def on(self, anchor: str) -> Spot | None:
        """Where a section of the paper is treated, with its equation if a lecture names that."""
        return self.sections.get(anchor) or self.sections.get(anchor.partition(",")[0])


def read(environment: BuildEnvironment) -> Lectures:
    """Look through all parts in order."""
    found = Lectures()
    for page in sorted(filter(PART.match, environment.found_docs)):
        title = environment.titles[page].astext()
        whole = Spot(page, "", title)
        found.parts[int(PART.match(page)[1])] = whole  # type: ignore[index]
        for node in environment.get_doctree(page).findall(nodes.Element):
            if quotations.SECTION in node:
                said = anchors(node[quotations.SECTION])
                for one in [*said, *(anchor.partition(",")[0] for anchor in said)]:
                    found.sections.setdefault(one, Spot(page, _section(node), title))
            elif quotations.QUOTED in node:
                found.components.setdefault(
                    node[quotations.QUOTED], Spot(page, _section(node), title)
                )
            elif cross_references.LISTED in node:
                for id in node[cross_references.LISTED]:
                    found.exercises.setdefault(id, whole)
    return found


def _section(node: nodes.Node) -> str:
    while not isinstance(node, nodes.section):
        node = node.parent
    return node["ids"][0]


def anchors(text: str) -> list[str]:
    """Sections of the paper, each once: "§3.2.1, Eq. 1"."""
    found = dict.fromkeys(" ".join(one.split()) for one in ANCHOR.findall(text))
    return [one for one in found if not any(other.startswith(f"{one}, ") for other in found)]
