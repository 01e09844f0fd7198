"""`student generate`: a trained language model continues a prompt."""

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", type=Path, required=True, help="a language model's folder")
    command.add_argument(
        "--prompt", default="", help="how the text begins; default: the model decides"
    )
    command.add_argument("--tokens", type=_whole, default=40, help="at most, after the prompt")
    command.add_argument(
        "--temperature", type=_temperature, default=1.0, help="0: the most likely token each time"
    )
    command.add_argument("--top-k", type=_whole, help="draw from so many tokens; default: all")
    command.add_argument(
        "--top-p", type=_share, help="draw from the fewest that have this probability together"
    )
    command.add_argument("--seed", type=_seed, default=0, help="the same seed, the same text")
    command.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, work: object) -> int:
    """Print the prompt with what follows it. Raises WriterError, one sentence."""
    import torch

    from .writer import Writer, WriterError

    try:
        options.prompt.encode("utf-8")
    except UnicodeEncodeError:  # bytes that were not UTF-8 arrive as lone surrogates
        raise WriterError("the prompt is not UTF-8: give it as UTF-8") from None
    writer = Writer.load(options.model)
    try:
        with redirect_stdout(sys.stderr):  # a prompt that is cut is said there
            [text] = writer.write(
                [options.prompt],
                options.tokens,
                temperature=options.temperature,
                top_k=options.top_k,
                top_p=options.top_p,
                generator=torch.Generator().manual_seed(options.seed),
            )
    except NotImplementedError as error:  # a part of the library that is an exercise so far
        raise WriterError(f"the library cannot write yet ({error}): wait for its release") from None
    print(json.dumps({"text": text}, ensure_ascii=False) if options.json else text)
    return 0


def _whole(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def _number(text: str) -> float:
    """NaN if it is none, which no bound allows."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _temperature(text: str) -> float:
    if not 0 <= (value := _number(text)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return value


def _share(text: str) -> float:
    if not 0 < (value := _number(text)) <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0, and 1 at most")
    return value
