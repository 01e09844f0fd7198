"""The benchmarks of language models in a small form."""

import dataclasses

import pytest
import torch
from test_bench import LOAD, TINY, few, small
from test_bench import bench as bench
from typer.testing import CliRunner

from bench import memory_use
from bench.real_data import real
from bench.trainings import compare, positions
from course_lib.data.registry import DataError
from course_lib.recipes import language_profiles
from course_lib.study.profiles import profile as study_profile
from course_lib.training.language_losses import language_loss
from grader.cli.app import app


def test_compare(bench, monkeypatch, tmp_path):
    """On generated sentences in place of captions."""
    short = dataclasses.replace(
        language_profiles.profile("tiny"), model=TINY, length=16, max_tokens=64, vocab_size=200
    )
    pairs = few(LOAD("grammar_en_fr", sources=["generated"]), 200)
    small(monkeypatch, compare, LENGTHS=(8, 16), TOKENS=32, ORDERS=(1, 2), real=lambda name: pairs)
    monkeypatch.setattr(compare, "profile", lambda name: short)
    measures = bench("compare --models transformer,gru --seeds 0,1", "compare_cpu")
    mean = {name: measure["mean"] for name, measure in measures.items()}
    assert len(measures["gru_perplexity"]["values"]) == 2
    assert mean["gru_parameters"] == pytest.approx(mean["transformer_parameters"], rel=0.5)
    assert mean["ngram_order"] == 2
    for name in ("transformer", "gru"):
        assert mean[f"{name}_perplexity"] < mean["vocab_size"] / 2
        assert mean[f"{name}_kept_8"] < mean[f"{name}_kept_16"]
    lines = compare.figure(measures, ["transformer", "gru"]).axes[1].lines
    assert list(lines[0].get_ydata()) == [mean["transformer_kept_8"], mean["transformer_kept_16"]]
    assert (tmp_path / "compare_cpu.svg").is_file()
    done = CliRunner().invoke(app, ["bench", "compare", "--models", "transformer,rnn"])
    assert done.exception.exit_code == 2
    assert "--models transformer,rnn: choose some of transformer, lstm, gru" in str(done.exception)


def test_what_is_kept_for_the_backward_pass_is_counted_to_the_byte():
    """Of a matrix that is squared, only itself is kept, and parameters are nobody's."""

    class Squared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(256, 1024))

        def forward(self, ids):
            return self.weight[ids].square()

    ids = torch.arange(65)[None]
    found = memory_use.saved_bytes(Squared(), language_loss, (ids,))
    # 64 rows of 1,024 numbers, and as many log probabilities; ids and targets are small
    assert found == pytest.approx(2 * 64 * 1024 * 4, rel=0.02)


def test_what_a_program_made_up_is_not_real():
    with pytest.raises(DataError, match="grammar_en_fr is made up by a program: choose a profile"):
        real("grammar_en_fr")


def test_positions(bench, monkeypatch):
    """On generated sentences in place of captions."""
    short = dataclasses.replace(
        study_profile("language"), n_steps=4, evaluate_every=4, untimed_steps=1, max_tokens=128
    )
    pairs = few(LOAD("grammar_en_fr", sources=["generated"]), 200)
    monkeypatch.setattr(positions, "profile", lambda name: short)
    monkeypatch.setattr(positions, "real", lambda name: pairs)
    measures = bench("positions --seeds 0,1", "positions")
    more = {
        scheme: measures[f"{scheme}_parameters"]["mean"] - measures["none_parameters"]["mean"]
        for scheme in positions.POSITIONS["positions"]
    }
    assert more == {
        "sinusoidal": 0,
        "learned": 256 * 64,
        "relative": 32 * 4,
        "rotary": 0,
        "none": 0,
    }
    for scheme in set(more) - {"sinusoidal"}:
        low, factor, high = (measures[f"{scheme}_factor{e}"]["mean"] for e in ("_low", "", "_high"))
        assert low < factor < high
        assert measures[f"{scheme}_perplexity_longer"]["mean"] > 1
