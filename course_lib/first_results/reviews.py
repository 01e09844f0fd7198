"""The first result of assignment 3: a small model judges reviews.

judge(["the plot is not lovely ."])                     # torch's own layers
judge(["the plot is not lovely ."], EncoderClassifier)  # the reader's
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from ..data.batching import TokenBuckets, pad
from ..data.grammar.reviews import sentences
from ..data.tokenization import TextTokenizer
from .short_training import train

SIZES = {"n_layers": 2, "d_model": 32, "n_heads": 4, "d_ff": 64, "dropout": 0.0}
REVIEWS = {"train": 10_000, "validation": 400}
LONGEST, PASSES = 64, 4  # tokens of a review; passes over the reviews


class TorchClassifier(nn.Module):
    """torch's encoder with learned positions; the vector of the first word decides."""

    def __init__(
        self, vocab_size: int, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(vocab_size, d_model), nn.Embedding(LONGEST, d_model)
        nn.init.normal_(self.words.weight, std=0.3)
        nn.init.normal_(self.places.weight, std=0.1)
        layer = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, dropout, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False)
        self.decide = nn.Linear(d_model, 2)

    def forward(self, token_ids: Tensor) -> tuple[Tensor, None]:
        """`(logits, None)`: there are no weights to show."""
        vectors = self.words(token_ids) + self.places.weight[: token_ids.shape[1]]
        vectors = self.layers(vectors, src_key_padding_mask=token_ids.eq(TextTokenizer.PAD))
        return self.decide(vectors[:, 0]), None


def judge(
    texts: Sequence[str], build: Callable[..., nn.Module] = TorchClassifier, seed: int = 0
) -> None:
    """Train `build(vocab_size, **SIZES)` on generated reviews, then print what it says of `texts`.

    Ten seconds of CPU time.
    """
    made = sentences(sizes=REVIEWS)
    (known, labels), (new, expected) = (zip(*made[split], strict=True) for split in REVIEWS)
    tokenizer = TextTokenizer.train(known, min_frequency=1)
    torch.manual_seed(seed)
    model = build(tokenizer.vocab_size, **SIZES)

    def positive(reviews: Sequence[str]) -> Tensor:
        with torch.no_grad():
            logits, _ = model(pad(tokenizer.encode(reviews, LONGEST)))
        return logits.softmax(-1)[:, 1]

    def right() -> float:
        return (positive(new).gt(0.5) == torch.tensor(expected)).double().mean().item()

    def loss(model: nn.Module, token_ids: Tensor, truth: Tensor) -> Tensor:
        return nn.functional.cross_entropy(model(token_ids)[0], truth)

    print(f"New reviews that {build.__name__} judges correctly:")
    train(model, TokenBuckets(tokenizer.encode(known), labels, 512, seed), loss, PASSES, right)
    for text, share in zip(texts, positive(texts).tolist(), strict=True):
        print(f"  {share:4.0%} positive: {text}")
