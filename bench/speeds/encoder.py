"""Training steps of our encoder, in its fast forms, against torch's, interleaved."""

from dataclasses import replace

import torch
from torch import Tensor

from bench.record import Log, Measures
from course_lib.analysis.torch_encoder import copy_encoder_from_torch, torch_encoder
from course_lib.config import PRESETS, TransformerConfig
from course_lib.encoder import Encoder
from course_lib.fast.forms import fast_model
from grader.authoring import results_file

from .training_steps import Contender, compared

NAME = "bench_encoder"
CONFIG = replace(PRESETS["cpu"], norm_first=True)
TOKENS = 2048
LENGTHS = (8, 16, 24, 40)  # padded batch lengths, typical for SST-2 sorted by length
ROUNDS = {2: 15, 6: 7}  # repetitions by number of layers
CLOSE = 1e-4


def run(log: Log) -> Measures:
    """Time forward, backward and AdamW, pre-norm; writes `results/bench_encoder.json`.

    Unlike the paper, torch's layer has dropout inside its feed-forward network: it is removed.
    """
    torch.set_num_threads(1)
    torch.manual_seed(0)
    batches = [_batch(n) for n in LENGTHS]
    tokens = sum(int(real.sum()) for _, real in batches)
    measures: Measures = {}
    for n_layers, rounds in ROUNDS.items():
        contenders = _contenders(replace(CONFIG, n_layers=n_layers), batches[0])
        found = compared(*contenders, batches, tokens, rounds, "speedup_same_work")
        measures |= {f"layers_{n_layers}_{key}": one for key, one in found.items()}
    source = f"random, {len(batches)} batches of {TOKENS} × {CONFIG.d_model}, padded to {LENGTHS}"
    data = {"name": source, "source": "seed 0", "sha256": ""}
    results_file.write(NAME, "course bench encoder", measures, data)
    return measures


def _batch(n: int) -> tuple[Tensor, Tensor]:
    """Vectors of sentences of up to `n` tokens, and a mask, True for real tokens."""
    sentences = TOKENS // n
    lengths = torch.randint(int(0.8 * n), n + 1, (sentences,))
    return torch.randn(sentences, n, CONFIG.d_model), torch.arange(n) < lengths[:, None]


def _contenders(
    config: TransformerConfig, example: tuple[Tensor, Tensor]
) -> tuple[Contender, Contender]:
    """Ours, and torch's with the same work. Raises RuntimeError if they disagree."""
    form = config.arguments
    del form["position_scale"]  # for embeddings, which these encoders do not have
    theirs, ours = torch_encoder(**form), fast_model(Encoder, **form)
    copy_encoder_from_torch(ours, theirs)

    def own(x: Tensor, real: Tensor) -> Tensor:
        return ours(x, real[:, None, None])[0][real]

    def other(x: Tensor, real: Tensor) -> Tensor:
        return theirs(x, src_key_padding_mask=~real)[real]

    for model in (ours, theirs):
        model.eval()
    if not torch.allclose(own(*example), other(*example), atol=CLOSE):
        raise RuntimeError("the encoders disagree on the same weights: nothing to compare")
    return (
        Contender.of(ours, lambda *batch: own(*batch).square().mean()),
        Contender.of(theirs, lambda *batch: other(*batch).square().mean()),
    )
