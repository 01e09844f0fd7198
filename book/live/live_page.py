"""The page with the live models: its files, and recorded pictures for where no script runs."""

import base64
import json
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import claims, live_model

STATIC = live_model.FOLDER.parent / "_static" / "live"
COMPUTING = (
    "arithmetic",
    "safetensors",
    "tokenizer",
    "transformer",
    "search",
    "language",
    "worker",
)
DRAWING = (
    *(
        "element",
        "engine",
        "stages",
        "stream",
        "drawing",
        "flow",
        "bars",
        "beam",
        "heads",
        "writer",
    ),
    "page",
)
SHIPPED = "shipped.js"


class LiveDirective(SphinxDirective):
    """`{live-model}`: the models, with the sentences of `claims.json`."""

    def run(self) -> list[nodes.Node]:
        examples = claims.read()["examples"]
        size = f"{len(shipped(live_model.FOLDER).encode()) / 1e6:.1f}\N{NO-BREAK SPACE}MB"
        given = {"sentence": examples[0], "examples": json.dumps(examples), "size": size}
        data = " ".join(f'data-{name}="{escape(text, quote=True)}"' for name, text in given.items())
        scripts = "".join(
            f'<script src="_static/live/{name}.js" defer></script>' for name in DRAWING
        )
        html = f'<div id="live-model" {data}>{recorded(examples[0])}</div>{scripts}'
        self.env.note_dependency(str(live_model.FOLDER / "config.json"))
        self.env.note_dependency(str(live_model.FOLDER / claims.FILE))
        return [nodes.raw("", html, format="html")]


class ClaimDirective(SphinxDirective):
    """`{live-claim} NAME`: what was measured of a switch, of the heads or of the beam."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(live_model.FOLDER / claims.FILE))
        return [nodes.raw("", claims.html(claims.read(), self.arguments[0]), format="html")]


def recorded(sentence: str) -> str:
    """The library's results for a sentence: the translation, and every head's cross-attention."""
    import torch

    from course_lib.data.tokenizer import START
    from course_lib.decoding.translator import Translator
    from course_lib.explorer.maps import attention_maps
    from course_lib.explorer.picture import described, picture

    torch.set_num_threads(1)
    translator = Translator.load(live_model.FOLDER)
    names = json.loads((live_model.FOLDER / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    tokens = {id: token.replace("▁", "") or "▁" for token, id in names.items()}
    tokens[START] = "START"
    source = translator.tokenizer.encode([sentence])[0]
    found = translator.search([sentence], width=4)[0][0].tokens
    read = [START, *found]
    with torch.inference_mode():
        _, layers = translator.model(torch.tensor([source]), torch.tensor([read]), True)
    rows, columns = [tokens[id] for id in read], [tokens[id] for id in source]
    heads = attention_maps(
        [weights[0] for weights in layers or []], rows, columns, "decoder to source"
    )
    svg = base64.b64encode(picture([heads]).encode()).decode()
    alt = escape(described([heads]), quote=True)
    said = translator.tokenizer.decode(found)
    return (
        f'<div class="live-recorded"><p>Recorded: <q lang="en">{escape(sentence)}</q> becomes '
        f'<q lang="fr">{escape(said)}</q> Each square is one head of the decoder: a row for each '
        "word that is written, a column for each word of the sentence.</p>"
        f'<img src="data:image/svg+xml;base64,{svg}" alt="{alt}"></div>'
    )


def shipped(folder: Path) -> str:
    """The script that holds models and worker: from a folder, `fetch` and workers are refused."""
    about: dict[str, Any] = {
        "worker": "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in COMPUTING),
        "translator": _model(folder, "translation.safetensors"),
        "language": _model(folder / live_model.LANGUAGE, "language_model.safetensors"),
        "words": json.loads((folder / live_model.WORDS).read_text("utf-8")),
        "claims": claims.read(folder),
    }
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    return f"(globalThis.live = globalThis.live || {{}}).shipped = {text};\n"


def _model(folder: Path, weights: str) -> dict[str, Any]:
    return {
        "weights": base64.b64encode((folder / weights).read_bytes()).decode(),
        "config": json.loads((folder / "config.json").read_text("utf-8")),
        "tokenizer": json.loads((folder / "tokenizer.json").read_text("utf-8")),
    }


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        target = Path(app.outdir) / "_static" / "live" / SHIPPED
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(shipped(live_model.FOLDER), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the directives; the models are written beside their scripts."""
    app.add_directive("live-model", LiveDirective)
    app.add_directive("live-claim", ClaimDirective)
    app.connect("build-finished", _write)
