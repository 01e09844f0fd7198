"""`student translate`: sentences through a trained model, with the library's search or your own."""

import argparse
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, Protocol

FOLDER = "submission"  # of a trained model
WIDTH = 24  # characters of a bar of weight 1
LEAST = 0.1  # smaller attention weights are not shown
MOST_BEAMS, MOST_PENALTY = 1000, 100.0


class TranslateProblem(Exception):
    """A problem that stops the command; its text is the whole message."""

    exit_code = 2


class Work(Protocol):
    """The interface that the student's program offers: the notebooks of an assignment."""

    @property
    def folder(self) -> Path:
        """The place of the assignment's notebook."""
        ...

    def functions(
        self, notebook: Path, names: Sequence[str]
    ) -> tuple[Mapping[str, Any], Mapping[str, str]]:
        """The notebook's definitions, these names included, and why others are missing."""
        ...


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("texts", nargs="*", help="sentences; default: stdin, one per line")
    command.add_argument("--model", type=Path, help="a translator's folder; default: submission")
    command.add_argument("--notebook", type=Path, help="whose functions translate; default: a4's")
    command.add_argument("--width", type=_positive, default=5, help="beam width; 1 is greedy")
    command.add_argument("--length-penalty", type=_penalty, help="0 for none; default: the model's")
    command.add_argument("--best", type=_positive, default=1, help="how many to show, with scores")
    command.add_argument("--words", action="store_true", help="show which word came from which")
    command.add_argument("--json", action="store_true", help="print JSON")


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_BEAMS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_BEAMS}")
    return int(text)


def _penalty(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST_PENALTY:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {MOST_PENALTY:.0f}")
    return value


def _default_folder(work: Work) -> Path:
    """`submission` here, or else beside the notebook of the assignment."""
    beside = work.folder / FOLDER
    return Path(FOLDER) if Path(FOLDER).is_dir() or not beside.is_dir() else beside


class OwnTranslator:
    """The model that a notebook's `load_model` loads, and its `search`."""

    def __init__(self, namespace: Mapping[str, Any], folder: Path):
        self.model = namespace["load_model"](str(folder))
        self.tokenizer = self.model.tokenizer
        self._search, self._word_weights = namespace["search"], namespace.get("word_weights")

    def search(
        self, texts: Sequence[str], width: int, length_penalty: float | None, n_best: int
    ) -> Any:
        penalty = self.model.length_penalty if length_penalty is None else length_penalty
        return self._search(self.model, texts, width, penalty, n_best)

    def align(self, source: str, target: str) -> Any:
        """The words attended to, by the notebook's own `word_weights`."""
        seen = importlib.import_module("course_lib.analysis.attended_words")
        try:
            return seen.attended(self.model, self.tokenizer, source, target, self._word_weights)
        except Exception as error:
            raise TranslateProblem(
                f"--words uses your `word_weights`, which cannot be run ({type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}): finish it, or leave --words out"
            ) from None


def run(options: argparse.Namespace, work: Work) -> int:
    """Print a translation of each text, or of each line on stdin. Raises TranslateProblem."""
    options.model = options.model or _default_folder(work)
    texts = options.texts
    if options.best > options.width:
        raise TranslateProblem(
            f"--best {options.best} with --width {options.width}: give a --width at least as large"
        )
    library = None if options.notebook else _library()
    translator: Any = None
    if library is not None:
        translator = _load(library, options.model)
    lines = texts or [line.rstrip("\n") for line in sys.stdin]
    sources = [line for line in lines if line.strip()]
    if broken := [text for text in sources if not _is_text(text)]:
        raise TranslateProblem(f"{broken[0][:40]!r} is not UTF-8: save the sentences as UTF-8")
    if not sources:
        raise TranslateProblem("nothing to translate: give sentences, or one per line on stdin")
    with redirect_stdout(sys.stderr):  # a text that is cut is said there, so --json stays JSON
        if translator is not None:
            found = translator.search(
                sources, options.width, options.length_penalty, n_best=options.best
            )
        else:
            translator, found = _with_own(sources, options, work)
    if not all(found):
        raise TranslateProblem(
            f"{options.model} gives no translation a probability: are its weights numbers? "
            "Train it again"
        )
    for source, hypotheses in zip(sources, found, strict=True):
        made = [(translator.tokenizer.decode(h.tokens), h.score) for h in hypotheses]
        entry = {"source": source, "translations": [{"text": t, "score": s} for t, s in made]}
        if options.words:
            entry["words"] = _words(translator, source, made[0][0])
        _print(entry, options)
    return 0


def _library() -> Any:
    """The library's translator; None while it is an exercise."""
    try:
        return importlib.import_module("course_lib.decoding.translator")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("course_lib"):
            return None
        raise


def _load(library: Any, folder: Path) -> Any:
    try:
        return library.Translator.load(folder)
    except library.TranslationError as error:
        raise TranslateProblem(str(error)) from None


def _with_own(
    sources: Sequence[str], options: argparse.Namespace, work: Work
) -> tuple[OwnTranslator, Any]:
    """Translate with the functions of a notebook of assignment 4. Raises TranslateProblem."""
    wanted = ["search", *(["word_weights"] if options.words else [])]
    notebook = options.notebook or "your notebook"
    namespace, unavailable = work.functions(options.notebook, wanted)
    if not options.model.is_dir():
        raise TranslateProblem(
            f"{options.model}: there is no such folder; train a translator first, as in "
            "assignment 4, or name its folder with --model"
        )
    for name in ("load_model", *wanted):
        if name not in namespace:
            why = unavailable.get(name, f"it defines no `{name}`")
            raise TranslateProblem(f"{notebook}: {why}; {_needed(options)}")
    try:
        translator = OwnTranslator(namespace, options.model)
        hypotheses = translator.search(
            sources, options.width, options.length_penalty, n_best=options.best
        )
    except Exception as error:
        raise TranslateProblem(
            f"{notebook}: it cannot translate with {options.model} "
            f"({type(error).__name__}: {' '.join(str(error).split())[:200]}): finish the exercises "
            "up to beam search, or train again"
        ) from None
    return translator, hypotheses


def _needed(options: argparse.Namespace) -> str:
    if options.words:
        return "--words needs `load_model`, `search` and `word_weights`"
    return "translating needs `load_model` and `search`"


def _is_text(text: str) -> bool:
    """False if the bytes were not UTF-8: they arrive as lone surrogates, which do not encode."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _words(translator: Any, source: str, target: str) -> list[dict[str, Any]]:
    """For each word of the translation, the three source words it attends to most."""
    if isinstance(translator, OwnTranslator):
        seen = translator.align(source, target)
    else:
        library = importlib.import_module("course_lib.analysis.translator_alignment")
        seen = library.align(translator, source, target)
    return [
        {
            "word": word,
            "from": [[seen.source[i], round(float(row[i]), 3)] for i in (-row).argsort()[:3]],
        }
        for word, row in zip(seen.target, seen.weights, strict=True)
    ]


def _print(entry: dict[str, Any], options: argparse.Namespace) -> None:
    if options.json:
        print(json.dumps(entry, ensure_ascii=False))
        return
    if options.best == 1:
        print(entry["translations"][0]["text"])
    else:
        print(entry["source"])
        for made in entry["translations"]:
            print(f"  {made['score']:7.3f}  {made['text']}")
    for row in entry.get("words", []):
        first, *others = row["from"]
        bar = "█" * round(WIDTH * first[1])
        also = "".join(f", {word} {weight:.2f}" for word, weight in others if weight >= LEAST)
        print(f"  {row['word']:>14}  {bar:{WIDTH}}  {first[0]} {first[1]:.2f}{also}")
