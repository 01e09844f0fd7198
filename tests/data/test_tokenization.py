"""Tokenizers: encoding and decoding round trips, saving and loading."""

import json
import random

import pytest

from course_lib.data.grammar.reviews import sentences
from course_lib.data.grammar.sentence_pairs import draw_pair
from course_lib.data.tokenization import SPECIAL, TextTokenizer

TEXTS = [text for text, _ in sentences()["train"]]
AWKWARD = {
    "nothing": "",
    "blanks": " \t\n ",
    "unknown words": "zyzzyva qoph",
    "an emoji of several characters": "good 👍🏽 ending 👩‍👩‍👧",
    "right to left": "السلام عليكم שלום",
    "both directions": "the plot is جيد .",
    "a combining accent": "cliche\u0301",
    "a control character": "good\x00plot",
    "names of special tokens": "[PAD] [MASK] [CLS]",
}


@pytest.fixture(params=["word", "bpe"], scope="module")
def tokenizer(request):
    return TextTokenizer.train(TEXTS, kind=request.param, vocab_size=400)


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
def test_awkward_text_passes_through(tokenizer, text):
    (ids,) = tokenizer.encode([text])
    assert ids
    assert TextTokenizer.PAD not in ids
    assert set(ids) & {TextTokenizer.CLS, TextTokenizer.SEP, TextTokenizer.MASK} == set()
    assert len(tokenizer.tokens(ids)) == len(ids)
    assert max(ids) < tokenizer.vocab_size


def test_an_empty_text_is_one_unknown_token(tokenizer):
    assert tokenizer.encode(["", "  "]) == [[TextTokenizer.UNK]] * 2


def test_known_words_are_known(tokenizer):
    (ids,) = tokenizer.encode(["The plot is not good ."])
    tokens = [token.lstrip("▁") for token in tokenizer.tokens(ids)]
    assert TextTokenizer.UNK not in ids
    assert "".join(tokens) == "theplotisnotgood."


def test_long_texts_are_cut_counted_and_told(tokenizer, capfd):
    long = " ".join(["good"] * 600)
    ids = tokenizer.encode([long, "good", long])
    assert [len(one) for one in ids] == [512, 1, 512]
    assert tokenizer.truncated == 2
    assert capfd.readouterr() == ("2 of 3 texts were cut to 512 tokens\n", "")
    tokenizer.encode(["good"])
    assert tokenizer.truncated == 0
    assert capfd.readouterr() == ("", "")


def test_texts_of_512_tokens_and_more_come_whole_when_asked(tokenizer):
    long = " ".join(["good"] * 5000)
    (ids,) = tokenizer.encode([long], max_length=10_000)
    assert len(ids) == 5000


def test_saved_and_loaded_it_is_the_same(tokenizer, tmp_path):
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    again = TextTokenizer.load(path)
    texts = [*TEXTS[:50], *AWKWARD.values()]
    assert again.encode(texts) == tokenizer.encode(texts)
    assert again.vocab_size == tokenizer.vocab_size
    assert again.tokens(range(5)) == list(SPECIAL)


def test_training_twice_gives_the_same_tokenizer(tokenizer, tmp_path):
    files = []
    for number in range(3):
        kind = "bpe" if "▁" in tokenizer.tokens(range(tokenizer.vocab_size)) else "word"
        TextTokenizer.train(TEXTS, kind=kind, vocab_size=400).save(tmp_path / f"{number}.json")
        files.append(json.loads((tmp_path / f"{number}.json").read_text(encoding="utf-8")))
    assert files[0] == files[1] == files[2]


def test_a_class_token_can_stand_first_and_counts(tokenizer):
    (ids,) = tokenizer.encode(["good good good"], max_length=3, add_cls=True)
    assert ids[0] == TextTokenizer.CLS
    assert len(ids) == 3


def test_bpe_spells_out_what_it_never_saw():
    tokenizer = TextTokenizer.train(TEXTS, kind="bpe", vocab_size=400)
    (ids,) = tokenizer.encode(["goodness"])
    assert TextTokenizer.UNK not in ids
    assert len(ids) > 1
    assert "".join(tokenizer.tokens(ids)) == "▁goodness"


@pytest.mark.parametrize("kind", ["word", "bpe"])
@pytest.mark.parametrize("size", [6, 7, 12, 40])
def test_a_vocabulary_is_never_larger_than_asked_for(kind, size):
    made = TextTokenizer.train(TEXTS, kind=kind, vocab_size=size, min_frequency=1)
    assert 5 < made.vocab_size <= size
    assert all(made.encode(TEXTS))


def test_vocabulary_size_and_frequency_are_kept():
    texts = ["a a a a b b b c c d"]
    assert TextTokenizer.train(texts, vocab_size=7).tokens([5, 6]) == ["a", "b"]
    frequent = TextTokenizer.train(texts, min_frequency=2)
    assert frequent.tokens(range(5, frequent.vocab_size)) == ["a", "b", "c"]


def test_case_is_kept_when_asked():
    tokenizer = TextTokenizer.train(["Good good"] * 2, lowercase=False)
    assert sorted(tokenizer.tokens([5, 6])) == ["Good", "good"]


def test_contractions_are_those_of_the_treebank():
    texts = ["i do n't like it , it 's not good"] * 2
    tokenizer = TextTokenizer.train(texts)
    raw, curly, treebank = tokenizer.encode(
        ["I don't like it, it's not good", "I don’t like it, it’s not good", texts[0]]
    )
    assert raw == curly == treebank
    assert TextTokenizer.UNK not in raw


def test_mistakes_are_told_in_one_sentence(tokenizer, tmp_path):
    with pytest.raises(TypeError, match=r"write encode\(\[text\]\)"):
        tokenizer.encode("good")
    with pytest.raises(TypeError, match="text 1 is None, not a string"):
        tokenizer.encode(["good", None])
    with pytest.raises(ValueError, match="no kind 'letters'.*use 'word' or 'bpe'"):
        TextTokenizer.train(TEXTS, kind="letters")
    with pytest.raises(ValueError, match="no room beside the 5 special tokens"):
        TextTokenizer.train(TEXTS, vocab_size=5)
    for length in (0, -1):
        with pytest.raises(ValueError, match=f"max_length = {length}: give 1 or more"):
            tokenizer.encode(["good"], max_length=length)
    for id in (tokenizer.vocab_size, -1):
        with pytest.raises(ValueError, match=f"there is no token {id}"):
            tokenizer.tokens([id])
    (tmp_path / "empty.json").write_text("{}")
    for name in ("empty.json", "not_there.json"):
        with pytest.raises(ValueError, match="is not a tokenizer"):
            TextTokenizer.load(tmp_path / name)


def test_a_tokenizer_of_another_kind_is_told(tmp_path):
    from tokenizers import Tokenizer, models

    Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")).save(str(tmp_path / "t.json"))
    with pytest.raises(ValueError, match=r"token 0 of .* is not \[PAD\]"):
        TextTokenizer.load(tmp_path / "t.json")


# ---------------------------------------------------------------- reversible

DRAWN = random.Random(0)
FRENCH = [draw_pair(DRAWN)[1] for _ in range(500)]
EXACT = {
    "a sentence": "L'homme n'est pas là, mais qu'elle attende !",
    "two blanks": "les  chats",
    "blanks round it": "  les chats ",
    "one blank": " ",
    "marks": '-(à 100 %)... "oui"',
    "a line break and a tab": "un\ndeux\ttrois",
    "a no-break blank": "vraiment\u00a0?",
    "an accent and capitals": "ÉTÉ Été été",
    "a special token": "[PAD] [SEP]",
}


@pytest.fixture(scope="module")
def reversible():
    texts = [*FRENCH, *EXACT.values()]
    return TextTokenizer.train(
        texts, "bpe", vocab_size=500, min_frequency=1, lowercase=False, reversible=True
    )


def test_decoding_gives_back_the_text(reversible):
    for text in [*EXACT.values(), *FRENCH]:
        (ids,) = reversible.encode([text])
        assert reversible.decode(ids) == text
        assert reversible.decode([TextTokenizer.START, *ids, TextTokenizer.END, 0, 0]) == text


def test_start_and_end_are_the_tokens_they_were():
    assert (TextTokenizer.START, TextTokenizer.END) == (TextTokenizer.CLS, TextTokenizer.SEP)


def test_an_unknown_character_stays_visible(reversible):
    assert reversible.decode(reversible.encode(["le 好 chat"])[0]) == "le [UNK] chat"
    assert reversible.decode([]) == ""


def test_a_decomposed_accent_comes_back_composed(reversible):
    assert reversible.decode(reversible.encode(["e\u0301te\u0301"])[0]) == "été"


def test_reversible_is_kept_by_the_file(reversible, tmp_path):
    reversible.save(tmp_path / "tokenizer.json")
    again = TextTokenizer.load(tmp_path / "tokenizer.json")
    assert again.reversible
    assert [again.decode(ids) for ids in again.encode(FRENCH)] == FRENCH


def test_an_elided_word_is_no_part_of_the_next(reversible):
    tokens = reversible.tokens(reversible.encode(["Il n'aime pas l'homme."])[0])
    assert "▁n'" in tokens
    assert "▁l'" in tokens


def test_dropped_merges_spell_words_otherwise_within_the_context_only(reversible):
    texts = [*FRENCH]
    usual = reversible.encode(texts)
    with reversible.dropping_merges(0.5):
        drawn, again = reversible.encode(texts), reversible.encode(texts)
    assert drawn != again
    assert sum(map(len, drawn)) > sum(map(len, usual))
    assert all(map(str.__eq__, map(reversible.decode, drawn), map(reversible.decode, usual)))
    assert reversible.encode(texts) == usual
    with pytest.raises(ValueError, match="from 0 to 1"), reversible.dropping_merges(1.5):
        pass
    words = TextTokenizer.train(TEXTS)
    with pytest.raises(ValueError, match="kind='bpe'"), words.dropping_merges(0.1):
        pass


def test_spans_say_where_tokens_stand(reversible, tokenizer):
    text = "L'homme  n'aime pas."
    spans = reversible.spans(text)
    assert len(spans) == len(reversible.encode([text])[0])
    assert "".join(text[start:end] for start, end in spans) == text
    word = "The plot is good ."
    found = [word[start:end].strip().lower() for start, end in tokenizer.spans(word)]
    assert "".join(found) == "theplotisgood."
    assert tokenizer.spans("") == [(0, 0)]


def test_what_cannot_be_reversed_is_told(tokenizer):
    with pytest.raises(ValueError, match="use kind='bpe' and lowercase=False"):
        TextTokenizer.train(TEXTS, kind="bpe", reversible=True)
    with pytest.raises(ValueError, match="use kind='bpe' and lowercase=False"):
        TextTokenizer.train(TEXTS, kind="word", lowercase=False, reversible=True)
    assert not tokenizer.reversible
    with pytest.raises(ValueError, match="drops spaces and case"):
        tokenizer.decode([5])
