"""From a study's material to its report, to the files that it is, and to the answer as data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .drawings import drawings, standalone
from .material import Material
from .rendering import HTML, MARKDOWN, rendered
from .wording import counted

SECTIONS = {  # by the names of their templates
    "answer": "The answer",
    "methods": "What was run",
    "noise": "Noise",
    "sensitivity": "Sensitivity",
    "costs": "Quality, time and memory",
    "convergence": "Convergence",
    "limits": "What was not tried",
    "configurations": "All configurations",
    "reproduction": "Reproduce",
}


@dataclass(frozen=True)
class Written:
    """The files of a report."""

    html: Path
    markdown: Path
    figures: list[Path]


def write(material: Material, out: Path) -> Written:
    """`report.html`, which needs nothing else, and `report.md` with `figures/*.svg`, in `out`.

    Raises ValueError when the rows cannot be compared, as `summarize` does.
    """
    content = _content(material)
    page, text = (rendered(f"report.{form}.jinja", content, form) for form in (HTML, MARKDOWN))
    folder = out / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    files = Written(out / "report.html", out / "report.md", [])
    files.html.write_text(page, encoding="utf-8")
    files.markdown.write_text(text, encoding="utf-8")
    for drawing in content["drawings"].values():
        file = folder / f"{drawing.name}.svg"
        file.write_text(standalone(drawing), encoding="utf-8")
        files.figures.append(file)
    return files


def section(id: str, material: Material) -> str:
    """One section of the report, as Markdown."""
    return rendered(f"{id}.jinja", _content(material), MARKDOWN)


def _content(material: Material) -> dict[str, Any]:
    found = material.findings
    complete, planned = len(found.complete), counted(len(found.rows), "trial")
    return {
        "title": f"Hyperparameter study: {material.name}",
        "subtitle": f"Profile {material.profile}, {complete:,} of {planned} complete; "
        f"quality is `{material.measure}`.",
        "sections": SECTIONS,
        "material": material,
        "found": found,
        "chosen": found.recommended,
        "drawings": drawings(material),
    }


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
