"""From a study's material to its report, to the files that it is, and to the answer as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .answer import answer
from .convergence import convergence
from .costs import configurations, costs
from .document import Report, Section, markdown
from .html_page import html_page, standalone
from .material import Material
from .methods import limits, methods, reproduction
from .noise import noise
from .sensitivity import sensitivity
from .wording import counted

SECTIONS: Mapping[str, Callable[[Material], Section]] = {
    make.__name__: make
    for make in (
        answer,
        methods,
        noise,
        sensitivity,
        costs,
        convergence,
        limits,
        configurations,
        reproduction,
    )
}


@dataclass(frozen=True)
class Written:
    """The files of a report."""

    html: Path
    markdown: Path
    figures: list[Path]


def report(material: Material) -> Report:
    """Raises ValueError when the rows cannot be compared, as `summarize` does."""
    complete, planned = len(material.findings.complete), len(material.findings.rows)
    subtitle = (
        f"Profile {material.profile}, {complete:,} of {counted(planned, 'trial')} complete; "
        f"quality is `{material.measure}`."
    )
    sections = [replace(make(material), id=id) for id, make in SECTIONS.items()]
    return Report(f"Hyperparameter study: {material.name}", subtitle, sections)


def write(made: Report, out: Path) -> Written:
    """`report.html`, which needs nothing else, and `report.md` with `figures/*.svg`, in `out`."""
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    files = Written(out / "report.html", out / "report.md", [])
    files.html.write_text(html_page(made), encoding="utf-8")
    files.markdown.write_text(markdown(made), encoding="utf-8")
    for drawing in made.drawings:
        file = folder / f"{drawing.name}.svg"
        file.write_text(standalone(drawing), encoding="utf-8")
        files.figures.append(file)
    return files


def as_data(material: Material) -> dict[str, Any]:
    """The answer for a program: None where it is not known."""
    found, chosen = material.findings, material.findings.recommended
    answer: dict[str, Any] = {
        "study": material.name,
        "measure": material.measure,
        "complete": len(found.complete),
        "trials": len(found.rows),
        "noise": found.noise and {"s": found.noise.s, "degrees": found.noise.degrees},
        "detectable_difference": found.margin,
        "p_of_no_difference": found.p_of_no_difference,
        "recommended": None,
        "confirmation": material.confirmation,
    }
    if chosen is not None and found.noise is not None:
        answer["recommended"] = {
            "configuration": found.configuration(chosen),
            "n": chosen["n"],
            "mean": chosen["mean"],
            "interval": list(found.noise.interval_of_mean(chosen)),
            "chance_of_being_best": found.chance_of(chosen),
            "train_seconds": chosen["train_seconds"],
        }
    return answer
