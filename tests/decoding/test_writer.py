"""A language model that is saved, and `student generate`, which goes on writing with it."""

import json
import subprocess
import sys

import pytest
import torch
from checkout import ROOT

from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.writer import Writer, WriterError
from course_lib.families.language_model import LanguageModel
from course_lib.families.position_variants import with_positions

SIZES = {"n_layers": 2, "d_model": 16, "n_heads": 2, "d_ff": 32, "dropout": 0.0}
TEXTS = ["Two dogs play in the snow.", "A man reads a book.", "Two men play.", "A dog reads."]


def writer(positions="rotary"):
    tokenizer = TextTokenizer.train(
        TEXTS, kind="bpe", vocab_size=60, min_frequency=1, lowercase=False, reversible=True
    )
    torch.manual_seed(0)
    model = LanguageModel(tokenizer.vocab_size, **SIZES, positions=positions, max_length=16)
    with torch.no_grad():  # sure of something, so that draws differ from the likeliest
        model.tokens.weight *= 30
    return Writer(model, tokenizer)


def run(*arguments):
    command = [sys.executable, "-m", "grader.student", "generate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


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
    with pytest.raises(ValueError, match="with RelativeCachedAttention cannot be saved"):
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
def test_a_wrong_option_is_one_sentence(arguments, words, capsys):
    from grader.student.program import main

    with pytest.raises(SystemExit) as ended:
        main(["generate", *arguments])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert all(word in said for word in words)
