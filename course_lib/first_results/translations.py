"""The first result of assignment 4: a small model translates sentences and aligns their words.

translation_maps(["The old man does not sleep."])               # torch's own layers
translation_maps(["The old man does not sleep."], Transformer)  # the reader's
"""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from ..data.grammar.sentence_pairs import pairs, words
from ..data.pair_batching import END, START, PairBuckets
from ..data.tokenization import TextTokenizer
from .short_training import train

SIZES = {"n_layers": 1, "d_model": 64, "n_heads": 4, "d_ff": 128, "dropout": 0.0}
WORDS, PASSES, NEW = 7, 6, 100  # words of an English sentence; passes; new sentences to measure by
LONGEST = 32  # tokens of a sentence


class TorchTranslator(nn.Module):
    """torch's Transformer with learned positions; `weights` are those of its cross-attention."""

    def __init__(
        self, vocab_size: int, n_layers: int, d_model: int, n_heads: int, d_ff: int, dropout: float
    ) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(vocab_size, d_model), nn.Embedding(LONGEST, d_model)
        nn.init.normal_(self.places.weight, std=0.2)
        sizes = (d_model, n_heads, d_ff, dropout)
        layer = nn.TransformerEncoderLayer(*sizes, batch_first=True)
        self.layers = nn.Transformer(
            *(d_model, n_heads, n_layers, n_layers, d_ff, dropout),
            custom_encoder=nn.TransformerEncoder(layer, n_layers, enable_nested_tensor=False),
            batch_first=True,
        )
        self.choose = nn.Linear(d_model, vocab_size)
        self.weights: list[Tensor] = []
        for layer in self.layers.decoder.layers:  # torch drops the weights: ask for them, keep them
            layer.multihead_attn.register_forward_pre_hook(
                lambda _, args, named: (args, named | {"need_weights": True}), with_kwargs=True
            )
            layer.multihead_attn.register_forward_hook(
                lambda _, args, found: self.weights.append(found[1][:, None])
            )

    def forward(
        self, source_ids: Tensor, target_ids: Tensor, need_weights: bool = False
    ) -> tuple[Tensor, list[Tensor] | None]:
        """`(logits, weights)`, as in the reader's Transformer, but with the mean over the heads."""
        self.weights = []
        source, target = (
            self.words(ids) + self.places.weight[: ids.shape[1]] for ids in (source_ids, target_ids)
        )
        blank = source_ids.eq(TextTokenizer.PAD)
        vectors = self.layers(
            *(source, target),
            tgt_mask=self.layers.generate_square_subsequent_mask(target.shape[1]).isinf(),
            src_key_padding_mask=blank,
            memory_key_padding_mask=blank,
        )
        return self.choose(vectors), self.weights if need_weights else None


def translation_maps(
    sentences: Sequence[str], build: Callable[..., nn.Module] = TorchTranslator, seed: int = 0
) -> Figure:
    """Train `build(vocab_size, **SIZES)` on short sentences, then translate and align `sentences`.

    Returns a figure with a map for each sentence. A minute of CPU time.
    """
    short = {
        split: [(_spaced(en), _spaced(fr)) for en, fr, _ in pairs(split) if len(words(en)) <= WORDS]
        for split in ("train", "validation")
    }
    english, french = zip(*short["train"], strict=True)
    tokenizer = TextTokenizer.train([*english, *french], min_frequency=1)
    torch.manual_seed(seed)
    model = build(tokenizer.vocab_size, **SIZES)
    new = [[tokenizer.encode([side])[0] for side in pair] for pair in short["validation"][:NEW]]

    def right() -> float:
        return sum(_translated(model, en)[0] == fr for en, fr in new) / NEW

    def loss(model: nn.Module, source_ids: Tensor, target_ids: Tensor) -> Tensor:
        logits, _ = model(source_ids, target_ids[:, :-1])
        flat, labels = logits.flatten(0, 1), target_ids[:, 1:].flatten()
        return nn.functional.cross_entropy(flat, labels, ignore_index=TextTokenizer.PAD)

    print(f"New sentences that {build.__name__} translates word for word as expected:")
    batches = PairBuckets(tokenizer.encode(english), tokenizer.encode(french), 512, seed)
    train(model, batches, loss, PASSES, right)
    found = []
    for ids in tokenizer.encode([*map(_spaced, sentences)]):
        target_ids, weights = _translated(model, ids)
        found.append((tokenizer.tokens(ids), tokenizer.tokens(target_ids), weights))
        print(f"  {' '.join(found[-1][0])} → {' '.join(found[-1][1])}")
    return _drawn(found)


def _drawn(found: Sequence[tuple[list[str], list[str], Tensor]]) -> Figure:
    """A map for each sentence: a row for each French word, bright where the model looked."""
    figure, grid = plt.subplots(1, len(found), figsize=(12, 4), layout="constrained", squeeze=False)
    for ax, (source, target, weights) in zip(grid.flat, found, strict=True):
        ax.imshow(weights, vmin=0, vmax=1, cmap="cividis")
        ax.set_xticks(range(len(source)), source, rotation=60)
        ax.set_yticks(range(len(target)), target)
        ax.set(xlabel="English", ylabel="French")
    figure.suptitle("Where the model looked when it wrote each French word (bright: much)")
    return figure


def _spaced(text: str) -> str:
    """The text with a space between all words and marks."""
    return " ".join(words(text))


@torch.no_grad()
def _translated(model: nn.Module, source_ids: list[int]) -> tuple[list[int], Tensor]:
    """The most likely tokens, and the weights of the last layer, `(n_target, n_source)`.

    It guesses all tokens at once, reads its own guess, and corrects it until nothing changes.
    """
    guess: list[int] = []
    for _ in range(LONGEST - 1):
        read = torch.tensor([[START, *guess]])
        logits, weights = model.eval()(torch.tensor([source_ids]), read, need_weights=True)
        before, guess = guess, logits.argmax(-1)[0].tolist()
        if END in guess:
            guess = guess[: guess.index(END)]
        if guess == before:
            break
    return guess, weights[-1][0].mean(0)[: len(guess)]
