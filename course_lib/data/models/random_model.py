"""A small BERT with random weights, in the published format: the last source of a model.

It has learned nothing. It is there so that a program runs without the network and 90 MB.
"""

import json

import torch
from torch import Tensor

from ..grammar import reviews

NAME, LICENCE = "random_bert", "MIT (made by this course)"
CITATION = "course_lib/data/models/random_model.py"
WIDTH, LAYERS, HEADS, HIDDEN, LONGEST = 32, 2, 4, 64, 128
UNUSED = 3  # ids before [UNK] that no text has; BERT has 99


def files(seed: int = 0) -> dict[str, bytes]:
    """`config.json`, `tokenizer.json` and `model.safetensors`, the same for the same seed."""
    from safetensors.torch import save

    pieces = _pieces()
    return {
        "config.json": json.dumps(_config(len(pieces))).encode(),
        "tokenizer.json": json.dumps(_tokenizer(pieces)).encode(),
        "model.safetensors": save(_weights(len(pieces), torch.Generator().manual_seed(seed))),
    }


def _pieces() -> list[str]:
    """The vocabulary: special tokens where BERT has them, the grammar's words, and letters."""
    texts = [text for text, _ in reviews.sentences()["train"]]
    words = sorted({word for text in texts for word in text.split()})
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    unused = [f"[unused{number}]" for number in range(UNUSED)]
    special = ["[PAD]", *unused, "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    return [*dict.fromkeys([*special, *letters, *(f"##{one}" for one in letters), *words])]


def _config(vocab_size: int) -> dict[str, object]:
    return {
        "model_type": "bert",
        "vocab_size": vocab_size,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": HIDDEN,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": LONGEST,
        "type_vocab_size": 2,
    }


def _tokenizer(pieces: list[str]) -> dict[str, object]:
    ids = {piece: id for id, piece in enumerate(pieces)}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    special = [one for one in pieces if one in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": ids[one], "content": one, "special": True, **flags} for one in special
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
    }


def _weights(vocab_size: int, generator: torch.Generator) -> dict[str, Tensor]:
    """Random matrices and vectors under BERT's names, unused ones included."""

    def drawn(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator) / shape[-1] ** 0.5

    def layer(name: str, n_in: int, n_out: int) -> dict[str, Tensor]:
        return {f"{name}.weight": drawn(n_out, n_in), f"{name}.bias": 0.1 * drawn(n_out)}

    def norm(name: str) -> dict[str, Tensor]:
        near_one = 1 + 0.1 * drawn(WIDTH)
        return {f"{name}.LayerNorm.weight": near_one, f"{name}.LayerNorm.bias": 0.1 * drawn(WIDTH)}

    weights = {
        "embeddings.position_ids": torch.arange(LONGEST)[None],
        "embeddings.word_embeddings.weight": drawn(vocab_size, WIDTH),
        "embeddings.position_embeddings.weight": drawn(LONGEST, WIDTH),
        "embeddings.token_type_embeddings.weight": drawn(2, WIDTH),
        **norm("embeddings"),
        **layer("pooler.dense", WIDTH, WIDTH),
    }
    for number in range(LAYERS):
        block = f"encoder.layer.{number}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            weights |= layer(f"{block}.attention.{part}", WIDTH, WIDTH)
        weights |= norm(f"{block}.attention.output")
        weights |= layer(f"{block}.intermediate.dense", WIDTH, HIDDEN)
        weights |= layer(f"{block}.output.dense", HIDDEN, WIDTH) | norm(f"{block}.output")
    return weights
