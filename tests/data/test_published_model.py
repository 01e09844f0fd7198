"""Models that others trained: one chain of sources, special tokens first, checksums."""

import io
import json
import os
import subprocess
import sys
import zipfile

import pytest
import torch
from checkout import ROOT, place
from data_world import REVISION, sha256

from course_lib.data import local_files
from course_lib.data.models import random_model
from course_lib.data.models.published_model import WORDS, load_model, special_first
from course_lib.data.registry import DataError
from course_lib.data.tokenizer import SPECIAL, Tokenizer

FILES = random_model.files(seed=1)  # as if somebody had trained it
WHEEL = "small_bert-1.0-py3-none-any.whl"


@pytest.fixture
def small(folders, monkeypatch):
    """Loads a small model from a mirror, a package in the cache, or the generator; no network."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        for name, content in FILES.items():
            place(folders / "mirror/small" / name, content)
            wheel.writestr(f"small_bert/model/{name}", content)
    place(local_files.cache_folder() / WHEEL, packed.getvalue())
    sums = "\n".join(f'"{name}" = "{sha256(content)}"' for name, content in FILES.items())
    registry = place(
        folders / "registry.toml",
        f"""
datasets = []
[[models]]
name = "small"
title = "t"
licence = "l"
citation = "c"
sources = ["mirror", "hub", "package", "generated"]
mirror = "small"
id = "someone/films"
revision = "{REVISION}"
folder = "small_bert/model"
[models.sha256]
{sums}
[models.package]
requirement = "small-bert==1.0"
file = "{WHEEL}"
sha256 = "{sha256(packed.getvalue())}"
""",
    )

    def load(*sources):
        return load_model("small", sources or None, registry)

    load.folder, load.registry = folders, registry
    return load


def same(one, other):
    assert one.config == other.config
    assert one.weights.keys() == other.weights.keys()
    return all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)


def test_every_source_has_the_same_model_but_the_generated_one(small, capsys):
    here = small()
    assert (here.name, here.source) == ("small", "mirror")
    package = small("package")
    assert same(here, package)
    out = capsys.readouterr().out.splitlines()
    count = "26,848 weights, license l"
    assert out[0] == f"small from the local mirror COURSE_DATA: {count}"
    assert out[1] == f"small from the package small-bert==1.0: {count}"
    random = small("generated")
    assert not same(here, random)
    made, note = capsys.readouterr().out.splitlines()
    assert made.startswith("instead of small, random_bert from a generator of random numbers")
    assert "its weights are random" in note


def test_the_hub_has_the_same_model(small, hub):
    hub.files, hub.repository = FILES, "someone/films"
    code = (
        "from pathlib import Path; from course_lib.data.models.published_model import load_model\n"
        f"model = load_model('small', ['hub'], Path({str(small.registry)!r}))\n"
        "print(sum(one.sum().item() for one in model.weights.values()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "HF_ENDPOINT": hub.address, "HF_HOME": str(small.folder / "hub")},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    card, total = done.stdout.splitlines()
    assert card.startswith("small from the Hugging Face hub (someone/films at 0123456): 26,848")
    wanted = sum(one.sum().item() for one in small().weights.values())
    assert float(total) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda f: (f / "mirror/small/config.json").write_text("{}"), "has the checksum"),
        (lambda f: (f / "mirror/small/config.json").unlink(), "config.json cannot be read"),
    ],
)
def test_a_broken_copy_is_one_sentence(small, break_it, told):
    break_it(small.folder)
    with pytest.raises(DataError, match=told) as failure:
        small()
    assert "\n" not in str(failure.value)


def test_without_a_source_there_is_one_sentence_on_what_to_do(small, monkeypatch):
    monkeypatch.delenv("COURSE_DATA")
    (local_files.cache_folder() / WHEEL).unlink()
    with pytest.raises(DataError, match="small is not available .*connect to the network") as none:
        small("mirror", "package")
    assert "\n" not in str(none.value)
    with pytest.raises(DataError, match="no published model 'large': use one of small"):
        load_model("large", None, small.registry)
    with pytest.raises(DataError, match="small has no source 'disk': use some of mirror, hub"):
        small("disk")


def test_special_tokens_come_first_and_words_keep_their_vectors(small):
    from safetensors.torch import load

    model, before = small(), load(FILES["model.safetensors"])[WORDS]
    old = json.loads(FILES["tokenizer.json"])["model"]["vocab"]
    assert old["[UNK]"] == 4  # not where the course has it
    assert isinstance(model.tokenizer, Tokenizer)
    assert model.tokenizer.tokens(range(5)) == [*SPECIAL]
    (ids,) = model.tokenizer.encode(["The plot is unfunny. [MASK]"])
    pieces = model.tokenizer.tokens(ids)
    assert pieces[:3] == ["the", "plot", "is"]
    assert pieces[3:5] == ["u", "##n"]
    assert "[MASK]" not in pieces  # in a text it is text
    for id, piece in zip(ids, pieces, strict=True):
        assert torch.equal(model.weights[WORDS][id], before[old[piece]])
    assert model.tokenizer.vocab_size == len(old) == len(before)


def test_a_tokenizer_of_another_kind_is_refused():
    other = {"model": {"type": "BPE", "vocab": {}}, "added_tokens": []}
    with pytest.raises(DataError, match="no WordPiece with .* use a model of BERT's kind"):
        special_first(json.dumps(other))


def test_the_real_model_is_what_the_registry_says(monkeypatch, capsys):
    """Where it is on this machine: 90 MB are not fetched for a test."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    try:
        model = load_model("minilm", ["mirror", "package"])
    except DataError as error:
        pytest.skip(f"load_model('minilm') has fetched nothing yet: {error}")
    assert "22,713,216 weights, license Apache 2.0" in capsys.readouterr().out
    assert model.config["num_hidden_layers"] == 6
    assert model.tokenizer.vocab_size == model.config["vocab_size"] == 30522
    (ids,) = model.tokenizer.encode(["An unfunnier film"])
    assert model.tokenizer.tokens(ids) == ["an", "un", "##fu", "##nni", "##er", "film"]
