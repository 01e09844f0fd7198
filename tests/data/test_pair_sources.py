"""Text pairs from the mirror, the hub and the grammar: the same chain as for labelled sentences."""

import gzip

import pytest
from checkout import place
from data_world import MIRROR, REVISION, needs_mirror, parquet_of, registry_of, sha256

from course_lib.data import datasets
from course_lib.data import hub as hub_files
from course_lib.data import registry as data_registry
from course_lib.data.datasets import load
from course_lib.data.registry import DataError, HubFile

ROWS = [("A cat sleeps.", "Un chat dort."), ("The dog.", "Le chien."), ("Yes!", "Oui !")]
HUB = {"id": "someone/films", "revision": REVISION}
NAMES = ("translation.en", "translation.fr")


def text_of(rows):
    return "".join(f"{en}\t{fr}\n" for en, fr in [("en", "fr"), *rows]).encode()


@pytest.fixture
def registry(folders):
    """A registry of one data set of pairs whose only source is a mirror."""

    def write(rows, count=None):
        place(folders / "mirror/pairs/train.tsv.gz", gzip.compress(text_of(rows)))
        mirror = {"file": "pairs/train.tsv.gz", "sha256": sha256(text_of(rows))}
        entry = {"name": "pairs", "title": "t", "licence": "l", "citation": "c"}
        entry |= {"columns": ["en", "fr"], "sources": ["mirror"]}
        entry["splits"] = [{"name": "train", "rows": count or len(rows), "mirror": mirror}]
        return registry_of(folders, [entry])

    return write


# ---------------------------------------------------------------- the mirror, the grammar


def test_pairs_come_from_the_mirror_with_both_columns(registry, capfd):
    data = load("pairs", registry=registry(ROWS))
    assert capfd.readouterr() == ("pairs from the local mirror COURSE_DATA: 3 train\n", "")
    assert data["train"].column_names == ["en", "fr"]
    assert data["train"][0] == {"en": "A cat sleeps.", "fr": "Un chat dort."}
    assert data.fingerprint("train") == sha256(b"A cat sleeps.\nThe dog.\nYes!\n")


def test_a_number_is_a_translation_like_any_other(registry):
    data = load("pairs", registry=registry([("one", "1"), ("minus one", "-1")]))
    assert data["train"]["fr"][:] == ["1", "-1"]


def test_an_empty_side_and_a_missing_row_are_told(registry):
    with pytest.raises(DataError, match="pair 1 of the split train of .* has an empty side"):
        load("pairs", registry=registry([("a", "b"), ("c", "")]))
    with pytest.raises(DataError, match="has 3 rows instead of 9"):
        load("pairs", registry=registry(ROWS, count=9))


def test_without_a_mirror_the_grammar_stands_in_under_its_own_name(monkeypatch, capfd):
    monkeypatch.delenv("COURSE_DATA", raising=False)
    for name in ("multi30k_en_fr", "tatoeba_en_fr"):
        data = load(name)
        assert (data.name, data.source) == ("grammar_en_fr", "generated")
        assert f"instead of {name}, grammar_en_fr from a grammar:" in capfd.readouterr().out
    with pytest.raises(DataError, match=r"COURSE_DATA is not set.*connect to the network"):
        load("multi30k_en_fr", ("mirror",))


@needs_mirror
def test_the_real_mirror_serves_pairs(monkeypatch, capfd):
    monkeypatch.setenv("COURSE_DATA", str(MIRROR))
    datasets.main(["multi30k_en_fr"])
    assert capfd.readouterr().out.splitlines()[:4] == [
        "multi30k_en_fr from the local mirror COURSE_DATA: "
        "29,000 train, 1,014 validation, 1,000 test_2016_flickr",
        "  train: 29,000 pairs, 345,020 words of en, 362,021 words of fr",
        "  validation: 1,014 pairs, 12,167 words of en, 12,698 words of fr",
        "  test_2016_flickr: 1,000 pairs, 11,877 words of en, 12,352 words of fr",
    ]
    assert len(load("tatoeba_en_fr")["test"]) == 1801
    assert len(load("wmt_news_en_fr")["validation"]) == 3000


def test_every_data_set_of_pairs_is_in_the_registry():
    known = {e.name for e in data_registry.read().datasets if e.columns == ["en", "fr"]}
    assert known == {
        f"{name}_en_fr"
        for name in "multi30k tatoeba wmt_news wmt14 opus_books grammar grammar_long".split()
    }


# ---------------------------------------------------------------- the hub


@pytest.fixture
def large(hub, monkeypatch):
    """A large file of pairs on a hub of our own."""
    noise = [sha256(str(i).encode()) for i in range(60_000)]
    rows = [{"en": f"line {i} {x}", "fr": f"ligne {i} {x}"} for i, x in enumerate(noise)]
    rows[3]["fr"] = " "
    hub.files["large.parquet"] = parquet_of({"translation": rows}, row_group_size=1000)
    address = f"{hub.address}/datasets/someone/films/resolve/{REVISION}/"
    monkeypatch.setattr(hub_files, "_url", lambda wanted: address + wanted.file)
    return hub


def test_the_top_of_a_large_file_is_read_without_the_rest(large):
    wanted = HubFile(**HUB, file="large.parquet", columns=NAMES, first=2500)
    found = hub_files.top(wanted, 2500)
    assert len(found) == 2500
    assert found[2][0].startswith("line 2 ")
    assert found[3][1].startswith("ligne 4 ")  # a pair with an empty side is passed over
    sent = sum(count for _, _, count in large.asked)
    assert 0 < sent < len(large.files["large.parquet"]) / 2


def test_what_the_hub_cannot_give_is_unavailable(large, monkeypatch):
    wanted = HubFile(**HUB, file="gone.parquet", columns=NAMES, first=5)
    with pytest.raises(data_registry.Unavailable, match="answers 404 for someone/films/gone"):
        hub_files.top(wanted, 5)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(data_registry.Unavailable, match="HF_HUB_OFFLINE is set"):
        hub_files.top(wanted, 5)


def test_nested_columns_and_ranks(tmp_path):
    from course_lib.data import sources

    rows = [{"en": f"line {i}", "fr": f"ligne {i}"} for i in range(20)]
    packed = parquet_of({"id": list(range(20)), "translation": rows})
    found = hub_files.columns(place(tmp_path / "t.parquet", packed), NAMES)
    assert found[7] == ("line 7", "ligne 7")
    first = sources._ranked_pairs([*found, ("", "x"), ("line 1", "ligne 1")], 0, 8)
    rest = sources._ranked_pairs(found[::-1], 8, 100)
    assert (len(first), len(rest)) == (8, 12)
    assert set(first) | set(rest) == set(found)


def test_pinned_commits_and_checksums_stand_in_the_registry():
    entries = data_registry.read()
    books = entries.entry("opus_books_en_fr")
    ranks = sorted(split.hub.ranks for split in books.splits if split.hub)
    assert ranks == [(0, 1000), (1000, 2000), (2000, 102000)]
    assert all(split.hub.sha256 for split in books.splits if split.hub)
    news = entries.entry("wmt_news_en_fr")
    assert news.stand_ins["hub"] == "wmt14_en_fr"
