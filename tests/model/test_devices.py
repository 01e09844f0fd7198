"""Every model, loss, mask and search on another device, and in 16 bits.

torch's device "meta" shows on any machine where two devices meet; a GPU is tried if there is one.
"""

import pytest
import torch
from torch import nn

from course_lib.classifier import EncoderClassifier, masked_mean
from course_lib.config import SCHEMES
from course_lib.decoding.cache import cached_step, encoded, start_cache, uncached_step
from course_lib.decoding.generate import generate
from course_lib.decoding.sampling import sample, sampling_distribution
from course_lib.decoding.search import beam_search, continuations, greedy, split_candidates
from course_lib.evaluation.perplexity import perplexity
from course_lib.families.encoder_heads import TextClassifier
from course_lib.families.language_model import LanguageModel
from course_lib.families.masked_language_model import BertEncoder, MaskedLanguageModel
from course_lib.families.packing import block_mask, restarted_positions
from course_lib.families.position_variants import with_positions
from course_lib.families.recurrent import RecurrentLanguageModel
from course_lib.fast.cached_decoder import FastDecoder
from course_lib.fast.forms import fast_model
from course_lib.fast.loss import fast_label_smoothed_loss, projected_loss
from course_lib.fast.top_k import best
from course_lib.masks import padding_mask, target_mask
from course_lib.training.classification_loss import classification_loss
from course_lib.training.language_losses import (
    language_loss,
    masked_language_loss,
    packed_language_loss,
)
from course_lib.training.losses import label_smoothed_loss
from course_lib.training.schedules import WarmupSchedule
from course_lib.training.translation_loss import translation_loss
from course_lib.training.update import step_of
from course_lib.transformer import Transformer
from course_lib.transformer_variants import VariantTransformer
from grader.seam import variations

WORDS, SIZES = 20, {"n_layers": 1, "d_model": 16, "n_heads": 2, "d_ff": 32}
SOURCE = torch.tensor([[5, 6, 7, 8], [9, 10, 0, 0], [11, 12, 13, 0]])
TARGET = torch.tensor([[2, 5, 6, 3, 0], [2, 7, 8, 9, 3], [2, 3, 0, 0, 0]])
LONG = 5 + torch.arange(1200).view(2, 600) % 15  # beyond every table that is made at first
LABELS = torch.tensor([0, 1, 1])
MODELS = {
    "Transformer": (lambda **s: Transformer(WORDS, **SIZES, **s), (SOURCE, TARGET)),
    "fast Transformer": (
        lambda **s: fast_model(Transformer, WORDS, **SIZES, **s),
        (SOURCE, TARGET),
    ),
    "Transformer of long sentences": (lambda **s: Transformer(WORDS, **SIZES, **s), (LONG, LONG)),
    "variant": (
        lambda **s: VariantTransformer(WORDS, **SIZES, **s, d_k=3, d_v=5, learned_positions=9),
        (SOURCE, TARGET),
    ),
    "classifier": (lambda **s: EncoderClassifier(WORDS, 2, **SIZES, **s), (SOURCE,)),
    "fast classifier": (lambda **s: fast_model(EncoderClassifier, WORDS, **SIZES, **s), (SOURCE,)),
    "language model": (lambda **s: LanguageModel(WORDS, **SIZES, **s), (SOURCE,)),
    "BERT": (
        lambda **s: MaskedLanguageModel(BertEncoder(WORDS, **SIZES, **s), next_sentence=True),
        (SOURCE, SOURCE.clamp(max=1)),
    ),
    "head": (lambda **s: TextClassifier(BertEncoder(WORDS, **SIZES, **s), **s), (SOURCE,)),
    "recurrent": (lambda **s: RecurrentLanguageModel(WORDS, "gru", 1, 16, **s), (SOURCE,)),
} | {
    f"{scheme} positions": (
        lambda scheme=scheme, **s: with_positions(
            EncoderClassifier(WORDS, 2, **SIZES, **s), scheme
        ),
        (SOURCE,),
    )
    for scheme in SCHEMES
}


def made(name):
    torch.manual_seed(0)
    build, _ = MODELS[name]
    return build(dropout=0.0).eval()


def trained(model, loss, *batch):
    """The losses of two steps."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1.0)
    schedule, step = WarmupSchedule(optimizer, 16, 10), step_of(loss)
    return [step(model, *batch, optimizer, schedule)["loss"] for _ in range(2)]


def searched(model, source, by):
    """The hypotheses of a search by a readable or fast decoder, on the device of the source."""
    device, n = source.device, len(source)
    if by == "fast":
        decoder = FastDecoder(model)
        step, state = decoder.step, decoder.start(source)
    elif by == "cached":
        step, state = cached_step(model), start_cache(model, source)
    else:
        step, state = uncached_step(model), encoded(model, source)
    found = beam_search(step, state, n, 2, 0.6, 4, device=device)
    return torch.tensor([h[0].score for h in found])


LOGITS = torch.randn(3, 5, WORDS, generator=torch.Generator().manual_seed(0))
CALLS = {name: (lambda name=name: made(name), given) for name, (_, given) in MODELS.items()} | {
    "padding_mask": (lambda: padding_mask, (SOURCE,)),
    "target_mask": (lambda: target_mask, (TARGET,)),
    "block_mask": (lambda: block_mask, (SOURCE,)),
    "restarted_positions": (lambda: restarted_positions, (SOURCE,)),
    "masked_mean": (lambda: masked_mean, (torch.randn(3, 4, 16), SOURCE > 0)),
    "best": (lambda: best, (LOGITS[0], 3)),
    "label_smoothed_loss": (lambda: label_smoothed_loss, (LOGITS, TARGET)),
    "fast loss": (lambda: fast_label_smoothed_loss, (LOGITS, TARGET)),
    "projected_loss": (
        lambda: projected_loss,
        (torch.randn(3, 5, 8), torch.randn(WORDS, 8), TARGET),
    ),
    "sampling_distribution": (
        lambda: lambda x: sampling_distribution(x, 0.5, 9, 0.9),
        (LOGITS[0].log_softmax(-1),),
    ),
    "continuations": (
        lambda: lambda s, p: continuations(s, p, 4),
        (torch.randn(3, 2), torch.randn(6, WORDS)),
    ),
    "split_candidates": (
        lambda: lambda s, t: split_candidates(s, t, 2),
        (torch.randn(3, 5), TARGET),
    ),
    "translation_loss": (lambda: translation_loss, (made("Transformer"), SOURCE, TARGET)),
    "translation_loss, fast": (
        lambda: translation_loss,
        (made("fast Transformer"), SOURCE, TARGET),
    ),
    "classification_loss": (lambda: classification_loss, (made("classifier"), SOURCE, LABELS)),
    "language_loss": (lambda: language_loss, (made("language model"), SOURCE)),
    "packed_language_loss": (
        lambda: packed_language_loss,
        (made("language model"), SOURCE, SOURCE, SOURCE.clamp(max=1)),
    ),
    "masked_language_loss": (
        lambda: masked_language_loss,
        (made("BERT"), SOURCE, SOURCE - 6, SOURCE.clamp(max=1), LABELS),
    ),
    "a step": (
        lambda: lambda *given: trained(given[0], translation_loss, *given[1:]),
        (made("fast Transformer"), SOURCE, TARGET),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_call_mixes_two_devices(name):
    build, given = CALLS[name]
    assert variations.holds((build(), list(given), {}), ["device"])["device"]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_in_another_precision_gives_about_the_same(name, dtype):
    model, (_, given) = made(name), MODELS[name]
    with torch.no_grad():
        wanted = model(*given)
        found = model.to(dtype)(*given)
    for one, other in zip(tensors(found), tensors(wanted), strict=True):
        assert one.dtype == dtype
        torch.testing.assert_close(one.float(), other, atol=0.1, rtol=0.1)


def tensors(output):
    """The output's tensors of numbers."""
    parts = output if isinstance(output, tuple) else (output,)
    return [part for part in parts if torch.is_tensor(part)]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("by", ["fast", "cached", "uncached"])
@pytest.mark.parametrize("name", ["Transformer", "fast Transformer"])
def test_a_translator_in_16_bits_translates(name, by, dtype):
    wanted = searched(made(name), SOURCE, by)
    found = searched(made(name).to(dtype), SOURCE, by)
    torch.testing.assert_close(found, wanted, atol=0.05, rtol=0.0)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_language_model_in_16_bits_writes(dtype):
    model = made("language model").to(dtype)
    for temperature in (0, 1.0):
        (text,) = generate(model, [[3, 5]], 6, temperature, top_p=0.9)
        assert len(text) == 6


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", CALLS)
def test_every_call_gives_on_a_gpu_what_it_gives_on_a_cpu(name):
    build, given = CALLS[name]
    wanted, function = build()(*given), build()
    there = [one.cuda() if hasattr(one, "cuda") else one for one in given]
    found = (function.cuda() if isinstance(function, nn.Module) else function)(*there)
    for one, other in zip(tensors(found), tensors(wanted), strict=True):
        torch.testing.assert_close(one.cpu(), other, atol=1e-3, rtol=1e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", ["Transformer", "fast Transformer"])
def test_searches_and_measures_run_on_a_gpu(name):
    model = made(name)
    wanted = perplexity(model, [(SOURCE, TARGET)])
    scores = [searched(model, SOURCE, by) for by in ("fast", "cached", "uncached")]
    model.cuda()
    pairs = [(SOURCE.cuda(), TARGET.cuda())]
    assert perplexity(model, pairs) == pytest.approx(wanted, rel=1e-3)
    for by, score in zip(("fast", "cached", "uncached"), scores, strict=True):
        found = searched(model, SOURCE.cuda(), by)
        torch.testing.assert_close(found, score, atol=1e-3, rtol=1e-3)
    decoder = FastDecoder(model)
    for choose in (greedy, sample):
        assert choose(decoder.step, decoder.start(pairs[0][0]), 3, 4, device="cuda")
