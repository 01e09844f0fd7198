"""`course replicate`: small trainings of rows, interrupted and resumed, on pairs and on shards."""

import dataclasses
import json
import shlex

import in_process
import pytest
import small_translation
import torch
from checkout import ROOT
from small_training import Fixed

from bench.trainings import replication as bench_replication
from book.documents import table3_figures
from course_lib.data import datasets
from course_lib.data.corpus.corpus_preparation import TOKENIZER
from course_lib.data.corpus.sharded_pairs import ShardedPairs
from course_lib.data.corpus.token_shards import Manifest, Prepared, write_shard
from course_lib.data.pair_batching import PairBuckets
from course_lib.data.registry import read
from course_lib.decoding.translator import Translator
from course_lib.evaluation.perplexity import perplexity
from course_lib.recipes import replication, replication_data
from course_lib.recipes.table3 import ROWS
from course_lib.training.fit import DivergedError
from course_lib.transformer_variants import VariantConfig
from grader.authoring import results_file
from grader.library.components import BuildError

pytestmark = pytest.mark.usefixtures("without_shape_checks")

HOW = "--scale 16 --steps 6 --name tried"


@pytest.fixture
def replicate(tmp_path, monkeypatch):
    """Runs the command on a small language, with one layer; gives the results file."""
    for name in ("base", "B1", "E"):
        row = ROWS[name]
        flat = dataclasses.replace(row, model=dataclasses.replace(row.model, n_layers=1))
        monkeypatch.setitem(ROWS, name, flat)
    monkeypatch.setattr(results_file, "folder", lambda: tmp_path)
    pairs = small_translation.pairs()
    rows = {name: 50 if name == "train" else 6 for name in pairs.splits}
    splits = {name: split.select(range(rows[name])) for name, split in pairs.splits.items()}
    few = dataclasses.replace(pairs, splits=splits)
    monkeypatch.setattr(datasets, "load", lambda name, registry=None: few)
    monkeypatch.setattr(bench_replication, "LONGER", 2)

    def run(arguments, code=0):
        command = f"replicate {arguments} --folder {tmp_path / 'work'}"
        done = in_process.course(*shlex.split(command))
        if code:
            return done
        assert done.exit_code == 0, (done.output, done.exception)
        return json.loads((tmp_path / "tried.json").read_text(encoding="utf-8"))

    return run


def test_rows_are_trained_measured_and_recorded(replicate, tmp_path):
    content = replicate(f"--row B1,E --data small {HOW} --test")
    measures = content["measures"]
    assert set(measures) == {
        f"{row}_{what}"
        for row in ("B1", "E")
        for what in ("parameters", "perplexity", "bleu", "test_bleu")
    }
    (work,) = (tmp_path / "work").glob("*_16_6_1")
    for row in ("B1", "E"):
        model = Translator.load(work / f"{row}_0" / "translator").model
        assert VariantConfig.of(model) == replication.Plan.of(ROWS[row], 16).model
        counted = sum(parameter.numel() for parameter in model.parameters())
        assert measures[f"{row}_parameters"]["values"] == [counted]
    plan = content["plans"]["B1"]
    assert (plan["steps"], plan["batch_tokens"], plan["averaged"]) == (6, 1562, 5)
    assert "d_k 1" in plan["model"]
    words = content["command"].split()
    assert words[:4] == ["course", "replicate", "--row", "B1,E"]
    before = (tmp_path / "tried.json").read_text(encoding="utf-8")
    replicate(f"--row B1,E --data small {HOW} --test")  # nothing is trained again
    assert (tmp_path / "tried.json").read_text(encoding="utf-8") == before


def test_an_interrupted_run_ends_as_one_that_was_not(replicate, tmp_path, monkeypatch):
    whole = replicate(f"--row base --data small {HOW} --accumulate 2")["measures"]
    weights = replication.EpochWeights

    class Interrupted(weights):
        def __call__(self, model, step):
            super().__call__(model, step)
            if step == 4:
                raise KeyboardInterrupt

    (tmp_path / "work").rename(tmp_path / "other")
    monkeypatch.setattr(replication, "EpochWeights", Interrupted)
    arguments = f"--row base --data small {HOW} --accumulate 2"
    assert replicate(arguments, code=130).exit_code
    monkeypatch.setattr(replication, "EpochWeights", weights)
    done = in_process.course(*shlex.split(f"replicate {arguments} --folder {tmp_path / 'work'}"))
    assert "resuming after step 3" in done.output
    again = json.loads((tmp_path / "tried.json").read_text(encoding="utf-8"))["measures"]
    assert again == whole
    states = [
        torch.load(path, weights_only=True)
        for path in sorted((tmp_path / "work").glob("*_16_6_1/base_0/epochs/*.pt"))
    ]
    assert len(states) == 5
    model = Translator.load(next((tmp_path / "work").glob("*/base_0/translator"))).model
    name = "encoder.layers.0.attention.w_q.weight"
    mean = torch.stack([state[name] for state in states]).mean(0)
    torch.testing.assert_close(dict(model.named_parameters())[name].detach(), mean)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--row F", "Table 3 has no row 'F': choose one of base, A1"),
        ("--row B1 --scale 5", "d_model = 512 cannot be divided by 5"),
        ("--row big --steps 3", "at least 20 steps"),
        ("--row base --seeds x", "--seeds x: give numbers from 0 on"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(replicate, arguments, told):
    done = replicate(arguments, code=2)
    assert done.exit_code
    assert told in str(done.exception)


def test_a_training_that_diverges_is_said_in_one_sentence(replicate, monkeypatch):
    def diverge(*_, **__):
        raise DivergedError("step 3: loss nan")

    monkeypatch.setattr(bench_replication, "train_row", diverge)
    done = replicate(f"--row base --data small {HOW}", code=2)
    assert type(done.exception).__name__ == "UsageProblem"
    assert "step 3: loss nan" in str(done.exception)


def test_labels_are_no_pairs(tmp_path):
    with pytest.raises(replication_data.DataError, match="has labels and no translations"):
        replication_data.load("generated_sentences", 100, tmp_path, print)


def test_a_corpus_serves_its_shards_and_its_splits(tmp_path, monkeypatch):
    corpus = read().corpus("wmt14_en_de")
    pairs = [(f"line {i}", f"zeile {i}") for i in range(40)]
    monkeypatch.setattr(replication_data.sources, "from_hub", lambda split, wanted: pairs)
    asked = []

    def prepared(corpus, folder, how, log):
        asked.append((corpus.name, how.vocab_size))
        folder.mkdir(parents=True)
        tokenizer = replication_data.TextTokenizer.train(
            [text for pair in pairs for text in pair], "bpe", 60, 1, False, True
        )
        tokenizer.save(folder / TOKENIZER)
        sides = [tokenizer.encode(side) for side in zip(*pairs, strict=True)]
        shard = write_shard(folder / "00000-0000.safetensors", *sides)
        manifest = Manifest({}, "", [Prepared("train", "0" * 64, 0, [shard])])
        manifest.write(folder)
        return manifest

    monkeypatch.setattr(replication_data, "prepare", prepared)
    data = replication_data.load(corpus.name, 37_000, tmp_path, print)
    assert asked == [("wmt14_en_de", 37_000)]
    assert data.splits["test"] == ([a for a, _ in pairs], [b for _, b in pairs])
    batches = data.batches(50, 0)
    assert isinstance(batches, ShardedPairs)
    assert sum(len(source) for source, _ in batches) == 40


def test_the_page_is_what_the_library_computes_and_every_claim_has_its_command():
    page = (ROOT / "results" / "table3.md").read_text(encoding="utf-8")
    assert table3_figures.filled(page) == page
    stale = page.replace("63.1", "65.0")
    assert stale != page == table3_figures.filled(stale)
    with pytest.raises(BuildError, match="nothing computes 'costs': add it to COMPUTED"):
        table3_figures.filled("<!-- computed: costs --><!-- /computed -->")
    commands = [line for line in page.splitlines() if line.startswith("course replicate --")]
    assert len(commands) == 4
    for command in commands:
        assert in_process.printed(*shlex.split(command)[1:], "--help")


def test_an_accumulated_row_trains_on_the_loss_of_the_whole_batch(tmp_path):
    row = dataclasses.replace(ROWS["base"], averaged=1)
    model = dataclasses.replace(row.model, n_layers=1, dropout=0.0)
    parts = [(torch.randint(5, 30, (n, 6)), torch.randint(5, 30, (n, 7))) for n in (1, 7)]
    parts[1][1][2:, 3:] = 0  # sentences of 7 tokens and of 3
    whole = tuple(torch.cat(side) for side in zip(*parts, strict=True))
    losses = []
    for accumulate, batches in ((2, parts), (1, [whole])):
        plan = replication.Plan.of(
            dataclasses.replace(row, model=model), 16, steps=3, accumulate=accumulate
        )
        folder = tmp_path / str(accumulate)
        replication.train_row(plan, Fixed(batches), 30, 0, folder)
        (place,) = folder.glob("checkpoint-*")
        history = json.loads((place / "progress.json").read_text(encoding="utf-8"))["history"]
        losses.append([row["loss"] for row in history])
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_a_scaled_row_learns_the_small_language(tmp_path, replicate):
    """Rows (B) and (E) at once: heads of one feature, learned positions."""
    row = ROWS["B1"]
    model = dataclasses.replace(row.model, learned_positions=64)
    plan = replication.Plan.of(dataclasses.replace(row, model=model), 16, steps=72, warmup=20)
    pairs = small_translation.pairs()["train"][:]
    tokenizer = replication_data.TextTokenizer.train(
        [*pairs["en"], *pairs["fr"]], "bpe", 120, 1, False, True
    )
    batches = PairBuckets(tokenizer.encode(pairs["en"]), tokenizer.encode(pairs["fr"]), 1024)
    trained = replication.train_row(plan, batches, tokenizer.vocab_size, 0, tmp_path)
    assert 4 * perplexity(trained, batches) < tokenizer.vocab_size
