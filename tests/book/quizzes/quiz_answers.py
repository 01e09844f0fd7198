"""What the library computes for the questions of the quizzes, by question."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
import torch
from checkout import ROOT
from torch import nn
from torch.nn import functional as F

from book.quizzes import quiz
from course_lib.analysis.attention_properties import (
    equivariance_gap,
    operation_counts,
    score_statistics,
)
from course_lib.analysis.heads import parameter_counts
from course_lib.attention import MultiHeadAttention, attention, merge_heads, split_heads
from course_lib.config import PRESETS
from course_lib.decoder import DecoderLayer
from course_lib.decoding.cache import cached_step, start_cache
from course_lib.decoding.sampling import sampling_distribution
from course_lib.decoding.search import length_penalty_factor
from course_lib.embeddings import TransformerEmbedding
from course_lib.encoder import Encoder, EncoderLayer
from course_lib.evaluation.attempts import at_least_one
from course_lib.evaluation.classification import classification_scores
from course_lib.evaluation.error_signs import error_signs
from course_lib.evaluation.translation import ngrams
from course_lib.families.answer_losses import group_advantages
from course_lib.feed_forward import FeedForward
from course_lib.masks import causal_mask, padding_mask, target_mask
from course_lib.normalization import LayerNorm
from course_lib.numpy_forms.attention import softmax
from course_lib.positions import LearnedPositions, RelativeBias, sinusoidal_positions
from course_lib.recipes.answering import sums
from course_lib.recipes.answering.stages import conversations
from course_lib.residual import ResidualConnection
from course_lib.training.losses import label_smoothed_loss
from course_lib.training.schedules import warmup_rate
from course_lib.transformer import Transformer

computed: dict[str, Callable[[], object]] = {}  # the answer of a number or a shape
shown: dict[str, Callable[[], None]] = {}  # asserts what the right choice states


def computes(id: str) -> Callable:
    """The function gives the answer of this question."""
    return lambda function: computed.setdefault(id, function)


def shows(id: str) -> Callable:
    """The function asserts what the right choice of this question states."""
    return lambda function: shown.setdefault(id, function)


def size(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def code(id: str) -> str:
    """The code that a question shows."""
    part, number = map(int, id.split("."))
    asked = quiz.load(f"part{part}").questions[number - 1]
    return asked.code


def shape(tensor: torch.Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


# ---------------------------------------------------------------- part 1

computes("1.2")(lambda: operation_counts(512, 512)["recurrent"]["sequential"])
computes("1.7")(lambda: shape(nn.GRU(32, 256, batch_first=True)(torch.zeros(4, 20, 32))[0][:, -1]))


@computes("1.4")
def _():
    few, many = torch.randn(10, 8), torch.randn(20, 8)
    return attention(many, many, many)[1].numel() / attention(few, few, few)[1].numel()


computes("1.9")(lambda: 0.9**20)


@shows("1.10")
def _():
    weight, given = torch.randn(3, 3), torch.zeros(3)

    def step(state):
        return torch.tanh(weight @ state + 0.5)

    states = [given, step(given), step(step(given))]

    def jacobian(number):
        return torch.diag(1 - states[number] ** 2) @ weight

    with _printed() as printed:
        _defined(code("1.10"), step=step, J=jacobian)
    (right,) = (choice.text for choice in _question("1.10").choices if choice.right)
    assert printed.getvalue().strip() == right


# ---------------------------------------------------------------- part 2


@computes("2.2")
def _():
    return float(np.sqrt(score_statistics([64], 5000, np.random.default_rng(0))[0][0]))


@computes("2.3")
def _():
    query, key, value = torch.randn(2, 5, 64), torch.randn(2, 7, 64), torch.randn(2, 7, 32)
    return shape(attention(query, key, value)[0])


computes("2.4")(lambda: float(softmax(np.array([0.0, math.log(3)]))[1]))


@shows("2.1")
def _():
    """Raw scores of wide vectors give one key almost all the weight; scaled ones do not."""
    raw, scaled, largest = score_statistics([4, 1024], 500, np.random.default_rng(0))
    assert raw[1] > 100 * raw[0]
    np.testing.assert_allclose(scaled, 1, rtol=0.1)
    assert largest[1, 0] > 0.9 > 0.5 > largest[1, 1]


@shows("2.5")
def _():
    """The weights of a query do not add up to 1; with the other axis, it is the library's."""
    wrong = _defined(code("2.5"))["attend"]
    right = _defined(code("2.5").replace("dim=1", "dim=-1"))["attend"]
    x = torch.randn(2, 5, 8)
    torch.testing.assert_close(right(x, x, x), attention(x, x, x)[0])
    assert not torch.allclose(wrong(x, x, x), attention(x, x, x)[0])
    ones = torch.ones(2, 5, 8)
    assert torch.allclose(right(x, x, ones), ones)
    assert not torch.allclose(wrong(x, x, ones), ones)


@shows("2.6")
def _():
    x = torch.randn(6, 8, dtype=torch.float64).numpy()
    exchanged = np.array([0, 4, 2, 3, 1, 5])

    def attend(x):
        given = torch.from_numpy(x)
        return attention(given, given, given)[0].numpy()

    assert equivariance_gap(attend, x, exchanged) < 1e-12
    assert not np.allclose(attend(x), attend(x[exchanged]))


@shows("2.7")
def _():
    scores = torch.randn(1, 4)
    hidden = torch.ones(1, 4, dtype=torch.bool)
    assert scores.masked_fill(hidden, -math.inf).softmax(-1).isnan().all()
    torch.testing.assert_close(
        scores.masked_fill(hidden, -1e9).softmax(-1), torch.full((1, 4), 0.25)
    )
    x = torch.randn(1, 4, 8)
    output, weights = attention(x, x, x, ~hidden)
    assert not output.any()
    assert not weights.any()


@computes("2.8")
def _():
    counts = operation_counts(2048, 512)
    return counts["self-attention"]["operations"] / counts["recurrent"]["operations"]


computes("2.9")(lambda: float(torch.tensor([0.7, 0.3]).diag()[0, 1] - 0.7 * 0.3))


@shows("2.10")
def _():
    with _printed() as printed:
        _defined(code("2.10"))
    (right,) = (choice.text for choice in _question("2.10").choices if choice.right)
    assert printed.getvalue().split() == right.split(", ")


# ---------------------------------------------------------------- part 3

computes("3.1")(lambda: shape(split_heads(torch.zeros(2, 10, 512), 8)))


@computes("3.2")
def _():
    assert sum(parameter_counts(512, 8)) == size(MultiHeadAttention(512, 8))
    return size(MultiHeadAttention(512, 8))


@shows("3.3")
def _():
    sizes = {size(MultiHeadAttention(512, heads)) for heads in (1, 8, 16, 32)}
    assert len(sizes) == 1
    products = {heads * 100 * 100 * (512 // heads) for heads in (1, 8, 16, 32)}
    assert len(products) == 1


@shows("3.5")
def _():
    module, x = MultiHeadAttention(64, 4), torch.randn(2, 5, 64)
    together = split_heads(module.w_q(x), 4)
    for head in range(4):
        features = slice(16 * head, 16 * head + 16)
        own = F.linear(x, module.w_q.weight[features], module.w_q.bias[features])
        torch.testing.assert_close(together[:, head], own)


@shows("3.6")
def _():
    per_head = torch.randn(2, 4, 5, 8)
    joined = _defined(code("3.6"), per_head=per_head)["joined"]
    assert joined.shape == merge_heads(per_head).shape
    assert not torch.allclose(joined, merge_heads(per_head))
    mended = _defined(code("3.6"), per_head=per_head.transpose(1, 2))
    assert mended["batch"] == 2
    assert torch.equal(per_head.transpose(1, 2).reshape(2, 5, 32), merge_heads(per_head))


@shows("3.7")
def _():
    for choice in quiz.load("part3").questions[6].choices:
        if choice.right:
            MultiHeadAttention(512, int(choice.text))
        else:
            with pytest.raises(ValueError, match="must be a multiple"):
                MultiHeadAttention(512, int(choice.text))


@computes("3.8")
def _():
    x = torch.randn(1, 100, 512)
    return MultiHeadAttention(512, 8)(x, x, x, need_weights=True)[1].numel()


@computes("3.9")
def _():
    with _printed() as printed:
        _defined(code("3.9"), split_heads=split_heads)
    return int(printed.getvalue())


# ---------------------------------------------------------------- part 4


@shows("4.1")
def _():
    encoder = Encoder(n_layers=2, d_model=16, n_heads=2, d_ff=32, dropout=0.0).eval()
    words = torch.randn(1, 3, 16)
    mean = encoder(words)[0].mean(dim=1)
    torch.testing.assert_close(mean, encoder(words.flip(1))[0].mean(dim=1))


computes("4.2")(lambda: float(sinusoidal_positions(2, 512)[1, 0]))


@computes("4.3")
def _():
    table = sinusoidal_positions(2, 512)
    return 2 * math.pi / math.atan2(table[1, 0], table[1, 1])


@computes("4.4")
def _():
    embedding = TransformerEmbedding(10, d_model=512)
    return shape(embedding(torch.ones(32, 50, dtype=torch.long)))


@shows("4.5")
def _():
    """Features 2i and 2i + 1 are sine and cosine of one angle: their squares add up to 1."""
    table = sinusoidal_positions(300, 512)
    pairs = table.unflatten(-1, (256, 2))
    torch.testing.assert_close(pairs.square().sum(-1), torch.ones(300, 256))


@shows("4.6")
def _():
    table = sinusoidal_positions(200, 64)
    assert table.isfinite().all()
    assert torch.cdist(table, table).fill_diagonal_(9).min() > 0.1


@shows("4.7")
def _():
    assert sinusoidal_positions(513, 64).shape == (513, 64)
    assert RelativeBias(2)(513, 513).shape == (2, 513, 513)
    with pytest.raises(ValueError, match="513 tokens"):
        LearnedPositions(64, max_length=512)(torch.zeros(1, 513, 64))


@shows("4.8")
def _():
    """With lines 2 and 3 exchanged, the code is the library's embedding."""
    embedding = TransformerEmbedding(10, d_model=512, dropout=0.0)
    ids = torch.randint(1, 10, (2, 7))
    given = {
        "word_vectors": embedding.tokens.weight,
        "token_ids": ids,
        "sinusoids": sinusoidal_positions(7, 512),
        "dropout": nn.Identity(),
        "math": math,
    }
    lines = code("4.8").splitlines()
    right = "\n".join([lines[0], lines[2], lines[1], lines[3]])
    torch.testing.assert_close(_defined(right, **given)["x"], embedding(ids))
    assert not torch.allclose(_defined(code("4.8"), **given)["x"], embedding(ids), atol=1.0)


@computes("4.9")
def _():
    """The query and the key turn by a quarter a position: they are numbers i**position."""
    query, key = 1j**3, 1j**1
    return (query * key.conjugate()).real


@shows("4.10")
def _():
    """With a causal mask, the output of a word that moves is not the one it had."""
    x = torch.randn(5, 8, dtype=torch.float64).numpy()
    order = np.array([4, 1, 2, 3, 0])

    def attend(x, mask):
        given = torch.from_numpy(x)
        return attention(given, given, given, mask)[0].numpy()

    assert equivariance_gap(lambda x: attend(x, None), x, order) < 1e-12
    assert equivariance_gap(lambda x: attend(x, causal_mask(5)[0, 0]), x, order) > 0.01


# ---------------------------------------------------------------- part 5


@shows("5.1")
def _():
    x, module = torch.randn(2, 3, 8), nn.Linear(8, 8)
    for norm_first in (True, False):
        residual = ResidualConnection(8, dropout=0.0, norm_first=norm_first)
        of_the_page = x + module(residual.norm(x))
        of_the_paper = residual.norm(x + module(x))
        wanted = of_the_page if norm_first else of_the_paper
        torch.testing.assert_close(residual.leave(x, module(residual.enter(x))), wanted)
    assert not torch.allclose(of_the_page, of_the_paper)


@computes("5.2")
def _():
    target, memory = torch.randn(4, 6, 512), torch.randn(4, 9, 512)
    return shape(MultiHeadAttention()(target, memory, memory, need_weights=True)[1])


@shows("5.3")
def _():
    encoder, decoder = size(EncoderLayer()), size(DecoderLayer())
    assert 0.3 < decoder / encoder - 1 < 0.35


computes("5.4")(lambda: size(FeedForward()))


@shows("5.6")
def _():
    """A model that only repeats what it reads has no loss."""
    target_ids = torch.tensor([[1, 5, 6, 7, 2]])

    def repeating(source_ids, read):
        return 100.0 * F.one_hot(read, 10)

    given = {"target_ids": target_ids, "source_ids": None, "model": repeating, "PAD": 0, "F": F}
    assert _defined(code("5.6"), **given)["loss"] < 1e-6
    right = code("5.6").replace("wanted = target_ids[:, :-1]", "wanted = target_ids[:, 1:]")
    assert _defined(right, **given)["loss"] > 50


computes("5.7")(lambda: size(EncoderLayer()))


@shows("5.8")
def _():
    """A change of one position reaches the others through attention only."""
    x, changed = torch.randn(1, 4, 16), None
    changed = x.clone()
    changed[0, 2] += 1
    attend = MultiHeadAttention(16, 2, dropout=0.0)
    parts = {
        "feed-forward": FeedForward(16, 32),
        "norm": LayerNorm(16),
        "residual": lambda x: x + x,
        "attention": lambda x: attend(x, x, x)[0],
    }
    mixing = [
        name
        for name, part in parts.items()
        if not torch.allclose(part(x)[0, 0], part(changed)[0, 0])
    ]
    assert mixing == ["attention"]


computes("5.9")(lambda: sum(range(1, 31)))


# ---------------------------------------------------------------- part 6


@shows("6.1")
def _():
    """Two merges, each of the most frequent pair; then none occurs twice."""
    words = {"abab": list("abab"), "abc": list("abc"), "cabab": list("cabab")}
    for expected in [("ab", 5), ("abab", 2)]:
        pairs = Counter()
        for word, times in (("abab", 2), ("abc", 1)):
            for a, b in zip(words[word], words[word][1:], strict=False):
                pairs[a, b] += times
        (best, count), *_ = pairs.most_common(1)
        assert ("".join(best), count) == expected
        joined = {word: " ".join(spelled) for word, spelled in words.items()}
        words = {w: t.replace(" ".join(best), "".join(best)).split() for w, t in joined.items()}
    assert words["cabab"] == ["c", "abab"]
    assert words["abc"] == ["ab", "c"]


@shows("6.2")
def _():
    chances = {"": [0.55, 0.45], "greedy": 0.24, "other": 0.47}
    assert round(chances[""][0] * chances["greedy"], 2) == 0.13
    assert round(chances[""][1] * chances["other"], 2) == 0.21


@computes("6.3")
def _():
    return max(total / length_penalty_factor(words, 0.6) for words, total in ((4, -2.0), (7, -2.6)))


@shows("6.4")
def _():
    row = torch.tensor([[0.6, 0.2, 0.1, 0.06, 0.04]]).log()
    settings = [{"temperature": 0.5}, {"top_p": 0.85}, {"top_p": 0.75}, {"top_k": 2}]
    drawn = [float(sampling_distribution(row, **how)[0, 2]) > 0 for how in settings]
    assert drawn == [choice.right for choice in quiz.load("part6").questions[3].choices]


@shows("6.5")
def _():
    made, wanted = ["the"] * 4, "the cat sat down".split()
    given = {"hypotheses": [made], "references": [wanted], "ngrams": ngrams}
    found = _defined(code("6.5"), matches=[0] * 4, totals=[0] * 4, **given)
    assert found["matches"][0] == found["totals"][0] == 4
    assert (ngrams(made, 1) & ngrams(wanted, 1)).total() == 1


@computes("6.6")
def _():
    return torch.tensor([1, 1 / 4, 1 / 4, 1 / 16]).log().mean().neg().exp().item()


@shows("6.7")
def _():
    signs = error_signs(["x"], "it is hot".split(), "it is not hot".split(), {"x": 9})
    assert signs["dropped"] == ["not"]


computes("6.8")(
    lambda: 100 * classification_scores([1] * 360 + [0] * 40, [1] * 400)["standard_error"]
)


# ---------------------------------------------------------------- part 7


@shows("7.1")
def _():
    ids = torch.tensor([[4, 5, 6, 0]])
    wanted = target_mask(ids)
    assert torch.equal(wanted, padding_mask(ids) & causal_mask(4))
    assert not torch.equal(wanted, padding_mask(ids) | causal_mask(4))


computes("7.2")(lambda: int(causal_mask(4).sum()))
computes("7.3")(lambda: warmup_rate(8000, 512, 4000))
computes("7.4")(lambda: PRESETS["big"].n_layers)


@shows("7.5")
def _():
    model = nn.Linear(3, 1)
    before = model.weight.detach().clone()

    def loss_of(model, batch):
        return model(batch).square().mean()

    given = {
        "model": model,
        "loss_of": loss_of,
        "batch": torch.randn(4, 3),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
        "torch": torch,
    }
    _defined(code("7.5"), **given)
    assert torch.equal(model.weight, before)
    lines = code("7.5").splitlines()
    _defined("\n".join([lines[2], *lines[:2], *lines[3:]]), **given)
    assert not torch.equal(model.weight, before)


@shows("7.6")
def _():
    rates = []

    class NoamRate:
        def __init__(self, optimizer, d_model, warmup):
            self.optimizer, self.d_model, self.warmup, self.done = optimizer, d_model, warmup, 0
            before = optimizer.step
            optimizer.step = lambda: (rates.append(optimizer.param_groups[0]["lr"]), before())

        def step(self):
            self.done += 1
            self.optimizer.param_groups[0]["lr"] = warmup_rate(self.done, self.d_model, self.warmup)

    model = nn.Linear(3, 1)
    given = {
        "model": model,
        "torch": torch,
        "NoamRate": NoamRate,
        "batches": torch.randn(3, 4, 3),
        "loss_of": lambda model, batch: model(batch).square().mean(),
    }
    _defined(code("7.6"), **given)
    assert rates[0] == 1.0
    assert rates[0] > 1000 * warmup_rate(4000, 512, 4000)
    assert max(rates[1:]) < 1e-6


@computes("7.7")
def _():
    """The gradient of a cross-entropy is the prediction minus the target."""
    logits = torch.randn(1, 5, requires_grad=True)
    label_smoothed_loss(logits, torch.tensor([2]), 0.1).backward()
    return (logits.softmax(-1) - logits.grad)[0, 2].item()


@shows("7.8")
def _():
    scores = torch.zeros(2, dtype=torch.float16)
    hidden = torch.tensor([True, False])
    with pytest.raises(RuntimeError, match="without overflow"):
        scores.masked_fill(hidden, -1e9)
    assert torch.finfo(torch.float16).max == 65504
    assert scores.masked_fill(hidden, torch.finfo(scores.dtype).min).isfinite().all()
    feedback = next(c.feedback for c in quiz.load("part7").questions[7].choices if c.right)
    silent = [found for found in re.findall(r"`([^`]+)`", feedback) if "-1e9" in found]
    assert len(silent) == 2
    given = {"scores": scores, "hidden": hidden, "mask": (~hidden).half()}
    for expression in silent:
        found = _defined(f"found = {expression}", **given)["found"]
        assert found.dtype == torch.float16
        assert found[0] == -math.inf
        assert found[:1].softmax(-1).isnan().all()


@computes("7.9")
def _():
    targets, said = torch.tensor([0.9, 0.1]), torch.tensor([0.5, 0.5])
    return F.kl_div(said.log(), targets, reduction="sum").item()


@shows("7.10")
def _():
    """Weighted by tokens, the gradient is that of the whole batch; as shown, it is not."""
    x = torch.randn(8, 3)
    parts = [(x[:2], 2), (x[2:], 6)]

    def gradient(source):
        model = nn.Linear(3, 1)
        nn.init.ones_(model.weight)
        nn.init.zeros_(model.bias)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)

        def mean_loss(model, part):
            return model(part).square().mean()

        _defined(source, model=model, optimizer=optimizer, parts=parts, mean_loss=mean_loss)
        return model.weight.grad

    shown = code("7.10")
    whole = gradient(
        "optimizer.zero_grad()\nmean_loss(model, torch.cat([p for p, _ in parts])).backward()"
    )
    right = shown.replace("loss / len(parts)", "loss * n_tokens / 8")
    torch.testing.assert_close(gradient(right), whole)
    assert not torch.allclose(gradient(shown), whole, rtol=0.05)


# ---------------------------------------------------------------- part 8


@shows("8.3")
def _():
    """The means of three seeds in `results/published.json`, and how far apart their seeds are."""
    measures = json.loads((ROOT / "results/published.json").read_text())["measures"]
    for labels, better in ((50, False), (1000, True)):
        frozen, tuned = (
            measures[f"{how}_{labels}_labels_accuracy"] for how in ("frozen", "fine_tuned")
        )
        assert (tuned["mean"] - frozen["mean"] > 3 * max(tuned["sd"], frozen["sd"])) == better


@computes("8.4")
def _():
    model = Transformer(12, **PRESETS["base"].arguments).eval()
    cache = start_cache(model, torch.ones(1, 3, dtype=torch.long))
    _, cache = cached_step(model)(torch.ones(1, 100, dtype=torch.long), cache)
    return sum(layer.keys.numel() + layer.values.numel() for layer in cache.layers)


@computes("8.5")
def _():
    patches = nn.Conv2d(3, 768, kernel_size=16, stride=16)(torch.zeros(8, 3, 224, 224))
    return shape(patches.flatten(2).transpose(1, 2))


@shows("8.6")
def _():
    """The mean of the weights of networks predicts something else than the mean prediction."""
    networks = [nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)) for _ in range(5)]
    x = torch.randn(3, 4)
    of_predictions = torch.stack([network(x) for network in networks]).mean(0)
    mean = {
        name: torch.stack([network.state_dict()[name] for network in networks]).mean(0)
        for name in networks[0].state_dict()
    }
    assert not torch.allclose(torch.func.functional_call(networks[0], mean, x), of_predictions)


@shows("8.7")
def _():
    """8 tables of n × n numbers of 4 bytes for each text, against the memory that is given."""
    units = {"MB": 1e6, "GB": 1e9}
    for choice in _question("8.7").choices:
        numbers = [int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*(?<!,)", choice.text)]
        *texts, length, memory = numbers
        taken = 8 * 4 * length**2 * (texts[0] if texts else 1)
        assert (taken > memory * units[choice.text[-2:]]) == choice.right, choice.text


computes("8.9")(lambda: 1 - 0.95**10)


@computes("8.10")
def _():
    keys = torch.empty(24, 4, 1000, 64, device="meta")
    return 2 * keys.numel()


@computes("8.8")
def _():
    return math.exp(3.0)


def _question(id: str):
    """The question of this id."""
    return quiz.load(f"part{id.split('.')[0]}").questions[int(id.split(".")[1]) - 1]


def _printed() -> contextlib.redirect_stdout:
    """Keeps what is printed: `.getvalue()` of what it gives."""
    return contextlib.redirect_stdout(io.StringIO())


def _defined(source: str, **given: object) -> dict:
    """The names after the code has run."""
    names = {"torch": torch, **given}
    exec(source, names)
    return names


# ---------------------------------------------------------------- part 9

computes("9.1")(lambda: 2 * 32 * (32 // 4) * 128 * 2 / 1024)


@shows("9.2")
def _():
    given = {"nn": nn, "torch": torch}
    x = torch.tensor([1.0, -1.0])
    assert _defined(code("9.2"), **given)["RMSNorm"](2)(x).abs().min() > 500
    right = code("9.2").replace("x.mean(-1, keepdim=True).square()", "x.square().mean(-1, True)")
    torch.testing.assert_close(_defined(right, **given)["RMSNorm"](2)(x), x)


@computes("9.3")
def _():
    seen, new = torch.full((3,), 2.0), torch.tensor([2 + math.log(4)])  # three scores, ℓ = 3
    scores = torch.cat([seen, new])
    return (scores - scores.max()).exp().sum().item()


@shows("9.5")
def _():
    expert, other = 3 * 4096 * 14_336 * 32, 32 * 41_943_040 + 2 * 32_000 * 4096
    assert [round((n * expert + other) / 1e9) for n in (8, 2)] == [47, 13]


computes("9.6")(lambda: 6e20 / (6 * 1e9) / 1e9)


@shows("9.7")
def _():
    """Rewards that differ by a constant for each prompt give the same choice."""
    start, reward = torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.0, 1.0, 2.0])
    best = F.normalize(start * reward.exp(), p=1, dim=0)
    ratio = best.log() - start.log()
    torch.testing.assert_close(ratio[2] - ratio[0], reward[2] - reward[0])
    assert abs(float(ratio[2] - reward[2])) > 0.5


# ---------------------------------------------------------------- part 10


def chat(pair: tuple[int, int], answer: str) -> tuple[list[int], torch.Tensor]:
    """The tokens of a conversation, and which predicted ones count."""
    written = [*sums.encode(answer), sums.END]
    ids, answered = conversations([pair], [written])
    return ids[0].tolist(), answered


computes("10.1")(lambda: int(chat((2, 2), "4")[1].sum()))


@shows("10.2")
def _():
    ids, answered = chat((47, 38), "85")
    counts = _defined(code("10.2"), torch=torch)["counts"]
    found = counts(torch.tensor([ids]), sums.MODEL, sums.END)
    assert found[0].tolist() == [*answered[0, :-1].tolist(), False]
    assert answered[0, -1]
    right = code("10.2").replace("!= end_id", "!= 0")  # padding
    counts = _defined(right, torch=torch)["counts"]
    assert torch.equal(counts(torch.tensor([ids]), sums.MODEL, sums.END), answered)


computes("10.4")(lambda: group_advantages(torch.tensor([[1.0, 1, 0, 0, 0]]))[0, 0].item())
computes("10.5")(lambda: at_least_one(4, 1, 2))
computes("10.7")(lambda: 8e9 * (4 + 16 / 64) / 8 / 1e9)
