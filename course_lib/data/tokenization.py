"""Word and byte-pair tokenizers: train, encode, decode, save and load."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from . import tokenizer
from .tokenizer import SPECIAL

# Encoding is fast enough on one core, and parallelism would make forking data loaders warn.
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# Begins every word of a byte-pair tokenizer, so that "art" and the end of "start" differ. With a
# suffix instead, `tokenizers` breaks ties between pairs at random (its issue 1794).
WORD_START = "▁"

# Words, single punctuation marks, and contractions as in the Penn Treebank: "don't" and "do n't"
# are both "do", "n't".
PIECES = r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|m|d)\b|\w+|[^\w\s]"
# The same, but every space is kept, as WORD_START before the next piece: an elided French word
# ("l'", "qu'"), an English contraction, a word, a punctuation mark.
REVERSIBLE_PIECES = (
    rf"{WORD_START}?(?i:qu|[cdjlmnst])'(?=\w)|'(?:s|re|ve|ll|m|d|t)\b"
    rf"|{WORD_START}?\w+|{WORD_START}?[^\w{WORD_START}]|{WORD_START}"
)


class TextTokenizer:
    """A tokenizer with the special tokens [PAD], [UNK], [CLS], [SEP], [MASK] as ids 0 to 4.

    Create one by `train` or `load`. `truncated` is the number of texts that the last `encode` cut.
    A translation begins with START, which is [CLS], and ends with END, which is [SEP].
    """

    PAD: ClassVar[int] = tokenizer.PAD
    UNK: ClassVar[int] = tokenizer.UNK
    CLS: ClassVar[int] = tokenizer.CLS
    SEP: ClassVar[int] = tokenizer.SEP
    MASK: ClassVar[int] = tokenizer.MASK
    START: ClassVar[int] = tokenizer.START
    END: ClassVar[int] = tokenizer.END

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
    ) -> "TextTokenizer":
        """Learn a vocabulary of at most `vocab_size` tokens, each seen `min_frequency` times.

        "word" keeps the most frequent words; all others are [UNK]. "bpe" merges frequent pairs of
        characters (§5.1), so it can spell out unseen words. With `reversible` it also keeps spaces
        and typography, so that `decode` restores the text.
        Raises ValueError for another kind, for a `vocab_size` not above the number of special
        tokens, and for `reversible` with "word" or `lowercase`.
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
            room = vocab_size - len(SPECIAL)  # for characters, the most frequent first
            trainer = trainers.BpeTrainer(**shared, limit_alphabet=room)
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
        """One list of ids per text, at most `max_length` long; prints how many texts were cut.

        A text without a token, such as "", becomes [UNK]: no list is empty. With `add_cls` every
        list starts with [CLS], which counts. Raises TypeError unless `texts` is a list of strings,
        and ValueError for a `max_length` below 1.
        """
        if max_length < 1:
            raise ValueError(f"max_length = {max_length}: give 1 or more, since no list is empty")
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

    @contextmanager
    def dropping_merges(self, share: float) -> Iterator[None]:
        """BPE dropout (Provilkov et al., 2020): within the context `encode` draws other pieces.

        A merge is left out with probability `share`, at each place where it would be made, so that
        a word is read in several spellings. The draws cannot be seeded. Raises ValueError for a
        tokenizer of words, and for a share that is not from 0 to 1.
        """
        model = self._tokenizer.model
        if not isinstance(model, models.BPE):
            raise ValueError("a tokenizer of words merges nothing: train one with kind='bpe'")
        if not 0 <= share <= 1:
            raise ValueError(f"share = {share} is not a probability: give one from 0 to 1")
        model.dropout = share
        try:
            yield
        finally:
            model.dropout = None

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens of the given ids. Raises ValueError for an id outside the vocabulary."""
        found = []
        for id in map(int, ids):
            token = self._tokenizer.id_to_token(id) if id >= 0 else None
            if token is None:
                raise ValueError(f"there is no token {id}: ids go from 0 to {self.vocab_size - 1}")
            found.append(token)
        return found

    @property
    def reversible(self) -> bool:
        """Whether `decode` can restore the text."""
        return self._tokenizer.decoder is not None

    def decode(self, ids: Iterable[int]) -> str:
        """The text of ids: for known characters exactly the text that was encoded (as NFC).

        START, END, MASK and padding are left out; an unknown token becomes "[UNK]". Raises
        ValueError for a tokenizer that was not trained with `reversible=True`.
        """
        if not self.reversible:
            raise ValueError(
                "this tokenizer drops spaces and case: train one with "
                "TextTokenizer.train(…, kind='bpe', lowercase=False, reversible=True)"
            )
        silent = {self.PAD, self.START, self.END, self.MASK}
        text = "".join(self.tokens(id for id in map(int, ids) if id not in silent))
        return text.replace(WORD_START, " ").removeprefix(" ")

    def spans(self, text: str) -> list[tuple[int, int]]:
        """The span [start, end) in the text of each token of `encode([text])`."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return list(found.offsets) or [(0, len(text))]

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return self._tokenizer.get_vocab_size()

    def save(self, path: str | Path) -> None:
        """Write `tokenizer.json`, in the format of Hugging Face's `tokenizers`."""
        self._tokenizer.save(str(path))

    @classmethod
    def load(cls, path: str | Path) -> "TextTokenizer":
        """Read what `save` wrote. Raises ValueError for any other file."""
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises no narrower class
            raise ValueError(
                f"{path} is not a tokenizer ({error}): save one with TextTokenizer.save"
            ) from None
        return cls(_checked(tokenizer, path))

    @classmethod
    def of_vocabulary(cls, path: str | Path) -> "TextTokenizer":
        """A tokenizer as `train` makes it, with the vocabulary and the merges of a file.

        What else the file says does not count, such as how it splits and replaces: a token is never
        more than a word. Raises ValueError as `load` does.
        """
        own = cls.load(path)._tokenizer
        given = json.loads(own.to_str())
        form: TextTokenizer = cls.train(
            (),
            kind="bpe" if isinstance(own.model, models.BPE) else "word",
            vocab_size=len(SPECIAL) + 1,
            lowercase='"Lowercase"' in json.dumps(given["normalizer"]),
            reversible=own.decoder is not None,
        )
        made = json.loads(form._tokenizer.to_str())
        for part in {"vocab", "merges"} & made["model"].keys():
            made["model"][part] = given["model"].get(part)
        return cls(_checked(Tokenizer.from_str(json.dumps(made)), path))


def _checked(tokenizer: Tokenizer, path: str | Path) -> Tokenizer:
    """The tokenizer of a file. Raises ValueError unless the special tokens are its first."""
    for id, token in enumerate(SPECIAL):
        if tokenizer.token_to_id(token) != id:
            raise ValueError(
                f"token {id} of {path} is not {token}: save one with TextTokenizer.save"
            )
    return tokenizer


def _keep_words(tokenizer: Tokenizer, kind: str, lowercase: bool) -> None:
    """Split into words and punctuation marks; spaces are dropped."""
    steps = [normalizers.NFC(), normalizers.Replace("’", "'")]
    tokenizer.normalizer = normalizers.Sequence(
        [*steps, normalizers.Lowercase()] if lowercase else steps
    )
    pieces = pre_tokenizers.Split(Regex(PIECES), "removed", invert=True)
    start = pre_tokenizers.Metaspace(WORD_START, prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pieces, start]) if kind == "bpe" else pieces


def _keep_everything(tokenizer: Tokenizer) -> None:
    """Turn every space into WORD_START, and prepend one to the text, as before any other word."""
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Prepend(WORD_START), normalizers.Replace(" ", WORD_START)]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(REVERSIBLE_PIECES), "isolated")
    tokenizer.decoder = decoders.Metaspace(WORD_START, prepend_scheme="always")
