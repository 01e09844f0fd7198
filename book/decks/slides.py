"""Slides inside a lecture: the book shows them in their place, a deck shows hardly anything else.

    ::::{slide} Scores, then weights
    What the audience sees.
    :::{notes}
    What the lecturer says.
    :::
    ::::

In the book the notes are folded, and a slide with the line `:only: deck` is left out. In a deck
every slide is a section of its own, and so that a class has something to do before the answer
comes, the hook, what one will be able to do, each activity and the recap are slides too. The hook
is followed by what the lecture's first cell printed. The first slide and the footer are
`first_slide`'s.
"""

import itertools
from collections.abc import Iterator

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import first_slide

DECK = "revealjs"  # the name of sphinx-revealjs' builder
HOOK = "To begin with"  # the title of the slide with a lecture's first lines
SHOWN = {"What you will be able to do": "outcomes", "Recap": "recap"}  # sections that are slides


class Slide(nodes.General, nodes.Element):
    """A slide; `title` is its heading in the deck."""


class Notes(nodes.General, nodes.Element):
    """The lecturer's notes to a slide or an activity."""


class SlideDirective(SphinxDirective):
    """`{slide} TITLE`: its content is one slide of the deck."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {
        "name": directives.unchanged,
        "only": lambda given: directives.choice(given, ("deck",)),
    }

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        if set(self.arguments[0]) & set("'\""):
            raise self.error(f"a title is shown unchanged: write ’ and “” in {self.arguments[0]!r}")
        made = Slide("", title=self.arguments[0], only=self.options.get("only", ""))
        self.set_source_info(made)
        self.state.nested_parse(self.content, self.content_offset, made)
        return [made]


class NotesDirective(SphinxDirective):
    """`{notes}`: what the lecturer says, inside a slide or an activity."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        made = Notes("")
        self.set_source_info(made)
        self.state.nested_parse(self.content, self.content_offset, made)
        return [made]


def arrange(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn slides and notes into what the builder knows: cards in a book, sections in a deck."""
    if app.builder.name == DECK:
        _only_slides(doctree)
        return
    for slide in list(doctree.findall(Slide)):
        if slide["only"]:
            slide.parent.remove(slide)
    for notes in list(doctree.findall(Notes)):
        notes.replace_self(_folded(notes))
    for number, slide in enumerate(list(doctree.findall(Slide)), 1):
        card = nodes.container(classes=["slide"], ids=[f"slide-{number}"])
        card += nodes.paragraph("", f"Slide {number}: {slide['title']}", classes=["slide-title"])
        card += slide.children
        slide.replace_self(card)


def _folded(notes: Notes) -> nodes.Element:
    """The notes in an HTML `details`."""
    folded = nodes.container(classes=["speaker-notes"])
    folded += nodes.raw("", "<details><summary>Speaker notes</summary>", format="html")
    folded += notes.children
    folded += nodes.raw("", "</details>", format="html")
    return folded


def _only_slides(doctree: nodes.document) -> None:
    """Keep a lecture's title, its slides and what else is shown in class, each as a section."""
    lecture = next(iter(doctree.findall(nodes.section)), None)
    if lecture is None:
        return
    for notes in list(doctree.findall(Notes)):
        notes.replace_self(_aside(notes))
    title = next(iter(lecture.findall(nodes.title)))
    named = first_slide.Lecture.of(title.astext())
    deck = nodes.section(ids=lecture["ids"], names=lecture["names"])
    deck += nodes.raw("", first_slide.first(named, "h1"), format="html")
    for number, (kind, heading, content) in enumerate(_shown(lecture), 1):
        section = nodes.section(ids=[f"slide-{number}"])
        section += nodes.title("", heading)
        section += nodes.container("", *content, classes=[kind])
        section += nodes.raw("", first_slide.footer(named), format="html")
        deck += section
    doctree.children.clear()
    doctree += deck


def _shown(lecture: nodes.section) -> Iterator[tuple[str, str, list[nodes.Node]]]:
    """Kind, title and content of each slide of a deck, in the lecture's order."""
    lines = itertools.takewhile(
        lambda node: isinstance(node, nodes.paragraph | nodes.block_quote), lecture.children[1:]
    )
    if hook := list(lines):
        yield "hook", HOOK, [*hook, *_first_output(lecture)]
    for node in list(lecture.findall()):
        if isinstance(node, Slide):
            yield "slide", node["title"], node.children
        elif isinstance(node, nodes.admonition) and "activity" in node["classes"]:
            for step in (one for steps in node.findall(nodes.enumerated_list) for one in steps):
                step["classes"].append("fragment")  # it comes with a key press: the class says it
            yield "activity", node.children[0].astext(), node.children[1:]
        elif isinstance(node, nodes.section) and (heading := node.children[0].astext()) in SHOWN:
            yield SHOWN[heading], heading, node.children[1:]


def _first_output(lecture: nodes.section) -> list[nodes.container]:
    """The output of the first cell before all sections; it comes with a key press."""
    before = itertools.takewhile(lambda node: not isinstance(node, nodes.section), lecture)
    for node in before:
        for output in node.findall(nodes.container):
            if "cell_output" in output["classes"]:
                output["classes"].append("fragment")
                return [output]
    return []


def _aside(notes: Notes) -> nodes.Element:
    """The notes as the deck's speaker view finds them."""
    aside = nodes.container()
    aside += nodes.raw("", '<aside class="notes">', format="html")
    aside += notes.children
    aside += nodes.raw("", "</aside>", format="html")
    return aside


def setup(app: Sphinx) -> None:
    """Register the directives."""
    for node in (Slide, Notes):
        app.add_node(node)
    app.add_directive("slide", SlideDirective)
    app.add_directive("notes", NotesDirective)
    app.connect("doctree-resolved", arrange)
