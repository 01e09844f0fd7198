"""How to run the study again, and how to look into its database."""

from __future__ import annotations

from shlex import quote

from ..document import Block, Code, Paragraph, Section
from ..material import Material


def again(material: Material) -> Section:
    where = f"--storage {quote(material.url)} --name {quote(material.name)}"
    pruner = "" if material.pruner == "none" else f" --pruner {material.pruner}"
    commands = [
        f"course study run --profile {quote(material.profile)}{pruner} {where}",
        f"course study rows {where} --out results.csv",
        f"course study report {where} --out out/study",
    ]
    text = (
        "The first command runs what is missing and nothing twice; with another `--name` it runs "
        "everything again. On a CPU the same seeds, versions and number of threads give the same "
        "qualities to the last digit; times differ."
    )
    look = "Every trial, with its curve, in the browser (`pip install optuna-dashboard`):"
    blocks: list[Block] = [Paragraph(text), Code("\n".join(commands)), Paragraph(look)]
    if "@" in material.url:
        blocks.append(Paragraph("The password of the database is left out here.", "note"))
    return Section("Reproduce", [*blocks, Code(f"optuna-dashboard {quote(material.url)}")])
