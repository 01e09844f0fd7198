"""The translator: batches change nothing, the folder gives back the same model, clear refusals."""

import inspect
import json

import in_process
import pytest
import torch
from in_process import one_sentence
from no_shape_checks import no_shape_checks

from course_lib.data.pair_batching import PairBuckets
from course_lib.data.tokenization import TextTokenizer
from course_lib.data.tokenizer import MASK, UNK
from course_lib.data.word_spans import word_numbers
from course_lib.decoding.generate import generate
from course_lib.decoding.search import beam_search
from course_lib.decoding.translator import LENGTH_PENALTY, TranslationError, Translator
from course_lib.decoding.writer import Writer, WriterError
from course_lib.families.language_model import LanguageModel
from course_lib.families.position_variants import with_positions
from course_lib.fast.forms import fast_model
from course_lib.training.translation_loss import translation_loss
from course_lib.training.update import step_of
from course_lib.transformer import Transformer
from grader.student import program

TEXTS = ["Two dogs play in the snow.", "A dog.", "Snow in the park, and two men play.", "Two."]
FORM = {"n_layers": 2, "d_model": 16, "n_heads": 4, "d_ff": 32}


def translator(norm_first=False):
    tokenizer = TextTokenizer.train(
        TEXTS * 2, kind="bpe", vocab_size=80, lowercase=False, reversible=True
    )
    torch.manual_seed(1)
    size = tokenizer.vocab_size
    model = fast_model(Transformer, size, **FORM, norm_first=norm_first, position_scale=0.5)
    return Translator(model, tokenizer)


def test_translations_do_not_depend_on_their_batch(monkeypatch):
    made = translator()
    together = made.search(TEXTS * 3, n_best=3, max_tokens=12)
    monkeypatch.setattr("course_lib.decoding.translator.BATCH_TOKENS", 1)
    alone = made.search(TEXTS * 3, n_best=3, max_tokens=12)
    for one, other in zip(together, alone, strict=True):
        assert [h.tokens for h in one] == [h.tokens for h in other]
        assert [h.score for h in one] == pytest.approx([h.score for h in other], abs=1e-4)
    assert made.translate(TEXTS, max_tokens=12) == [
        made.tokenizer.decode(one[0].tokens) for one in together[:4]
    ]
    assert made.translate([]) == []


def test_a_model_in_training_is_read_without_dropout_and_left_in_training():
    made = translator()
    made.model.train()
    first, again = (made.search(TEXTS, max_tokens=6) for _ in range(2))
    assert first == again
    assert made.model.training
    made.model.eval()
    made.translate(TEXTS[:1], max_tokens=2)
    assert not made.model.training


def test_a_model_that_was_read_can_still_learn():
    made = translator()
    with no_shape_checks():
        made.translate(TEXTS, width=1, max_tokens=530)  # beyond the table of positions
    made.model.train()
    source = torch.tensor([[5, 6, 7]])
    made.model(source, source)[0].sum().backward()
    assert made.model.embedding.tokens.weight.grad.any()


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_folder_gives_back_the_same_translator(tmp_path, norm_first):
    made = translator(norm_first)
    again = Translator.load(made.save(tmp_path / "trained"))
    assert again.arguments == made.arguments
    assert again.search(TEXTS, max_tokens=8) == made.search(TEXTS, max_tokens=8)
    assert not again.model.training
    assert again.length_penalty == made.length_penalty == LENGTH_PENALTY


def test_the_length_penalty_is_the_papers_unless_another_one_is_given(tmp_path):
    assert inspect.signature(beam_search).parameters["length_penalty"].default == LENGTH_PENALTY
    made = translator()
    made.length_penalty = 1.4
    assert Translator.load(made.save(tmp_path)).length_penalty == 1.4
    settings = tmp_path / "config.json"
    settings.write_text(json.dumps({"model": made.arguments}))  # nobody said which
    assert Translator.load(tmp_path).length_penalty == 0.6


def test_the_folder_says_what_the_model_is_built_with(tmp_path):
    """The names that folders of earlier versions have."""
    translator().save(tmp_path)
    form = json.loads((tmp_path / "config.json").read_text())["model"]
    names = "vocab_size n_layers d_model n_heads d_ff dropout norm_first pad_id position_scale"
    assert set(form) == set(names.split())
    assert {name: form[name] for name in FORM} == FORM


@pytest.mark.parametrize("spoil", ["missing", "other size", "no settings", "no weights"])
def test_what_is_no_translator_is_refused_in_one_sentence(tmp_path, spoil):
    made = translator()
    made.save(tmp_path)
    settings = tmp_path / "config.json"
    if spoil == "missing":
        settings.unlink()
    elif spoil == "other size":
        form = json.loads(settings.read_text())["model"] | {"d_ff": 64}
        settings.write_text(json.dumps({"model": form}))
    elif spoil == "no settings":
        settings.write_text("{}")
    else:
        (tmp_path / "translation.safetensors").write_bytes(b"nothing")
    with pytest.raises(TranslationError, match="has no usable translator .*train one first"):
        Translator.load(tmp_path)


class Letters:
    """A tokenizer that is no `TextTokenizer`: a token for each letter."""

    vocab_size = 40

    def encode(self, texts, max_length=512):
        return [[(5 + ord(c) % 35) for c in text][:max_length] or [UNK] for text in texts]

    def tokens(self, ids):
        return [chr(ord("A") + int(i)) for i in ids]

    def decode(self, ids):
        return "".join(self.tokens(i for i in ids if i > MASK))

    def spans(self, text):
        return [(i, i + 1) for i in range(len(text))]

    def save(self, path):
        path.write_text("letters")


def test_any_tokenizer_with_the_special_tokens_serves(tmp_path):
    letters = Letters()
    model = Transformer(letters.vocab_size, **FORM)
    one = Translator(model, letters)
    batches = PairBuckets(letters.encode(TEXTS), letters.encode(TEXTS), 512)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    step, schedule = step_of(translation_loss), torch.optim.lr_scheduler.ConstantLR(optimizer, 1.0)
    assert all(step(model, *batch, optimizer, schedule)["loss"] > 0 for batch in batches)
    assert all(translation.isprintable() for translation in one.translate(TEXTS, max_tokens=4))
    assert (one.save(tmp_path) / "tokenizer.json").read_text() == "letters"
    writer = Writer(LanguageModel(letters.vocab_size, **SIZES), letters)
    assert writer.write(["Two", ""], 3, temperature=0)
    assert word_numbers(letters, "a b") == [0, -1, 1]


# A language model that is saved, and `student generate`, which goes on writing with it.


PROMPTED = ["Two dogs play in the snow.", "A man reads a book.", "Two men play.", "A dog reads."]
SIZES = {"n_layers": 2, "d_model": 16, "n_heads": 2, "d_ff": 32, "dropout": 0.0}


def writer(positions="rotary"):
    tokenizer = TextTokenizer.train(
        PROMPTED, kind="bpe", vocab_size=60, min_frequency=1, lowercase=False, reversible=True
    )
    torch.manual_seed(0)
    model = LanguageModel(tokenizer.vocab_size, **SIZES, positions=positions, max_length=16)
    with torch.no_grad():  # sure of something, so that draws differ from the likeliest
        model.tokens.weight *= 30
    return Writer(model, tokenizer)


def run(*arguments):
    return in_process.run(program.main, "generate", *arguments)


@pytest.mark.parametrize("positions", ["rotary", "learned", "sinusoidal", "none"])
def test_what_is_saved_is_loaded(positions, tmp_path):
    one = writer(positions)
    other = Writer.load(one.save(tmp_path / "mine"))
    assert other.arguments == one.arguments
    prompts, how = ["Two", "A man reads"], {"max_new_tokens": 8, "temperature": 0}
    assert other.write(prompts, **how) == one.write(prompts, **how)


def test_the_command_writes_what_the_library_writes(tmp_path):
    one, folder = writer(), writer().save(tmp_path / "mine")
    likeliest = one.write(["Two dogs"], 8, temperature=0)[0]
    given = ("--model", folder, "--prompt", "Two dogs", "--tokens", 8)
    assert run(*given, "--temperature", 0).stdout == likeliest + "\n"
    assert run(*given, "--top-k", 1).stdout == likeliest + "\n"
    how = {"temperature": 2.0, "top_p": 0.9}
    drawn = one.write(["Two dogs"], 8, **how, generator=torch.Generator().manual_seed(7))[0]
    told = run(*given, "--temperature", 2, "--top-p", 0.9, "--seed", 7, "--json")
    assert json.loads(told.stdout) == {"text": drawn}
    assert drawn != likeliest


def test_without_a_prompt_the_model_begins():
    one = writer()
    (alone,) = one.write([""], 8, temperature=0)
    assert "[UNK]" not in alone
    end = one.tokenizer.END
    begun = generate(one.model, [[end]], 8, temperature=0, end=end)[0]
    assert alone == one.tokenizer.decode(begun)
    assert one.write(["", "Two"], 8, temperature=0)[0] == alone


@pytest.mark.parametrize(
    "extreme", [("--temperature", "1e-40"), ("--temperature", "5e-324"), ("--top-p", "1e-300")]
)
def test_an_extreme_option_takes_the_likeliest_token(extreme, tmp_path):
    one, folder = writer(), writer().save(tmp_path / "mine")
    likeliest = one.write(["Two dogs"], 8, temperature=0)[0]
    told = run("--model", folder, "--prompt", "Two dogs", "--tokens", 8, *extreme)
    assert (told.returncode, told.stdout) == (0, likeliest + "\n"), told.stderr


def test_json_is_all_that_is_printed_though_a_prompt_is_cut(tmp_path):
    folder = writer().save(tmp_path / "mine")
    told = run("--model", folder, "--prompt", "Two dogs " * 300, "--tokens", 1, "--json")
    assert set(json.loads(told.stdout)) == {"text"}
    assert "were cut to 512 tokens" in told.stderr


def test_weights_that_are_no_numbers_are_refused(tmp_path):
    one = writer()
    with torch.no_grad():
        one.model.norm.weight[3] = torch.nan
    one_sentence(run("--model", one.save(tmp_path / "mine")), 2, "1 of ", "NaN", "diverged")
    made = translator()
    with torch.no_grad():
        made.model.embedding.tokens.weight.fill_(torch.nan)
    with pytest.raises(TranslationError, match="its weights may be NaN"):
        made.translate(TEXTS)
    made.save(tmp_path / "other")
    with pytest.raises(TranslationError, match="weights are NaN or infinite"):
        Translator.load(tmp_path / "other")


def test_what_cannot_write_is_told_in_one_sentence(tmp_path):
    for weights, other in (("translation", "a translator"), ("classifier", "a classifier")):
        (tmp_path / weights).mkdir()
        (tmp_path / weights / f"{weights}.safetensors").touch()
        with pytest.raises(WriterError, match=f"{weights} holds {other}, and this needs a lang"):
            Writer.load(tmp_path / weights)
    with pytest.raises(WriterError, match="nowhere: there is no such folder"):
        Writer.load(tmp_path / "nowhere")
    folder = writer("learned").save(tmp_path / "mine")
    (folder / "config.json").write_text("{}")
    with pytest.raises(WriterError, match="mine has no usable language model .'model'.: save"):
        Writer.load(folder)
    with pytest.raises(ValueError, match="with RelativeMultiHeadAttention cannot be saved"):
        Writer(with_positions(writer().model, "relative"), writer().tokenizer).save(tmp_path)


def test_a_prompt_beyond_the_learned_positions_is_refused_before_it_is_read():
    one = writer("learned")
    n = len(one.tokenizer.encode(["Two dogs"])[0])
    assert one.write(["Two dogs"], 16 - n, temperature=0)
    with pytest.raises(WriterError, match=f"has {n} tokens and {17 - n} more .* 16 positions"):
        one.write(["Two dogs"], 17 - n)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--model", "nowhere", "--prompt", "Two"), ("nowhere: there is no such folder",)),
        (("--prompt", "Two"), ("--model", "--help")),
        (("--model", "x", "--temperature", "-1"), ("'-1' is not a number from 0 on",)),
        (("--model", "x", "--top-p", "1.5"), ("'1.5' is not a number above 0, and 1 at most",)),
        (("--model", "x", "--top-k", "0"), ("'0' is not a number from 1 on",)),
        (("--model", "x", "--seed", "one"), ("'one' is not a whole number from 0 on",)),
    ],
)
def test_a_wrong_option_is_one_sentence(arguments, words):
    one_sentence(run(*arguments), 2, *words)
