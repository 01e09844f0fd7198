"""Every `course bench` command in a small form, and every command that a results file names."""

import dataclasses
import json
import shlex
from functools import partial

import browser
import pytest
import small_translation
import torch
from checkout import ROOT
from no_shape_checks import no_shape_checks
from typer.testing import CliRunner

from bench import memory_use
from bench.grader import report
from bench.real_data import real
from bench.speeds import decode, encoder, study, training
from bench.trainings import (
    answering,
    compare,
    grammar,
    induction,
    positions,
    pretraining,
    published,
    sentiment,
    serving,
    small_data,
)
from book.documents import figures, tables
from course_lib.config import TransformerConfig
from course_lib.data import datasets
from course_lib.data.grammar import sentence_pairs
from course_lib.data.registry import DataError
from course_lib.data.tokenization import TextTokenizer
from course_lib.decoding.translator import Translator
from course_lib.recipes import classifier_profiles, language_profiles, masked_language_profiles
from course_lib.recipes.answering import sums
from course_lib.recipes.answering.stages import STAGES, AnsweringProfile
from course_lib.training.language_losses import language_loss
from course_lib.training.losses import label_smoothed_loss
from course_lib.transformer import Transformer
from course_study.profiles import profile as study_profile
from grader.authoring import results_file
from grader.cli.app import app

COMMANDS = {
    path.name: json.loads(path.read_text(encoding="utf-8")).get("command", "")
    for path in sorted((ROOT / "results").glob("*.json"))
}
LOAD = datasets.load
TINY = TransformerConfig(n_layers=1, d_model=16, n_heads=2, d_ff=32)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Runs a command; the measures that it wrote, which no results of the course are."""
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)

    def run(arguments, written):
        done = CliRunner().invoke(app, ["bench", *shlex.split(arguments)])
        assert done.exit_code == 0, (done.output, done.exception)
        content = json.loads((tmp_path / f"{written}.json").read_text(encoding="utf-8"))
        assert is_known(content["command"])
        return content["measures"]

    return run


def small(monkeypatch, module, **constants):
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)


def few(data, rows=40):
    """The first rows of each split."""
    splits = {name: split.select(range(rows)) for name, split in data.splits.items()}
    return dataclasses.replace(data, splits=splits)


def is_known(command):
    """Whether one of today's programs has these options: then it would print its help."""
    program, *arguments = shlex.split(command) or [""]
    return program == "course" and not CliRunner().invoke(app, [*arguments, "--help"]).exit_code


@pytest.mark.parametrize("name", COMMANDS)
def test_a_results_file_names_a_command_of_today(name):
    assert is_known(COMMANDS[name]), COMMANDS[name]


@pytest.mark.parametrize(
    "command",
    [
        "course bench grading --students 3",
        "course bench speed",
        "course bench encoder --seeds 1",
        "python tests/soak.py",
    ],
)
def test_a_command_or_an_option_of_yesterday_is_not_known(command):
    assert not is_known(command)


def test_debug(bench):
    measures = bench("debug --only mean_over_padding,plant_no_backward --jobs 1", "debug")
    assert measures["named"]["mean"] == 100
    assert measures["accused_falsely"]["mean"] == 0
    assert measures["shown_by_a_model"]["mean"] == 2


@pytest.mark.slow
def test_grading(bench):
    measures = bench("grading --submissions 1 --assignments a1", "bench_grading")
    for ours, theirs, ratio in (
        ("seconds", "nbgrader_seconds", "speedup_one_at_a_time"),
        ("class_seconds", "nbgrader_class_seconds", "speedup_over_nbgrader"),
    ):
        sides = [measures[f"a1_{kind}"]["mean"] for kind in (theirs, ours)]
        assert measures[ratio]["mean"] == pytest.approx(sides[0] / sides[1], rel=1e-4)


@pytest.mark.slow
def test_large_class(bench):
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    measures = bench("class --submissions 4 --sample 3 --assignment a1 --workers 2", "bench_class")
    assert measures["workers_2_per_second"]["mean"] > 0
    assert measures["class_per_second"]["mean"] > 0
    assert measures["class_peak_mib"]["mean"] >= measures["sample_peak_mib"]["mean"] > 0


@pytest.mark.xdist_group("accessibility")  # its browser is started once
def test_report(bench, monkeypatch, tmp_path):
    pytest.importorskip("playwright", reason=browser.EXTRA)
    if browser.BINARY is None:
        pytest.skip("no browser is installed")
    small(monkeypatch, report, TIMES=2)
    measures = bench("report --students 2", "bench_report")
    pages = [name.removesuffix("_kilobytes") for name in measures if name.endswith("_kilobytes")]
    assert {"report", "a1", "a5", "exam", "student", "dashboard"} < {*pages}
    for page in pages:
        assert len(measures[f"{page}_load_ms"]["values"]) == 2
        assert measures[f"{page}_kilobytes"]["mean"] > 10
    quoted = figures.filled("<!-- figures: bench_report --><!-- /figures -->", tmp_path)
    assert "of a generated class of 2, with 6 assignments, has" in quoted


@pytest.mark.slow
def test_trained_class(bench):
    measures = bench("trained-class --submissions 2 --jobs 1", "bench_trained_class")
    assert 0 < measures["cpu_seconds_per_submission"]["mean"] < 60


def test_encoder(bench, monkeypatch):
    pre_norm = dataclasses.replace(TINY, norm_first=True)
    small(monkeypatch, encoder, CONFIG=pre_norm, TOKENS=64, LENGTHS=(8,), ROUNDS={1: 2})
    assert "layers_1_median_speedup_same_work" in bench("encoder", "bench_encoder")


def test_train(bench, monkeypatch):
    small(monkeypatch, training, CONFIG=TINY, TOKENS=64, LENGTHS=(8,), ROUNDS=2)
    small(monkeypatch, training, VOCABULARY=90)
    measures = bench("train", "bench_train")
    assert len(measures["speedup_over_nn_transformer"]["values"]) == 2
    assert {"tokens_per_second", "median_speedup_over_nn_transformer"} < {*measures}
    monkeypatch.setattr(training, "_copy_from_torch", lambda ours, theirs: None)
    with pytest.raises(RuntimeError, match="nothing to compare"):
        training.run(print)


@pytest.mark.slow
def test_study(bench, monkeypatch, tmp_path):
    small(monkeypatch, study, STEPS=6, TRIALS=2, ROUNDS=1)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    measures = bench("study", "bench_study")
    torch.set_deterministic_debug_mode("default")
    units = {name: measure["unit"] for name, measure in measures.items()}
    assert units["overhead_percent"] == "percent"
    assert units["workers_2_speedup"] == units["speed_over_plain_optuna"] == "ratio"
    assert units["trials_per_hour"] == units["plain_optuna_trials_per_hour"] == "1/hour"
    assert all(value > 0 for measure in measures.values() for value in measure["values"])


def test_sst2(bench, monkeypatch):
    """On made-up sentences in place of SST-2, which not every machine has."""
    short = dataclasses.replace(classifier_profiles.profile("tiny"), epochs=1)
    monkeypatch.setattr(sentiment, "profile", lambda name: short)
    sentences = few(LOAD("generated_sentences", sources=["generated"]))
    monkeypatch.setattr(sentiment.datasets, "load", lambda name, sources: sentences)
    measures = bench("sst2 --profile tiny --seeds 1,2 --name small", "small")
    assert len(measures["test_accuracy"]["values"]) == 2


def test_pretraining(bench, monkeypatch, tmp_path):
    """On made-up sentences in place of SST-2."""
    short = dataclasses.replace(masked_language_profiles.profile("tiny"), epochs=1, steps=2)
    sentences = few(LOAD("generated_sentences", sources=["generated"]))
    small(monkeypatch, pretraining, FOLDER=tmp_path / "kept", RATES=(1e-3, 2e-3), RATE_LABELS=10)
    monkeypatch.setattr(pretraining, "profile", lambda name: short)
    monkeypatch.setattr(pretraining.datasets, "load", lambda name, **_: sentences)
    measures = bench("pretraining --labels 4,20 --seeds 0,1", "pretraining")
    for arm in pretraining.ARMS:
        assert len(measures[f"{arm}_20_labels_accuracy"]["values"]) == 2
    low, gain, high = (measures[f"gain_4_labels{end}"]["mean"] for end in ("_low", "", "_high"))
    assert low <= gain <= high
    figure = pretraining.curve(measures, [4, 20])
    lines = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].lines}
    means = [measures[f"pretrained_{n}_labels_accuracy"]["mean"] for n in (4, 20)]
    assert lines["pre-trained on texts"] == means
    assert (tmp_path / "pretraining.svg").is_file()


def test_published(bench, monkeypatch):
    """On made-up sentences and random weights, in place of SST-2 and MiniLM."""
    sentences = few(LOAD("generated_sentences", sources=["generated"]))
    short = dataclasses.replace(masked_language_profiles.PUBLISHED, steps=2)
    monkeypatch.setattr(published.datasets, "load", lambda name, **_: sentences)
    small(monkeypatch, published, TRAINED=["generated"], FINE_MOST=10, PUBLISHED=short)
    monkeypatch.setattr(published, "ADAPTED", {"fine_tuned": (short, None), "low_rank": (short, 2)})
    measures = bench("published --labels 4,10,20 --seeds 0,1", "published")
    reached = [name for name in measures if name.endswith("_labels_accuracy")]
    arms = ["frozen_4", "frozen_10", "frozen_20", "fine_tuned_4", "fine_tuned_10", "low_rank_10"]
    assert reached == [f"{arm}_labels_accuracy" for arm in arms]
    assert all(len(measures[name]["values"]) == 2 for name in reached)
    thin, head = 2 * 2 * 2 * (32 + 32), 2 * 32 + 2  # layers, matrices, rank, sides
    assert measures["low_rank_weights_that_learn"]["mean"] == thin + head
    _, *rows = tables._published({"measures": measures})
    assert [row[0] for row in rows] == ["4", "10", "20"]
    assert rows[2][2:] == ["–", "–"]


@pytest.mark.long
def test_answering(bench, monkeypatch):
    """A model of one layer, too short a training, and all measures of every stage."""
    short = AnsweringProfile(
        d_model=32,
        n_layers=1,
        text=(8, 48),
        demonstrations=64,
        steps=(2, 90, 2, 2),
        rates=(1e-2,) * 4,
    )
    small(monkeypatch, answering, PROFILE=short, TIMES=4)
    small(monkeypatch, sums, HELD_OUT=6)
    measures = bench("answering --seeds 0", "answering")
    reached = {name: measure["mean"] for name, measure in measures.items()}
    for stage in STAGES:
        one, several = (reached[f"{stage}_pass_at_{k}_percent"] for k in (1, 4))
        assert one == pytest.approx(reached[f"{stage}_right_percent"])
        assert one <= several <= 100
    assert reached["pretrain_an_answer_percent"] < reached["instruct_an_answer_percent"]
    _, *rows = tables._answering({"measures": measures})
    assert [row[0] for row in rows] == ["text", "instructions", "preferences", "rewards"]


@pytest.mark.long
def test_serving(bench, monkeypatch):
    """On generated sentences in place of captions."""
    short = dataclasses.replace(
        language_profiles.profile("tiny"), length=16, max_tokens=64, vocab_size=200
    )
    pairs = few(LOAD("grammar_en_fr", sources=["generated"]), 100)
    small(monkeypatch, serving, real=lambda name: pairs, TEXTS=6, NEW=8, EPOCHS=1, BATCHES=(1, 4))
    monkeypatch.setattr(serving, "profile", lambda name: short)
    with no_shape_checks():  # divided positions are no whole numbers
        measures = bench("serving --seeds 0", "serving")
    mean = {name: measure["mean"] for name, measure in measures.items()}
    assert mean["bits_8_perplexity"] == pytest.approx(mean["bits_32_perplexity"], rel=0.02)
    assert mean["bits_2_perplexity"] != mean["bits_4_perplexity"]
    assert mean["bits_4_bytes"] < mean["bits_8_bytes"] < mean["bits_32_bytes"] / 3
    assert mean["stretched_perplexity"] != mean["longer_perplexity"]
    assert mean["ahead_4_tokens_a_call"] >= 1
    assert mean["paged_unused_percent"] < mean["reserved_unused_percent"]
    _, *rows = tables._serving({"measures": measures})
    assert [row[0] for row in rows] == ["32", "8", "4", "3", "2"]


def test_choices_for_small_data_train_on_equally_many_operations(bench, monkeypatch):
    def profile(name):
        return dataclasses.replace(small_translation.SMALL, max_tokens=64)

    pairs = few(small_translation.pairs())
    choices = {name: small_data.CHOICES[name] for name in ("post-norm", "R-Drop", "BPE dropout")}
    choices["wide"] = small_data.Choice(model={"d_model": 64, "d_ff": 128})
    small(monkeypatch, small_data, profile=profile, real=lambda name: pairs, CHOICES=choices)
    measures = bench("small_data --seeds 0", "small_data")
    passes = {name: measures[f"{name}.passes"]["mean"] for name in choices}
    assert passes["post-norm"] == passes["BPE dropout"] == 2 * passes["R-Drop"] == small_data.EPOCHS
    assert passes["wide"] < passes["post-norm"] / 2
    assert all(f"{name}.beam5_bleu" in measures for name in choices)
    keys = ("passes", "greedy_bleu", "beam5_bleu")
    monkeypatch.setattr(small_data, "trained", lambda *asked: dict.fromkeys(keys, asked[2]))
    more = bench("small_data --seeds 0,7 --resume", "small_data")
    assert more["wide.passes"]["values"] == [passes["wide"], 7]
    assert bench("small_data --seeds 7,8 --resume", "small_data")["wide.passes"]["values"] == [7, 8]


def test_r_drop_is_the_loss_where_both_passes_agree_and_more_where_they_do_not():
    ids = torch.randint(4, 20, (3, 6))
    for dropout in (0.0, 0.5):
        model = Transformer(20, **dataclasses.replace(TINY, dropout=dropout).arguments).train()
        torch.manual_seed(1)
        found, _ = small_data.r_drop(model, ids, ids)
        torch.manual_seed(1)
        logits, _ = model(ids.repeat(2, 1), ids.repeat(2, 1)[:, :-1])
        smoothed = label_smoothed_loss(logits, ids.repeat(2, 1)[:, 1:])
        apart = [half.log_softmax(-1) for half in logits.chunk(2)]
        divergence = sum(
            (a.exp() * (a - b)).sum(-1).mean() for a, b in (apart, list(reversed(apart)))
        )
        torch.testing.assert_close(found, smoothed + small_data.CONSISTENCY / 4 * divergence)
        assert (divergence > 0.001) == (dropout > 0)


def test_grammar(bench, monkeypatch):
    short = dataclasses.replace(small_translation.SMALL, epochs=1, dataset="grammar_en_fr")
    monkeypatch.setattr(grammar, "profile", lambda name: short)
    sentences = few(LOAD("grammar_en_fr", sources=["generated"]))
    monkeypatch.setattr(grammar.datasets, "load", lambda name, sources: sentences)
    aligned = sentence_pairs.pairs("test")[:20]
    monkeypatch.setattr(grammar, "pairs", lambda split: aligned)
    monkeypatch.setattr(grammar, "NAME", "small")
    assert set(bench("grammar --seeds 0", "small")) >= {"exact_match_percent", "bleu"}


def test_decode(bench, monkeypatch, tmp_path):
    """A model of random weights, without the peer that the set-up does not install."""
    pairs = few(small_translation.pairs())
    texts = [text for column in ("en", "fr") for text in pairs["train"][:][column]]
    tokenizer = TextTokenizer.train(texts, kind="bpe", vocab_size=120)
    torch.manual_seed(0)
    form = small_translation.SMALL.model
    untrained = Transformer(tokenizer.vocab_size, **form.arguments)
    translator = Translator(untrained, tokenizer)
    translator.save(tmp_path / "model")
    monkeypatch.setattr(decode.datasets, "load", lambda name, sources: pairs)
    monkeypatch.setattr(decode, "BEAM", decode.BEAM | {"max_tokens": 12})
    command = f"decode --model {tmp_path / 'model'} --sentences 10 --no-ctranslate2"
    assert "median_speedup_over_uncached" in bench(command, "bench_decode")


# Language models.


@pytest.mark.long
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


@pytest.mark.long
def test_induction(bench, monkeypatch):
    ids, period = induction.texts(8, (5, 9), torch.Generator().manual_seed(0))
    for text, back in zip(ids.tolist(), period.tolist(), strict=True):
        assert len(set(text[:back])) == back
        assert text[back:] == text[:-back]
    place = torch.tensor([[0, 0, 1, 2]])
    weights = torch.zeros(1, 2, 4, 4).scatter(3, place.expand(2, -1)[None, :, :, None], 0.5)
    weights[:, 1] = 0
    assert induction._mean_at(weights, place, torch.ones(1, 4) > 0).tolist() == [0.5, 0]
    monkeypatch.setattr(induction, "trained", partial(induction.trained, steps=4))
    measures = bench("induction --seeds 0,1", "induction")
    assert measures["heads"]["values"] == [0, 0]
    assert measures["loss_again"]["values"] == measures["loss_without_the_heads"]["values"]
    assert min(measures["loss_again"]["values"]) > 3


@pytest.mark.long
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
