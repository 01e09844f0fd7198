"""The movable figures of the lectures, by name. Every number is computed by the library."""

from collections.abc import Callable
from math import atan2, degrees

import numpy as np
import torch

from course_lib.decoding.sampling import sampling_distribution
from course_lib.decoding.search import beam_search
from course_lib.drawings.beam_tree import TABLE, WORDS
from course_lib.drawings.variants.experts import SCORES, routing
from course_lib.masks import causal_mask, padding_mask
from course_lib.numpy_forms.attention import attention, softmax
from course_lib.positions import sinusoidal_positions
from course_lib.training.schedules import warmup_rate

from .frames import Control, Frame, Movable, bars, box, curve, every, line, table, text

FIVE = ("the", "dog", "chased", "its", "ball")


def temperature() -> Movable:
    """The weights of "its" in part 2, for several divisors of its scores."""
    scores, divisors = np.array([0.0, 6.0, 4.0, 0.0, 2.0]), (0.25, 0.5, 1, 3**0.5, 3, 6, 12, 100)

    def draw(place: int) -> Frame:
        weights = softmax(scores / divisors[place])
        said = f"Divided by {divisors[place]:.3g}, the weights are " + ", ".join(
            f"{word} {weight:.2f}" for word, weight in zip(FIVE, weights, strict=True)
        )
        return Frame(bars(list(weights), FIVE), said)

    shown = tuple(f"{divisor:.3g}" for divisor in divisors)
    controls = (Control("temperature", shown, start=divisors.index(3**0.5)),)
    return Movable("The weights of “its” at this temperature", controls, every(controls, draw))


def scaling() -> Movable:
    """One random query and eight keys of growing width, with and without the division."""
    widths, rng = tuple(2**power for power in range(10)), np.random.default_rng(32)
    query, keys = rng.standard_normal(widths[-1]), rng.standard_normal((8, widths[-1]))

    def draw(place: int, divided: int) -> Frame:
        d_k = widths[place]
        scores = keys[:, :d_k] @ query[:d_k]
        weights = softmax(scores / np.sqrt(d_k) if divided else scores)
        slope = np.linalg.norm(np.diag(weights) - np.outer(weights, weights))
        names = [f"key {number}" for number in range(len(keys))]
        found = f"largest weight {weights.max():.2f}, norm of the derivative {slope:.2f}"
        head = text(240, 16, found)
        return Frame(bars(list(weights), names) + head, f"With width {d_k}: {found}")

    controls = (
        Control("width", tuple(map(str, widths)), start=6),
        Control("scores", ("q · k", "q · k / √width"), ordered=False),
    )
    return Movable("Eight keys, and a width to choose", controls, every(controls, draw))


def rotation() -> Movable:
    """A pair of sinusoids as the hand of a clock, at p and at p + k."""
    pair = sinusoidal_positions(40, 16)[:, 2:4].tolist()  # (sine, cosine) of each position

    def hand(position: int, kind: str) -> str:
        sine, cosine = pair[position]
        x, y = 240 + 80 * sine, 105 - 80 * cosine
        return line(240, 105, x, y, kind) + text(x + 14 * sine, y + 5 - 14 * cosine, str(position))

    def draw(position: int, offset: int) -> Frame:
        (s, c), (s_k, c_k) = pair[position], pair[position + offset]
        turned = degrees(atan2(s_k * c - c_k * s, c_k * c + s_k * s)) % 360
        said = f"From position {position} to {position + offset}: turned by {turned:.0f}°"
        face = '<circle class="axis" cx="240" cy="105" r="80"/>'
        hands = hand(position, "hand") + hand(position + offset, "hand moved")
        return Frame(face + hands + text(240, 225, said), said, height=235)

    controls = (
        Control("position p", tuple(map(str, range(13))), start=2),
        Control("offset k", tuple(map(str, range(7))), start=3),
    )
    return Movable("One pair of sinusoids is a hand", controls, every(controls, draw))


def mask() -> Movable:
    """A table of weights over four words and one of padding, under five masks."""
    ids, words = torch.tensor([[5, 9, 7, 4, 0]]), ("the", "old", "king", "sleeps", "PAD")
    padding = padding_mask(ids)[0, 0].expand(5, 5).numpy()
    causal = causal_mask(5).reshape(5, 5).numpy()
    masks = {
        "none": np.ones((5, 5), dtype=bool),
        "padding": padding,
        "causal": causal,
        "causal and padding": causal & padding,
        "causal or padding (wrong)": causal | padding,
    }
    scores = np.random.default_rng(1).integers(0, 4, (5, 5)).astype(float)

    def draw(place: int) -> Frame:
        name, allowed = list(masks.items())[place]
        _, weights = attention(np.sqrt(5) * scores, np.eye(5), np.eye(5), allowed)
        rows = [
            [share if seen else None for share, seen in zip(*row, strict=True)]
            for row in zip(weights, allowed, strict=True)
        ]
        ahead, at_padding = int(np.triu(allowed, 1).sum()), int(allowed[:, 4].sum())
        counted = f"{ahead} pairs look ahead, {at_padding} look at padding"
        drawn = table(rows, words) + text(240, 216, counted)
        return Frame(drawn, f"Mask {name}: {counted}", height=224)

    controls = (Control("mask", tuple(masks), start=3, ordered=False),)
    return Movable("The same scores under another mask", controls, every(controls, draw))


def warmup() -> Movable:
    """The paper's learning rate, for several lengths of the warm-up and widths."""
    lengths, widths, highest = (1000, 2000, 4000, 6000, 8000, 12000), (128, 512, 1024), 0.003
    steps = range(1, 20_001, 125)

    def draw(place: int, wide: int) -> Frame:
        rates = [warmup_rate(step, widths[wide], lengths[place]) for step in steps]
        peak = warmup_rate(lengths[place], widths[wide], lengths[place])
        said = f"Peak {peak:.5f} at step {lengths[place]:,}"
        drawn = curve(rates, highest, "20,000 steps", f"{highest}") + text(300, 50, said)
        return Frame(drawn, f"Width {widths[wide]}: {said}")

    controls = (
        Control("steps of warm-up", tuple(f"{length:,}" for length in lengths), start=2),
        Control("width", tuple(map(str, widths)), start=1),
    )
    return Movable("The rate rises, then falls", controls, every(controls, draw))


def _asked(width: int) -> tuple[set[str], str, float]:
    """The prefixes that the library's search continued, the best sentence and its probability."""
    asked: set[str] = set()

    def step(prefixes: torch.Tensor, state: None) -> tuple[torch.Tensor, None]:
        rows = [" ".join(WORDS[token] for token in row[1:]) for row in prefixes.tolist()]
        asked.update(rows)
        chances = [[TABLE.get(row, {"END": 1.0}).get(word, 0.0) for word in WORDS] for row in rows]
        return torch.tensor(chances).log(), state

    best = beam_search(step, None, 1, width, 0.0, max_length=9, n_best=1)[0][0]
    return asked, " ".join(WORDS[token] for token in best.tokens), float(np.exp(best.score))


def beam() -> Movable:
    """Which prefixes of a small table a beam continues, for three widths."""
    nodes = list(dict.fromkeys([*TABLE, *(f"{p} {w}".strip() for p in TABLE for w in TABLE[p])]))
    kept = sorted(
        (node for node in nodes if not node.endswith("END")),
        key=lambda node: node.split(),
    )
    rows = {node: number for number, node in enumerate(kept)}

    def draw(place: int) -> Frame:
        asked, best, chance = _asked(place + 1)
        drawn = ""
        for node, row in rows.items():
            words = node.split()
            x, y = 10 + 120 * len(words), 4 + 26 * row
            if words:
                parent = rows[" ".join(words[:-1])]
                drawn += line(x - 55, 4 + 26 * parent + 22, x - 55, y + 11)
                drawn += line(x - 55, y + 11, x, y + 11)
            kind = "node kept" if node in asked else "node"
            drawn += box(x, y, 92, 22, kind + (" best" if node == best else ""))
            drawn += text(x + 46, y + 16, words[-1] if words else "START")
        said = f"Width {place + 1} finds “{best}”, probability {chance:.3f}"
        below = 26 * len(rows) + 24
        return Frame(drawn + text(240, below, said), said, height=below + 10)

    controls = (Control("width of the beam", ("1", "2", "3")),)
    return Movable("Which prefixes a beam continues", controls, every(controls, draw))


def nucleus() -> Movable:
    """Five next words after temperature and top-p, as the library draws from them."""
    words, chances = ("ball", "dog", "cat", "moon", "tax"), torch.tensor([[50, 25, 15, 7, 3]]) / 100
    heats, shares = (0.25, 0.5, 1, 1.5, 2), (0.5, 0.8, 0.95, 1)

    def draw(heat: int, share: int) -> Frame:
        left = sampling_distribution(chances.log(), heats[heat], top_p=shares[share])[0].tolist()
        said = f"words that can be drawn: {sum(chance > 0 for chance in left)}"
        head = text(460, 16, said, anchor="end")
        set_to = f"Temperature {heats[heat]}, top-p {shares[share]}"
        return Frame(bars(left, words) + head, f"{set_to}: {said}")

    controls = (
        Control("temperature", tuple(map(str, heats)), start=2),
        Control("top-p", tuple(map(str, shares)), start=2),
    )
    return Movable("Which word comes next", controls, every(controls, draw))


def router() -> Movable:
    """The weights of four experts for four tokens, for each number of experts at work."""

    def draw(place: int) -> Frame:
        weights, tokens = routing(place + 1)
        rows = [[weight or None for weight in row] for row in weights]
        said = "tokens for each expert: " + ", ".join(map(str, tokens))
        drawn = table(rows, tuple(SCORES), ("E1", "E2", "E3", "E4")) + text(240, 188, said)
        return Frame(drawn, f"With k = {place + 1}, {said}")

    controls = (Control("experts at work, k", ("1", "2", "3", "4"), start=1),)
    return Movable("Weights of a router", controls, every(controls, draw))


def rank() -> Movable:
    """The causal mask of ten words, and the nearest matrix of a rank."""
    whole = causal_mask(10)[0, 0].double().numpy()
    left, sizes, right = np.linalg.svd(whole)

    def draw(place: int) -> Frame:
        near = (left[:, : place + 1] * sizes[: place + 1]) @ right[: place + 1]
        cells = "".join(
            box(140 + 20 * j, 4 + 20 * i, 20, 20, "share", min(max(float(near[i, j]), 0.02), 0.99))
            for i, j in np.ndindex(near.shape)
        )
        missing = ((whole - near) ** 2).sum() / (whole**2).sum()
        said = f"{(place + 1) * sum(whole.shape)} numbers for {whole.size}, {missing:.0%} missing"
        return Frame(cells + text(240, 226, said), f"Rank {place + 1}: {said}", height=236)

    controls = (Control("rank", ("1", "2", "3", "4", "5"), start=1),)
    return Movable(
        "The causal mask of ten words, as closely as this rank allows",
        controls,
        every(controls, draw),
    )


def cache() -> Movable:
    """The cache of one text in a model of 96 layers, for three numbers of heads with keys."""
    lengths, heads = (1024, 4096, 16384, 65536), {"96 heads": 96, "8 groups": 8, "1 for all": 1}

    def draw(place: int) -> Frame:
        sizes = {name: 4 * 96 * n * 128 * lengths[place] / 1e9 for name, n in heads.items()}
        drawn = line(400, 6, 400, 150) + text(400, 172, "a device of 80 GB")
        for row, (name, size) in enumerate(sizes.items()):
            drawn += box(110, 12 + 48 * row, min(size / 80 * 290, 360), 34, "bar")
            drawn += text(100, 26 + 48 * row, name, anchor="end")
            drawn += text(100, 46 + 48 * row, f"{size:.1f} GB", "value", "end")
        said = ", ".join(f"{name}: {size:.1f} GB" for name, size in sizes.items())
        return Frame(drawn, f"{lengths[place]:,} tokens, {said}", height=182)

    controls = (Control("tokens", tuple(f"{n:,}" for n in lengths), start=1),)
    return Movable("What a cache takes", controls, every(controls, draw))


FIGURES: dict[str, Callable[[], Movable]] = {
    made.__name__: made
    for made in (temperature, scaling, rotation, mask, warmup, beam, nucleus, router, rank, cache)
}
