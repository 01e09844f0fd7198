"""From a study's material to its report, and to the files that it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .document import Report, Section
from .html_page import html_page
from .markdown import markdown
from .material import Material
from .sections.again import again
from .sections.answer import answer
from .sections.convergence import convergence
from .sections.cut_short import cut_short
from .sections.effects import effects
from .sections.everything import everything
from .sections.noise import noise
from .sections.price import price
from .sections.setting import setting
from .sections.together import together
from .sections.untried import untried
from .sections.weight import weight
from .svg import standalone
from .wording import counted

SECTIONS: tuple[Callable[[Material], Section], ...] = (
    answer,
    setting,
    noise,
    effects,
    together,
    price,
    convergence,
    weight,
    cut_short,
    untried,
    everything,
    again,
)


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
    sections = [replace(make(material), id=make.__name__) for make in SECTIONS]
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


def told(material: Material) -> dict[str, Any]:
    """The answer as data, for a program: None where it is not known."""
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
        half = found.noise.half_width(chosen["n"])
        chances = dict(zip(map(found.key, found.sound), found.chances, strict=True))
        answer["recommended"] = {
            "configuration": found.configuration(chosen),
            "n": chosen["n"],
            "mean": chosen["mean"],
            "interval": [chosen["mean"] - half, chosen["mean"] + half],
            "chance_of_being_best": chances[found.key(chosen)],
            "train_seconds": chosen["train_seconds"],
        }
    return answer
