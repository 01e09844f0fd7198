"""From text to token ids and back: words or byte pairs, trained, saved and loaded again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

# Encoding is fast enough on one core, and a data loader that forks would warn on stderr.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Begins every word of a byte-pair tokenizer, so that "art" and the end of "start" differ. A suffix
# would do as well, but `tokenizers` then breaks ties between pairs by chance (its issue 1794).
WORD_START = "▁"

# Words, punctuation marks one by one, and contractions as the treebank writes them: "don't" and
# "do n't" are both "do", "n't".
PIECES = r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|m|d)\b|\w+|[^\w\s]"
# The same with every blank kept, as WORD_START before what follows it: an elided French word
# ("l'", "qu'"), an English contraction, a word, a mark.
REVERSIBLE_PIECES = (
    rf"{WORD_START}?(?i:qu|[cdjlmnst])'(?=\w)|'(?:s|re|ve|ll|m|d|t)\b"
    rf"|{WORD_START}?\w+|{WORD_START}?[^\w{WORD_START}]|{WORD_START}"
)


class TextTokenizer:
    """A tokenizer with the special tokens [PAD], [UNK], [CLS], [SEP], [MASK] as ids 0 to 4.

    Made by `train` or `load`. `truncated` is how many texts the last `encode` cut. A translation
    begins with START, which is [CLS], and ends with END, which is [SEP].
    """

    PAD: ClassVar[int] = 0
    UNK: ClassVar[int] = 1
    CLS: ClassVar[int] = 2
    SEP: ClassVar[int] = 3
    MASK: ClassVar[int] = 4
    START: ClassVar[int] = CLS
    END: ClassVar[int] = SEP

    def __init__(self, tokenizer: Tokenizer) -> None:
        tokenizer.encode_special_tokens = True  # "[PAD]" in a text is text
        self._tokenizer = tokenizer
        self.truncated = 0

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        kind: Literal["word", "bpe"] = "word",
        vocab_size: int = 8000,
        min_frequency: int = 2,
        lowercase: bool = True,
        reversible: bool = False,
    ) -> TextTokenizer:
        """Learn a vocabulary of at most `vocab_size` tokens, each seen `min_frequency` times.

        "word" keeps the most frequent words; all others are [UNK]. "bpe" joins frequent pairs of
        characters (§5.1), so that it spells out a word it never saw. With `reversible` it keeps
        blanks and typography as well, so that `decode` gives back the text.
        Raises ValueError for another kind, for a vocabulary without room for a token and for
        `reversible` with what loses something.
        """
        if reversible and (kind != "bpe" or lowercase):
            raise ValueError(
                "a reversible tokenizer spells out every word in its own case: "
                "use kind='bpe' and lowercase=False"
            )
        if vocab_size <= len(SPECIAL):
            raise ValueError(
                f"vocab_size = {vocab_size} has no room beside the {len(SPECIAL)} special tokens: "
                "give a larger one"
            )
        shared: dict[str, Any] = {
            "vocab_size": vocab_size,
            "min_frequency": min_frequency,
            "special_tokens": list(SPECIAL),
            "show_progress": False,
        }
        if kind == "word":
            tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
            trainer: trainers.Trainer = trainers.WordLevelTrainer(**shared)
        elif kind == "bpe":
            tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=True))
            trainer = trainers.BpeTrainer(**shared)
        else:
            raise ValueError(f"there is no kind {kind!r} of tokenizer: use 'word' or 'bpe'")
        if reversible:
            _keep_everything(tokenizer)
        else:
            _keep_words(tokenizer, kind, lowercase)
        tokenizer.train_from_iterator(texts, trainer)
        return cls(tokenizer)

    def encode(
        self, texts: Sequence[str], max_length: int = 512, add_cls: bool = False
    ) -> list[list[int]]:
        """One list of ids a text, none longer than `max_length`; tells how many texts were cut.

        A text without a token, such as "", is [UNK]: no list is empty. With `add_cls` every list
        starts with [CLS], which counts. Raises TypeError for what is no list of strings.
        """
        if isinstance(texts, str):
            raise TypeError("encode takes a list of texts: write encode([text]) for one text")
        texts = list(texts)
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise TypeError(f"text {index} is {text!r}, not a string: leave it out or give ''")
        start = [self.CLS] if add_cls else []
        found = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        ids = [start + (one.ids or [self.UNK]) for one in found]
        self.truncated = sum(len(one) > max_length for one in ids)
        if self.truncated:
            print(f"{self.truncated:,} of {len(ids):,} texts were cut to {max_length} tokens")
        return [one[:max_length] for one in ids]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens that ids stand for. Raises ValueError for an id beyond the vocabulary."""
        found = []
        for id in map(int, ids):
            token = self._tokenizer.id_to_token(id) if id >= 0 else None
            if token is None:
                raise ValueError(f"there is no token {id}: ids go from 0 to {self.vocab_size - 1}")
            found.append(token)
        return found

    @property
    def reversible(self) -> bool:
        """Whether `decode` can give back the text."""
        return self._tokenizer.decoder is not None

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids: for known characters exactly the text that was encoded (as NFC).

        START, END and padding are left out, a token that is unknown stays as "[UNK]". Raises
        ValueError for a tokenizer that was not trained with `reversible=True`.
        """
        if not self.reversible:
            raise ValueError(
                "this tokenizer forgets blanks and case: train one with "
                "TextTokenizer.train(…, kind='bpe', lowercase=False, reversible=True)"
            )
        silent = {self.PAD, self.START, self.END, self.MASK}
        text = "".join(self.tokens(id for id in map(int, ids) if id not in silent))
        return text.replace(WORD_START, " ").removeprefix(" ")

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where each token of `encode([text])` stands in the text: from, up to (not included)."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return list(found.offsets) or [(0, len(text))]

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return self._tokenizer.get_vocab_size()

    def save(self, path: str | Path) -> None:
        """Write the format of Hugging Face's `tokenizers`: `tokenizer.json`."""
        self._tokenizer.save(str(path))

    @classmethod
    def load(cls, path: str | Path) -> TextTokenizer:
        """Read what `save` wrote. Raises ValueError for any other file."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the only class that the library raises
            raise ValueError(
                f"{path} is no tokenizer ({error}): save one with TextTokenizer.save"
            ) from None
        for id, token in enumerate(SPECIAL):
            if tokenizer.token_to_id(token) != id:
                raise ValueError(
                    f"{path} has not {token} as token {id}: save one with TextTokenizer.save"
                )
        return cls(tokenizer)


def _keep_words(tokenizer: Tokenizer, kind: str, lowercase: bool) -> None:
    """Blanks are lost: words and marks, one by one."""
    steps = [normalizers.NFC(), normalizers.Replace("’", "'")]
    tokenizer.normalizer = normalizers.Sequence(
        [*steps, normalizers.Lowercase()] if lowercase else steps
    )
    pieces = pre_tokenizers.Split(Regex(PIECES), "removed", invert=True)
    start = pre_tokenizers.Metaspace(WORD_START, prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pieces, start]) if kind == "bpe" else pieces


def _keep_everything(tokenizer: Tokenizer) -> None:
    """Every blank becomes WORD_START, and one is put before the text, as before any other word."""
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Prepend(WORD_START), normalizers.Replace(" ", WORD_START)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(REVERSIBLE_PIECES), "isolated")
    tokenizer.decoder = decoders.Metaspace(WORD_START, prepend_scheme="always")
