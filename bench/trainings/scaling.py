"""How the loss of the language model falls with its size and with the text that it reads."""

import math
from dataclasses import replace

import torch
from torch import Tensor, nn

from bench.real_data import real
from bench.record import Log, Measures, of_values, origin
from course_lib.data.token_blocks import TokenBlocks
from course_lib.evaluation.language import perplexity
from course_lib.recipes.language import streams, transformer
from course_lib.recipes.language_profiles import LanguageProfile, profile
from course_lib.recipes.profiles import fit_by
from course_lib.training.language_losses import language_loss
from grader.authoring import results_file

NAME, PROFILE, SEED = "scaling", "cpu", 0
WIDTHS = (16, 24, 40, 64)
SHARES = (16, 8, 4, 2)  # a run reads one part in so many of the training text, once
PREDICTED = 128  # the width of one more run, on half of the text, which a fit has to foretell


def run(log: Log) -> Measures:
    """Train every width on every share, once; the loss is that of the validation split, in nats."""
    torch.set_num_threads(1)
    settings = replace(profile(PROFILE), epochs=1)
    data = real(settings.dataset)
    tokenizer, train, validation = streams(data, settings)
    grid = [(width, share) for width in WIDTHS for share in SHARES] + [(PREDICTED, min(SHARES))]
    runs, values = [], {}
    for width, share in grid:
        own = of_width(settings, width)
        read = train[: len(train) // share]
        model, tokens = trained(own, tokenizer.vocab_size, read)
        loss = math.log(perplexity(model, validation, own.length))
        size = sum(parameter.numel() for parameter in model.parameters())
        runs.append({"width": width, "parameters": size, "tokens": tokens, "loss": round(loss, 6)})
        values[f"loss_{width}_{share}"] = [loss]
        log(f"width {width}, {size:,} parameters, {tokens:,} tokens: {loss:.3f} nats")
    measures = of_values(values)
    results_file.write(NAME, "course bench scaling", measures, origin(data), also={"runs": runs})
    return measures


def of_width(settings: LanguageProfile, width: int) -> LanguageProfile:
    """The profile with another width, all else in proportion; a wider model learns more slowly."""
    sizes = replace(settings.model, d_model=width, d_ff=4 * width)
    rate = settings.learning_rate * math.sqrt(settings.model.d_model / width)
    return replace(settings, model=sizes, learning_rate=rate)


def trained(settings: LanguageProfile, vocab_size: int, text: Tensor) -> tuple[nn.Module, int]:
    """A model that has read the text once, and the number of tokens that it has read."""
    rows = settings.max_tokens // settings.length
    batches = TokenBlocks(text, settings.length, rows, SEED)
    torch.manual_seed(SEED)
    model = transformer(vocab_size, settings)
    fit_by(settings, model, batches, language_loss, lambda _: {}, False, None)
    return model, len(batches) * rows * settings.length
