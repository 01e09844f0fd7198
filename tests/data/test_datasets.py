"""Data sets: which source is used, what is printed, and every error message."""

import gzip
import json

import pytest
from data_world import MIRROR, ROWS, needs_mirror, sha256, text_of

from course_lib.data import datasets, registry
from course_lib.data.datasets import load
from course_lib.data.registry import DataError

# ---------------------------------------------------------------- the mirror


def test_the_mirror_serves_first_and_says_so(world, capfd):
    data = world.load()
    printed = "films from the local mirror COURSE_DATA: 3 train, 1 test\n"
    assert capfd.readouterr() == (printed, "")
    assert (data.name, data.source, data.notices) == ("films", "mirror", ())
    assert data["train"].column_names == ["sentence", "label"]
    assert data["train"].features["label"].names == ["negative", "positive"]
    assert (
        list(zip(data["train"]["sentence"], data["train"]["label"], strict=True)) == ROWS["train"]
    )


def test_a_fingerprint_is_that_of_the_sentences_one_a_line(world):
    data = world.load()
    assert data.fingerprint("test") == sha256(b"weak .\n")
    assert data.fingerprint("train") == sha256("a fine film\ndull\n«très» 好 👍\n".encode())
    assert len(data.sha256) == 64


def test_the_checksum_of_all_covers_labels(world):
    before = world.load().sha256
    change_mirror(world, "test", [("weak .", 1)])
    assert world.load().sha256 != before


def change_mirror(world, split, rows, known=True):
    """Other rows in the mirror; the registry knows their checksum, or not."""
    path = world.folder / "mirror" / "films" / f"{split}.tsv.gz"
    path.write_bytes(gzip.compress(text_of(rows)))
    entry = next(s for s in world.films["splits"] if s["name"] == split)
    if known:
        entry["mirror"]["sha256"] = sha256(text_of(rows))


@pytest.mark.parametrize(
    ("rows", "known", "told"),
    [
        ([("weak .", 1)], False, r"test\.tsv\.gz has the checksum .* copy it again"),
        ([("weak .", -1)], True, r"labels of -1.*take it from a source that has them"),
        ([("weak .", 2)], True, "has the label 2, not 0 to 1"),
        ([("weak .", 0), ("weak", 0)], True, "has 2 rows instead of 1"),
    ],
)
def test_other_rows_of_a_mirror_stop_the_chain(world, rows, known, told):
    change_mirror(world, "test", rows, known)
    with pytest.raises(DataError, match=told):
        world.load()


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:10] + b"\xff" * 9])
def test_a_damaged_file_is_told(world, damage):
    path = world.folder / "mirror" / "films" / "test.tsv.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match="cannot be read .* copy it again"):
        world.load()


def test_a_missing_split_is_told(world):
    (world.folder / "mirror" / "films" / "test.tsv.gz").unlink()
    with pytest.raises(DataError, match=r"no split test: put it at .*test\.tsv\.gz"):
        world.load()


def test_a_mirror_without_the_data_set_is_passed_over_and_told(world, monkeypatch, capfd):
    monkeypatch.setenv("COURSE_DATA", str(world.folder))
    assert world.load(sources=["mirror", "generated"]).name == "made_up"
    assert "films is not available from the mirror: COURSE_DATA has no folder films" in (
        capfd.readouterr().out
    )
    monkeypatch.setenv("COURSE_DATA", "/nowhere/at/all")
    with pytest.raises(DataError, match="COURSE_DATA names /nowhere/at/all, which is not a folder"):
        world.load(sources=["mirror"])


# ---------------------------------------------------------------- names and sources


def test_no_source_that_was_not_asked_for_serves(world, monkeypatch):
    monkeypatch.delenv("COURSE_DATA")
    with pytest.raises(DataError, match=r"COURSE_DATA is not set.*connect to the network"):
        world.load(sources=["mirror"])


def test_unknown_names_are_told(world):
    with pytest.raises(DataError, match="no data set 'book': use one of films, ratings, made_up"):
        world.load("book")
    with pytest.raises(DataError, match="no source 'web': use some of mirror, hub"):
        world.load(sources=["web"])
    with pytest.raises(DataError, match="no split 'dev': use one of train, test"):
        world.load()["dev"]


def test_a_mistake_in_the_registry_is_told_with_its_place(world):
    world.films["splits"][0]["hub"]["revision"] = "main"
    with pytest.raises(DataError, match=r"\.toml: data set \w+, splits\.0\.hub\.revision: "):
        world.load()
    (world.folder / "broken.toml").write_text("[[datasets]\n")
    with pytest.raises(DataError, match="not valid TOML"):
        registry.read(world.folder / "broken.toml")
    with pytest.raises(DataError, match="cannot be read"):
        registry.read(world.folder / "none.toml")


def test_a_registry_that_promises_what_it_lacks_is_told(world):
    world.made_up["sources"] = ["generated", "package"]
    with pytest.raises(DataError, match="made_up names the source package but not its files"):
        world.load()
    world.made_up["sources"] = ["generated"]
    world.films["stand_ins"]["package"] = "other"
    with pytest.raises(DataError, match="other, which stands in for films, does not exist"):
        world.load()


# ---------------------------------------------------------------- the real mirror


@needs_mirror
def test_the_registry_knows_the_checksums_of_the_mirror():
    manifest = json.loads((MIRROR / "manifest.json").read_text(encoding="utf-8"))
    known = {f["file"]: (f["sha256_uncompressed"], f["lines"]) for f in manifest["files"]}
    for entry in registry.read().datasets:
        for split in (s for s in entry.splits if s.mirror):
            assert known[split.mirror.file] == (split.mirror.sha256, split.rows)


@needs_mirror
def test_the_real_mirror_serves(monkeypatch, capfd):
    monkeypatch.setenv("COURSE_DATA", str(MIRROR))
    datasets.main(["sst2"])
    out, err = capfd.readouterr()
    assert out.splitlines()[:4] == [
        "sst2 from the local mirror COURSE_DATA: 67,349 train, 872 validation, 1,821 test",
        "  train: 29,780 negative, 37,569 positive",
        "  validation: 428 negative, 444 positive",
        "  test: 912 negative, 909 positive",
    ]
    assert err == ""
    assert len(load("imdb_small")["train"]) == 4000
    assert len(load("sst2_sentences")["train"]) == 6920


@needs_mirror
def test_the_hubs_sentences_are_those_of_the_mirror(monkeypatch):
    """SetFit/sst2's train.jsonl, whose checksum is public, can be written from the mirror."""
    monkeypatch.setenv("COURSE_DATA", str(MIRROR))
    names = ["negative", "positive"]
    rows = load("sst2_sentences")["train"]
    lines = "".join(
        json.dumps({"text": text, "label": label, "label_text": names[label]}) + "\n"
        for text, label in zip(rows["sentence"], rows["label"], strict=True)
    )
    split = registry.read().entry("sst2_sentences").splits[0]
    assert sha256(lines.encode()) == split.hub.sha256


def test_the_command_tells_a_mistake_without_a_traceback(capsys):
    with pytest.raises(SystemExit, match="there is no data set 'sst3'"):
        datasets.main(["sst3"])
