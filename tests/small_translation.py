"""A small language to translate, a profile that learns it in seconds, and a notebook's code."""

import functools
import itertools
import random

from datasets import Dataset
from no_shape_checks import no_shape_checks

from course_lib.config import TransformerConfig
from course_lib.data.datasets import LoadedData
from course_lib.recipes.translation import TrainedTranslator, train_translator
from course_lib.recipes.translation_profiles import TranslationProfile

NOUNS = {"cat": "chat", "dog": "chien", "bird": "oiseau", "horse": "cheval", "bear": "ours"}
COLOURS = {"red": "rouge", "green": "vert", "black": "noir", "white": "blanc"}
VERBS = {"sees": "voit", "hears": "entend", "calls": "appelle"}
SMALL = TranslationProfile(
    "small",
    "made_up",
    TransformerConfig(n_layers=1, d_model=32, n_heads=2, d_ff=64, dropout=0.0),
    vocab_size=120,
    epochs=14,
    max_tokens=256,
    learning_rate=8e-3,
    sample=10,
)
TEST = "test_2016_flickr"

LAST = "    return [found[index] for index in range(len(texts))]\n"  # of `translate`
CODE = f"""
import json
from pathlib import Path

from course_lib.data.batching import batches_in_order
from course_lib.data.tokenization import TextTokenizer


def load_model(folder):
    from safetensors.torch import load_file

    config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    model = Transformer(**config["model"])
    model.load_state_dict(load_file(Path(folder) / "translation.safetensors"))
    model.tokenizer = TextTokenizer.load(Path(folder) / "tokenizer.json")
    return model.eval()


def translate(model, texts):
    step, found = uncached_step(model), {{}}
    for indices, source_ids in batches_in_order(model.tokenizer.encode(texts), 1024):
        with torch.no_grad():
            state = Encoded(*model.encode(source_ids))
        beams = beam_search(step, state, len(source_ids), 2, 1.0, max_length=20)
        for index, hypotheses in zip(indices.tolist(), beams, strict=True):
            found[index] = model.tokenizer.decode(hypotheses[0].tokens)
{LAST}"""


@functools.cache
def pairs() -> LoadedData:
    """Word-for-word pairs, except that the color follows the noun; 130 of 1,200 are the test."""
    nouns = list(itertools.product(COLOURS, NOUNS))
    rows = [
        {
            "en": f"The {c} {n} {v} the {d} {m}.",
            "fr": f"Le {NOUNS[n]} {COLOURS[c]} {VERBS[v]} le {NOUNS[m]} {COLOURS[d]}.",
        }
        for (c, n), v, (d, m) in itertools.product(nouns, VERBS, nouns)
    ]
    random.Random(0).shuffle(rows)
    cuts = {"train": rows[:900], "validation": rows[900:950], TEST: rows[950:1080]}
    splits = {name: Dataset.from_list(some) for name, some in cuts.items()}
    return LoadedData("made_up", "generated", "a test", "0" * 64, "none", "none", (), splits)


@functools.cache
def trained() -> TrainedTranslator:
    """The small profile's translator: tests that share it go to one worker, the group "a4"."""
    with no_shape_checks():
        return train_translator(pairs(), SMALL, seed=0)
