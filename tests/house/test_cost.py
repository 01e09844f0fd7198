"""What trainings take: the computed model beside the real one, and the benches in a small form."""

import dataclasses
import json

import pytest
from typer.testing import CliRunner

from bench import hardware, memory, memory_use, real_data, step_profile
from bench.cost_model import Machine, Training, overhead
from bench.memory import CASES, Case, Sizes, batches, model
from bench.profile_work import WORDS, work
from book.documents import tables
from course_lib.config import TransformerConfig
from course_lib.data import datasets, registry
from grader.authoring import results_file
from grader.cli.app import app
from grader.library.components import BuildError

SMALL = Sizes(n_layers=2, d_model=16, n_heads=2, vocab_size=40, texts=8, length=16)
BY_HAND = Training(
    TransformerConfig(n_layers=2, d_model=4, n_heads=2, d_ff=8, dropout=0.1),
    vocab_size=10,
    encoder_tokens=100,
    decoder_tokens=50,
    predicted_tokens=50,
    steps=5,
    cross_attention=True,
    batch_tokens=3,
)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Runs a command; what it wrote, which no results of the course are."""
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)
    monkeypatch.setattr(memory_use, "in_a_fresh_process", lambda function, *a: function(*a))

    def run(*arguments):
        done = CliRunner().invoke(app, ["bench", *arguments])
        assert done.exit_code == 0, (done.output, done.exception)
        path = tmp_path / f"bench_{arguments[0]}.json"
        return json.loads(path.read_text(encoding="utf-8")), done.stdout

    return run


# The computed model.


def test_operations_parameters_and_time_by_hand():
    encoder, decoder = 2 * (4 * 16 + 2 * 32), 2 * (8 * 16 + 2 * 32)
    assert BY_HAND.parameters == encoder + decoder + 40
    operations = 6 * (encoder * 100 + (decoder + 40) * 50)
    assert BY_HAND.operations == operations
    fewer = dataclasses.replace(BY_HAND, predicted_tokens=15)
    assert fewer.operations == operations - 6 * 40 * 35
    assert BY_HAND.seconds(Machine(1000, utilisation=0.5)) == operations / 500
    slow = Machine(1000, utilisation=0.5, overhead=2.0)
    assert BY_HAND.seconds(slow) == operations / 500 + 5 * 4 * 2
    measured = BY_HAND.seconds(Machine(1000, overhead=3.0))
    assert overhead(BY_HAND, measured, peak=1000) == pytest.approx(3.0)
    assert overhead(BY_HAND, 0.0, peak=1000) == 0.0


def test_the_numbers_a_layer_keeps_by_hand():
    """14 d + 3 h n for a layer of the encoder with d_ff = 4 d, as part 7 says."""
    wide = TransformerConfig(n_layers=1, d_model=8, n_heads=2, d_ff=32, dropout=0.1)
    encoder = dataclasses.replace(BY_HAND, config=wide, decoder_tokens=0, predicted_tokens=30)
    kept = encoder.bytes(words=5, logits=False) - 20 * encoder.parameters
    assert kept == 4 * 3 * (14 * 8 + 3 * 2 * 5)
    logits = encoder.bytes(words=5, logits=True) - encoder.bytes(words=5, logits=False)
    assert logits == pytest.approx(0.3 * 4 * 3 * 2 * 10)


@pytest.mark.parametrize(
    ("kind", "profile"),
    [("classifier", "colab"), ("translator", "tiny"), ("language", "tiny"), ("masked", "cpu")],
)
def test_parameters_and_what_is_kept_are_those_of_the_real_model(kind, profile):
    done = work(kind, profile)
    settings, rows = done.settings, len(done.batch[0])
    words = WORDS.get(kind, getattr(settings, "length", 0))
    reads, writes = kind != "language", kind in ("translator", "language")
    share = {"classifier": 0.0, "masked": 0.3}.get(kind, 1.0)
    computed = Training(
        settings.model,
        settings.vocab_size,
        float(reads),
        float(writes),
        share,
        1,
        cross_attention=kind == "translator",
        batch_tokens=rows * words,
    )
    real = sum(parameter.numel() for parameter in done.model.parameters())
    assert computed.parameters == pytest.approx(real, rel=0.05)
    kept = memory_use.saved_bytes(done.model, done.loss, done.batch)
    activations = computed.bytes(words, kind != "translator") - 20 * computed.parameters
    assert activations == pytest.approx(kept, rel=0.3)


# The benches.


def test_all_cases_read_the_same_texts():
    wanted = None
    for case in CASES.values():
        found = batches(case, SMALL, steps=1)
        assert len(found) == case.accumulate
        labels = sorted(x for batch in found for x in batch[1][batch[2] > 0].tolist())
        wanted = wanted or labels
        assert labels == wanted
    padded, packed = (batches(CASES[name], SMALL, 1)[0][0].numel() for name in ("plain", "packed"))
    assert packed < 0.6 * padded


def test_what_autograd_keeps_shrinks_with_every_switch():
    def kept(case):
        (batch, *_) = batches(case, SMALL, 1)
        return memory.saved_bytes(model(SMALL), batch, case)

    plain = kept(Case())
    assert kept(Case(accumulate=4)) == pytest.approx(plain / 4, rel=0.2)
    for case in (Case(recompute=True), Case(packed=True)):
        assert kept(case) < 0.7 * plain


@pytest.mark.parametrize("name", ["memory", "hardware"])
def test_a_machine_that_does_not_count_memory_is_told_so(name, monkeypatch, tmp_path):
    monkeypatch.setattr(memory_use, "RESET", tmp_path / "clear_refs")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    done = CliRunner().invoke(app, ["bench", name])
    assert "clear_refs or on a GPU: run this on Linux" in str(done.exception)


def test_the_memory_bench_measures_every_case(bench, monkeypatch):
    monkeypatch.setattr(memory, "sizes", lambda: SMALL)
    cases = {name: CASES[name] for name in ("plain", "recompute_bf16", "all")}
    monkeypatch.setattr(memory, "CASES", cases)
    for name, value in {"ROUNDS": 1, "PROCESSES": 1}.items():
        monkeypatch.setattr(memory, name, value)
    content, _ = bench("memory")
    for name in cases:
        for key in ("step_seconds", "time_ratio", "kept_mb"):
            assert content["measures"][f"{name}_{key}"]["mean"] > 0
        assert f"{name}_peak_mb" in content["measures"]
    assert content["measures"]["plain_time_ratio"]["values"] == [1.0]
    monkeypatch.setattr(memory, "CASES", CASES)
    with pytest.raises(RuntimeError, match=r"packed has the loss 2\.1, plain 2\.0"):
        memory._check({"plain": 2.0, "packed": 2.1})
    memory._check({"plain": 2.0, "packed": 2.0001, "bf16": 2.01})


def test_the_profile_bench_writes_a_trace_that_a_viewer_reads(bench, monkeypatch, tmp_path):
    for name, value in {"REPETITIONS": 1, "STEPS": 1, "TRACES": tmp_path}.items():
        monkeypatch.setattr(step_profile, name, value)
    content, printed = bench("profile", "--model", "translator", "--profile", "tiny")
    path = tmp_path / "translator_tiny" / "step.pt.trace.json"
    assert "aten::" in printed
    assert str(path) in printed
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    names = {event.get("name") for event in events if "dur" in event}
    assert {
        *step_profile.PHASES,
        "encoder.layers.0 EncoderLayer",
        "aten::native_layer_norm",
    } <= names
    measures = content["measures"]
    assert sum(measures[f"{phase}_percent"]["mean"] for phase in step_profile.PHASES) == (
        pytest.approx(100)
    )
    shares = [m["mean"] for name, m in measures.items() if name.endswith(".self_percent")]
    assert len(shares) == step_profile.SHOWN
    assert sum(shares) < 100
    for given, said in (("x", "there is no model 'x'"), ("language", "no profile 'big' of a lang")):
        done = CliRunner().invoke(app, ["bench", "profile", "--model", given, "--profile", "big"])
        assert said in str(done.exception)


def test_the_hardware_bench_says_of_each_cell_what_it_is(bench, monkeypatch):
    monkeypatch.setattr(hardware, "_counted", lambda *_: (10_000, 10_000, 10_000, 10))
    monkeypatch.setattr(hardware, "LARGEST", 400_000)
    monkeypatch.setattr(hardware.real_data, "itself", lambda name: name)
    content, _ = bench("hardware")
    cells, measures = content["cells"], content["measures"]
    assert cells.keys() == measures.keys()
    assert cells["translator cpu.cpu_minutes"] == "measured: multi30k_cpu"
    assert measures["translator cpu.cpu_minutes"]["mean"] == pytest.approx(
        hardware.measured_minutes("translator cpu")
    )
    assert cells["translator cpu.t4_minutes"] == "computed"
    assert cells["language cpu.cpu_minutes"] == "measured: compare_cpu"
    assert cells["masked cpu.cpu_minutes"] == "measured: pretraining"
    assert cells["masked tiny.cpu_minutes"] == "computed"
    assert cells["language gpu.cpu_gigabytes"] == "computed"
    assert cells["classifier tiny.cpu_gigabytes"] == "measured: bench_hardware"
    assert cells["translator big.cpu_gigabytes"] == "computed"
    assert (
        measures["translator big.h100_minutes"]["mean"]
        < measures["translator big.t4_minutes"]["mean"]
        < measures["translator big.cpu_minutes"]["mean"]
    )


def test_a_benchmark_counts_the_data_that_a_profile_names_and_no_other(monkeypatch):
    def offline(*_):
        raise registry.Unavailable("no network")

    monkeypatch.delenv("COURSE_DATA", raising=False)
    monkeypatch.setattr(datasets.data_sources, "from_hub", offline)
    with pytest.raises(registry.DataError, match="sst2 is not available .*no network"):
        real_data.itself("sst2")
    assert datasets.load("sst2").name != "sst2", "what stands in for it is there"
    assert real_data.itself("grammar_en_fr").source == "generated"


# The tables of documents.


def test_tables_are_written_from_results(tmp_path):
    measures = {
        "x.cpu_minutes": 0.5,
        "x.t4_minutes": 90,
        "x.h100_minutes": 600,
        "x.cpu_gigabytes": 0.25,
        "x.gpu_gigabytes": 3.04,
    }
    content = {
        "command": "course bench hardware",
        "device": "a machine",
        "measures": {name: {"values": [value]} for name, value in measures.items()},
        "cells": dict.fromkeys(measures, "computed") | {"x.cpu_minutes": "measured: y"},
    }
    path = tmp_path / "bench_hardware.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    text = "before\n\n<!-- table: bench_hardware -->\nold\n<!-- /table -->\nafter"
    found = tables.filled(text, tmp_path)
    row = "| x | 30.0 s | ≈90.0 min | ≈10.0 h | ≈250 MB | ≈3.0 GB |\n"
    assert row in found.replace("\N{NO-BREAK SPACE}", " ")
    assert "(`course bench hardware`, a machine)" in found
    assert "old" not in found
    assert tables.filled(found, tmp_path) == found
    with pytest.raises(BuildError, match=r"results/bench_memory\.json is missing"):
        tables.filled(text.replace("bench_hardware", "bench_memory"), tmp_path)
    with pytest.raises(BuildError, match="there is no table 'nothing'"):
        tables.filled(text.replace("bench_hardware", "nothing"), tmp_path)
