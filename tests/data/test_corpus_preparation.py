"""A corpus in shards, from a stand-in hub that cuts connections and sends wrong bytes."""

import dataclasses

import pytest
from data_world import REVISION, parquet_of, sha256

from course_lib.data import hub as hub_files
from course_lib.data.corpus import streamed_file
from course_lib.data.corpus.corpus_preparation import FILES, TOKENIZER, How, prepare
from course_lib.data.corpus.sharded_pairs import ShardedPairs
from course_lib.data.corpus.token_shards import MANIFEST, Manifest, read_shard
from course_lib.data.pair_batching import PairBuckets
from course_lib.data.registry import Corpus, DataError, Unavailable, read
from course_lib.data.tokenization import TextTokenizer

PAIRS = 900
HOW = How(vocab_size=120, pairs_a_shard=100, vocabulary_pairs=300, longest=40)


def packed(numbers, broken=()):
    """A Parquet file of pairs; those that are broken have no target."""
    rows = [
        {
            "en": f"line {i} of the {i % 7} hills",
            "de": None if i in broken else f"zeile {i} am berg",
        }
        for i in numbers
    ]
    return parquet_of({"translation": rows}, row_group_size=64)


@pytest.fixture
def corpus(hub, monkeypatch):
    """Three files on the stand-in hub; two pairs have an empty side, one is too long."""
    hub.repository = "datasets/someone/pairs"
    address = f"{hub.address}/{hub.repository}/resolve/{REVISION}/"
    monkeypatch.setattr(hub_files, "_url", lambda wanted: address + wanted.file)
    monkeypatch.setattr(streamed_file, "PAUSE", 0.0)
    for n in range(3):
        numbers = range(n * PAIRS // 3, (n + 1) * PAIRS // 3)
        hub.files[f"de-en/train-{n:05}-of-00003.parquet"] = packed(numbers, broken=(5, 400))
    return Corpus(
        name="pairs_en_de",
        title="t",
        licence="l",
        citation="c",
        id="someone/pairs",
        revision=REVISION,
        columns=("translation.en", "translation.de"),
        train="de-en/train-{number}-of-{count}.parquet",
        n_files=3,
        rows=PAIRS,
        splits=[],
    )


def quiet(_):
    pass


def texts(folder):
    """All pairs of a folder, decoded."""
    tokenizer = TextTokenizer.load(folder / TOKENIZER)
    found = []
    for shard in Manifest.read(folder).shards:
        sources, targets = read_shard(folder, shard)
        assert len(sources) == len(targets) == shard.pairs
        found += [tuple(map(tokenizer.decode, pair)) for pair in zip(sources, targets, strict=True)]
    return found


def wanted_texts():
    return [
        (f"line {i} of the {i % 7} hills", f"zeile {i} am berg")
        for i in range(PAIRS)
        if i not in (5, 400)
    ]


def test_every_pair_of_the_corpus_is_in_its_shards(corpus, hub, tmp_path):
    manifest = prepare(corpus, tmp_path, HOW, quiet)
    assert texts(tmp_path) == wanted_texts()
    assert [len(file.shards) for file in manifest.files] == [3, 3, 3]
    assert [file.left_out for file in manifest.files] == [1, 1, 0]
    assert [file.sha256 for file in manifest.files] == [
        sha256(content) for content in hub.files.values()
    ]
    assert not list((tmp_path / FILES).iterdir())  # of the hub's files, nothing is kept
    asked = len(hub.asked)
    assert asked == 3
    assert prepare(corpus, tmp_path, HOW, quiet) == manifest
    assert len(hub.asked) == asked  # and nothing is asked for again


def test_pairs_that_are_too_long_are_left_out(corpus, tmp_path):
    def longer_sides(folder, manifest):
        return [
            max(map(len, pair))
            for shard in manifest.shards
            for pair in zip(*read_shard(folder, shard), strict=True)
        ]

    found = longer_sides(tmp_path / "all", prepare(corpus, tmp_path / "all", HOW, quiet))
    short = dataclasses.replace(HOW, longest=max(found) - 1)
    manifest = prepare(corpus, tmp_path / "short", short, quiet)
    kept = longer_sides(tmp_path / "short", manifest)
    assert kept == [length for length in found if length < max(found)] != []
    assert sum(file.left_out for file in manifest.files) == PAIRS - len(kept)


def test_a_connection_that_is_cut_goes_on_after_its_last_byte(corpus, hub, tmp_path):
    hub.most, said = 3000, []
    prepare(corpus, tmp_path, HOW, said.append)
    assert texts(tmp_path) == wanted_texts()
    first = next(iter(hub.files))
    starts = [start for name, start, _ in hub.asked if name == first]
    assert len(starts) > 1
    assert starts == list(range(0, len(hub.files[first]), 3000))
    assert any("resuming after 3,000 of" in line for line in said)


def test_what_was_fetched_before_an_interruption_is_kept(corpus, hub, tmp_path):
    hub.most, hub.parts = 3000, False  # nothing comes after the first 3,000 bytes
    with pytest.raises(Unavailable, match="ends after 3,000 of .* run the command again"):
        prepare(corpus, tmp_path, HOW, quiet)
    hub.most, hub.parts, hub.asked = None, True, []
    prepare(corpus, tmp_path, HOW, quiet)
    assert hub.asked[0][1] == 3000
    assert texts(tmp_path) == wanted_texts()


def test_an_interrupted_preparation_goes_on_with_the_next_file(corpus, hub, tmp_path, monkeypatch):
    whole = prepare(corpus, tmp_path / "whole", HOW, quiet)

    def interrupted(line):
        if line.startswith("de-en/train-00001") and "in shards" in line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(corpus, tmp_path / "cut", HOW, interrupted)
    assert len(Manifest.read(tmp_path / "cut").files) == 2
    hub.asked = []
    assert prepare(corpus, tmp_path / "cut", HOW, quiet) == whole
    assert hub.asked == []  # the third file had been fetched for the vocabulary


@pytest.mark.parametrize("by", ["the hub", "the registry"])
def test_a_wrong_checksum_stops_before_anything_is_tokenized(corpus, hub, tmp_path, by):
    second = list(hub.files)[1]
    if by == "the hub":
        hub.stated = {second: "0" * 64}
    else:
        corpus = corpus.model_copy(update={"sha256": {second: "0" * 64}})
    with pytest.raises(DataError, match="train-00001-of-00003.parquet has the checksum .* 000000"):
        prepare(corpus, tmp_path, HOW, quiet)
    assert not list((tmp_path / FILES).glob("*00001*"))
    assert not list(tmp_path.glob("*.safetensors"))
    hub.stated = {second: "not one"}
    with pytest.raises(DataError, match="has a checksum and a size of"):
        prepare(corpus.model_copy(update={"sha256": {}}), tmp_path, HOW, quiet)


@pytest.mark.parametrize("damage", ["flipped", "shorter", "missing"])
def test_a_damaged_shard_is_told_and_made_anew(corpus, hub, tmp_path, damage):
    manifest = prepare(corpus, tmp_path, HOW, quiet)
    shard = manifest.shards[4]  # of the second file
    content = (tmp_path / shard.name).read_bytes()
    (tmp_path / shard.name).unlink()
    if damage != "missing":
        other = content[:-1] + bytes([content[-1] ^ 1]) if damage == "flipped" else content[:-9]
        (tmp_path / shard.name).write_bytes(other)
    with pytest.raises(DataError, match=f"{shard.name}, a shard of the corpus, is missing or dam"):
        list(ShardedPairs(tmp_path, manifest.shards, 200))
    hub.asked = []
    assert prepare(corpus, tmp_path, HOW, quiet) == manifest
    assert {name for name, *_ in hub.asked} == {"de-en/train-00001-of-00003.parquet"}
    assert (tmp_path / shard.name).read_bytes() == content


def test_a_folder_serves_one_preparation_of_one_corpus(corpus, tmp_path):
    prepare(corpus, tmp_path, HOW, quiet)
    with pytest.raises(DataError, match="vocab_size was 120 and is 99.: choose another folder"):
        prepare(corpus, tmp_path, How(99), quiet)
    (tmp_path / TOKENIZER).write_text("{}")
    with pytest.raises(DataError, match=r"tokenizer.json is missing or damaged: delete"):
        prepare(corpus, tmp_path, HOW, quiet)
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DataError, match=r"manifest.json cannot be read .*: delete it"):
        prepare(corpus, tmp_path, HOW, quiet)


def test_a_wrong_number_of_pairs_and_a_vocabulary_without_room_are_told(corpus, tmp_path):
    with pytest.raises(DataError, match="900 training pairs instead of 901"):
        prepare(corpus.model_copy(update={"rows": 901}), tmp_path, HOW, quiet)
    with pytest.raises(DataError, match="a vocabulary of 70000: give between 6 and 65,536"):
        prepare(corpus, tmp_path, How(70_000), quiet)


def test_batches_of_shards_have_every_pair_once_and_mix_the_corpus(corpus, tmp_path):
    shards = prepare(corpus, tmp_path, HOW, quiet).shards
    batches = ShardedPairs(tmp_path, shards, max_tokens=200, seed=3, together=3)
    rows = [read_shard(tmp_path, shard) for shard in shards]
    every = sorted(tuple(ids) for sources, _ in rows for ids in sources)
    epochs = []
    for epoch in (0, 0, 1):
        batches.set_epoch(epoch)
        epochs.append([source.tolist() for source, _ in batches])
        assert len(epochs[-1]) == len(batches)
        found = [tuple(filter(None, ids)) for batch in epochs[-1] for ids in batch]
        assert sorted(found) == every
    assert epochs[0] == epochs[1] != epochs[2]
    assert [[shards.index(shard) for shard in group] for group in batches.groups] == [
        [0, 3, 6],
        [1, 4, 7],
        [2, 5, 8],
    ]
    alone = ShardedPairs(tmp_path, shards, max_tokens=200, together=9)
    sources, targets = ([ids for row in rows for ids in row[side]] for side in (0, 1))
    assert len(alone) == len(PairBuckets(sources, targets, 200))


def test_the_papers_corpora_are_pinned():
    for name, language, files, rows in (
        ("wmt14_en_de", "de", 3, 4_508_785),
        ("wmt14_en_fr", "fr", 30, 40_836_715),
    ):
        corpus = read().corpus(name)
        assert (corpus.languages, corpus.rows) == (("en", language), rows)
        assert len(corpus.files) == files
        assert corpus.files[-1].file.endswith(f"train-{files - 1:05}-of-{files:05}.parquet")
        assert {file.revision for file in corpus.files} == {corpus.revision}
        assert [split.rows for split in corpus.splits] == [3000, 3003]
    with pytest.raises(DataError, match="there is no corpus 'x': use one of wmt14_en_de, wmt14"):
        read().corpus("x")
