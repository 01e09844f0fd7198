"""The page with the live model: its files, and recorded pictures for where no script runs."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from . import live_model

SCRIPTS = ("safetensors", "tokenizer", "transformer", "search", "page")
SHIPPED = "shipped.js"


class LiveDirective(SphinxDirective):
    """`{live-model} SENTENCE`: the model with this sentence; its content: examples, one a line."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"class": directives.class_option}

    def run(self) -> list[nodes.Node]:
        examples = [line for line in self.content if line.strip()]
        sentence = self.arguments[0]
        given = (("sentence", sentence), ("examples", json.dumps(examples)))
        data = " ".join(f'data-{name}="{escape(value, quote=True)}"' for name, value in given)
        scripts = "".join(
            f'<script src="_static/live/{name}" defer></script>'
            for name in (f"{name}.js" for name in SCRIPTS)
        )
        html = f'<div id="live-model" {data}>{recorded(sentence)}</div>{scripts}'
        self.env.note_dependency(str(live_model.FOLDER / "config.json"))
        return [nodes.raw("", html, format="html")]


def recorded(sentence: str) -> str:
    """What the library makes of a sentence: the translation, and every head's cross-attention."""
    import torch

    from course_lib.data.tokenization import TextTokenizer
    from course_lib.decoding.translator import Translator
    from course_lib.explorer.maps import attention_maps
    from course_lib.explorer.picture import described, picture

    torch.set_num_threads(1)
    translator = Translator.load(live_model.FOLDER)
    names = json.loads((live_model.FOLDER / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    tokens = {id: token.replace("▁", "␣") for token, id in names.items()}
    source = translator.tokenizer.encode([sentence])[0]
    found = translator.search([sentence], width=4)[0][0].tokens
    read = [TextTokenizer.START, *found]
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
        f'<q lang="fr">{escape(said)}</q>. Each square is one head of the decoder: a row for each '
        "word that is written, a column for each word of the sentence.</p>"
        f'<img src="data:image/svg+xml;base64,{svg}" alt="{alt}"></div>'
    )


def shipped(folder: Path) -> str:
    """The script that holds the model: scripts load from a folder too, where `fetch` is refused."""
    about: dict[str, Any] = {
        "weights": base64.b64encode((folder / "translation.safetensors").read_bytes()).decode(),
        "config": json.loads((folder / "config.json").read_text("utf-8")),
        "tokenizer": json.loads((folder / "tokenizer.json").read_text("utf-8")),
    }
    text = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    return f"(globalThis.live = globalThis.live || {{}}).shipped = {text};\n"


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.name == "html":
        target = Path(app.outdir) / "_static" / "live" / SHIPPED
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(shipped(live_model.FOLDER), encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Register the directive; the model is written beside its scripts."""
    app.add_directive("live-model", LiveDirective)
    app.connect("build-finished", _write)
