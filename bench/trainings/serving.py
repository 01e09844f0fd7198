"""Measures what serving a language model costs: in few bits, with guesses, in batches, in pages."""

import copy
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from bench.real_data import real
from bench.record import Log, Measures, Row, by_seed, origin
from course_lib.config import TransformerConfig
from course_lib.data.token_blocks import TokenBlocks
from course_lib.data.tokenizer import END
from course_lib.decoding.generate import generate
from course_lib.decoding.speculative import speculate
from course_lib.evaluation.language import perplexity
from course_lib.families.language_model import LanguageModel
from course_lib.families.quantization import bytes_of, quantized
from course_lib.recipes.language import TrainedLanguageModel, streams, train_language_model
from course_lib.recipes.language_profiles import LanguageProfile, profile
from course_lib.recipes.profiles import fit_by
from course_lib.training.language_losses import language_loss

NAME, PROFILE, EPOCHS = "serving", "cpu", 2
SMALL = TransformerConfig(n_layers=1, d_model=32, n_heads=4, d_ff=128, dropout=0.0)  # the guesser
BITS, AHEAD, BATCHES = (8, 4, 3, 2), (2, 4, 8), (1, 4, 16, 64)
TEXTS, BEGINNING, NEW = 128, 3, 20  # how many are written, tokens of a prompt, tokens after it
LONGER, PART = 4, 8  # times the length of training; one part of the text in so many
PAGE, RESERVED = 16, 64  # positions of a page of the cache; positions kept free without pages


def run(seeds: Sequence[int], log: Log) -> Measures:
    """Train a large and a small model with each seed, and serve them; writes after each seed.

    Perplexities are those of the validation split; prompts are the beginnings of its texts.
    """
    torch.set_num_threads(1)
    settings = replace(profile(PROFILE), epochs=EPOCHS)
    data = real(settings.dataset)
    tokenizer, train, validation = streams(data, settings)
    texts = [[END, *ids] for ids in tokenizer.encode(data["validation"][:][settings.text])]
    prompts = [ids[: BEGINNING + 1] for ids in texts[:TEXTS]]

    def measured(seed: int) -> Row:
        large = _model(train_language_model(data, settings, seed))
        small = _model(train_language_model(data, replace(settings, model=SMALL), seed))
        row = _in_few_bits(large, validation, settings)
        row["small_perplexity"] = perplexity(small, validation, settings.length)
        row["small_parameters"] = sum(p.numel() for p in small.parameters())
        row |= _longer(large, train, validation, settings)
        return row | _guessed(large, small, prompts) | _batched(large, prompts) | _paged(texts)

    return by_seed(NAME, "serving --seeds {seeds}", seeds, measured, origin(data), log)


def _model(trained: TrainedLanguageModel) -> LanguageModel:
    assert isinstance(trained.model, LanguageModel)
    return trained.model.eval()


def _in_few_bits(model: LanguageModel, validation: Any, settings: LanguageProfile) -> Row:
    """Perplexity and bytes of the weights in 32 bits and in fewer."""
    row = {
        "parameters": float(sum(p.numel() for p in model.parameters())),
        "bits_32_perplexity": perplexity(model, validation, settings.length),
        "bits_32_bytes": float(bytes_of(model)),
    }
    for bits in BITS:
        found = perplexity(quantized(model, bits), validation, settings.length)
        row[f"bits_{bits}_perplexity"] = found
        row[f"bits_{bits}_bytes"] = float(bytes_of(model, bits))
    return row


def _longer(model: LanguageModel, train: Any, validation: Any, settings: LanguageProfile) -> Row:
    """Perplexity in blocks LONGER times as long, as it is and with positions divided by that.

    Without more training, and after reading a part of the text in such blocks.
    """
    row, length = Row(), LONGER * settings.length
    short = replace(settings, epochs=1, length=length, learning_rate=settings.learning_rate / 4)
    batches = TokenBlocks(train[: len(train) // PART], length, settings.max_tokens // length, 0)
    for name, factor in (("longer", 1), ("stretched", LONGER)):
        own = copy.deepcopy(model)
        vars(own)["_places"] = lambda ids, n=factor: model._places(ids) / n
        row[f"{name}_perplexity"] = perplexity(own, validation, length)
        fit_by(short, own, batches, language_loss, lambda _: {}, False, None)
        row[f"{name}_tuned_perplexity"] = perplexity(own, validation, length)
    return row


def _guessed(large: LanguageModel, small: LanguageModel, prompts: list[list[int]]) -> Row:
    """Tokens for each call of the large model, and the time beside its own.

    Raises AssertionError if a text is not that of the large model alone.
    """
    began = time.process_time()
    alone = [generate(large, [prompt], NEW, temperature=0)[0] for prompt in prompts]
    seconds, row = time.process_time() - began, Row()
    tokens = sum(map(len, alone))
    for ahead in AHEAD:
        began = time.process_time()
        found = [speculate(large, small, prompt, NEW, ahead) for prompt in prompts]
        row[f"ahead_{ahead}_time_ratio"] = (time.process_time() - began) / seconds
        assert [text for text, _ in found] == alone, "the texts differ"
        calls = sum(calls for _, calls in found)
        row[f"ahead_{ahead}_tokens_a_call"] = tokens / calls
        row[f"ahead_{ahead}_calls_saved_percent"] = 100 * (1 - calls / tokens)
    return row


def _batched(model: LanguageModel, prompts: list[list[int]]) -> Row:
    """Tokens that are written in a second of one core, by how many texts are written together."""
    row = Row()
    for size in BATCHES:
        began = time.process_time()
        groups = [prompts[start : start + size] for start in range(0, len(prompts), size)]
        tokens = sum(len(ids) for g in groups for ids in generate(model, g, NEW, temperature=0))
        row[f"batch_{size}_tokens_per_second"] = tokens / (time.process_time() - began)
    return row


def _paged(texts: list[list[int]]) -> Row:
    """The share of a cache that no text fills: a place of full length for each, or pages."""
    lengths = [min(len(ids), RESERVED) for ids in texts]
    kept = {"reserved": RESERVED * len(lengths)}
    kept["paged"] = sum(PAGE * math.ceil(length / PAGE) for length in lengths)
    row = {f"{name}_unused_percent": 100 * (1 - sum(lengths) / n) for name, n in kept.items()}
    return row | {"tokens_a_text": sum(lengths) / len(lengths)}
