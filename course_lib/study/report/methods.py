"""Describes the trials that were run, those that were not, and how to run them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from math import prod
from shlex import quote

from ..findings import UNFINISHED
from ..space import FACTORS
from ..tasks.rates import PAPER_STEPS, scaled_warmup
from ..trial import Row
from .document import Code, Paragraph, Section, Table, section
from .material import Material
from .wording import changes, counted, level, listed

LONGEST = 160  # characters of a failure's reason


def methods(material: Material) -> Section:
    """Data, budget, seeds, trials by status, machine and versions."""
    found = material.findings
    planned = {found.key(row) for row in found.rows}
    n_complete = len(found.complete)
    failed = [r for r in found.rows if r["status"] not in ("complete", "pruned", *UNFINISHED)]
    return section(
        "What was run",
        f"{counted(len(planned), 'configuration')} with {_seeds(found.rows)} make "
        f"{counted(len(found.rows), 'trial')}, of which {n_complete:,} "
        f"{'is' if n_complete == 1 else 'are'} complete. Quality is "
        f"`{material.measure}` after the last step, on the validation split; higher is better.",
        Table(["", ""], [*_training(material), *_machine(found.rows)], "What all trials share"),
        _statuses(found.rows),
        _failures(failed) if failed else "",
        _warmups(material),
    )


def _training(material: Material) -> list[list[str]]:
    settings = material.settings
    lines = [["study", f"{material.name} in {material.url}"], ["profile", material.profile]]
    if material.data:
        sizes = ", ".join(f"{n:,} {split}" for split, n in material.data["splits"].items())
        about = f"{material.data['name']} from {material.data['origin']}: {sizes}"
        lines.append(["data", f"{about}; SHA-256 `{material.data['sha256'][:16]}…`"])
    elif settings:
        lines.append(["data", f"{settings.dataset} (which source served it was not recorded)"])
    if settings is None:
        return lines
    model = settings.model
    norm = "pre-norm" if model.norm_first else "post-norm"
    looks = f"the validation split measured every {settings.evaluate_every:,} steps"
    return [
        *lines,
        ["widths", f"d_model {model.d_model}, d_ff {model.d_ff}, {norm}; not varied"],
        ["budget of a trial", f"{settings.n_steps:,} steps of {settings.max_tokens:,} tokens"],
        ["measured", f"{looks}; the last counts, not the best"],
        ["highest learning rate", f"{settings.learning_rate:g}, the same for every schedule"],
        ["pruner", material.pruner],
    ]


def _machine(rows: Collection[Row]) -> list[list[str]]:
    """From the rows themselves; where they differ, every value is listed."""
    ended = [row for row in rows if "versions" in row]
    if not ended:
        return []
    versions = Counter(", ".join(f"{k} {v}" for k, v in r["versions"].items()) for r in ended)
    flags = Counter("on" if row["deterministic_algorithms"] else "off" for row in ended)
    named = {"device": "device", "threads a trial": "threads", "peak memory is": "memory_of"}
    workers = {row["worker"] for row in ended}
    machines = {worker.rpartition(":")[0] for worker in workers}
    where = (
        f"{counted(len(workers), 'process', 'processes')} on {counted(len(machines), 'machine')}"
    )
    return [
        *([name, _values(Counter(str(r[key]) for r in ended))] for name, key in named.items()),
        ["deterministic algorithms", _values(flags)],
        ["versions", _values(versions)],
        ["run by", f"{where}; times are wall clock and depend on what else ran there"],
    ]


def _values(counts: Counter[str]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} ({counted(n, 'trial')})" for value, n in counts.most_common())


def _seeds(rows: Collection[Row]) -> str:
    seeds = sorted({row["seed"] for row in rows})
    shown = listed([str(seed) for seed in seeds])
    return f"{'the seed' if len(seeds) == 1 else 'the seeds'} {shown}" if seeds else "no seed"


def _statuses(rows: Collection[Row]) -> Table:
    counts = Counter(row["status"] for row in rows)
    order = ["complete", "pruned", *UNFINISHED]
    known = [status for status in order if counts[status]]
    others = [status for status, _ in counts.most_common() if status not in order]
    meanings = {
        "complete": "trained to the last step and measured; only these enter a mean",
        "pruned": "ended early by the pruner, so their quality enters no mean",
        "waiting": "not begun",
        "running": "not ended",
        "worker lost": "its process died, and so did the processes that tried again",
        "diverged": "its loss became NaN or infinite",
        "out of memory": "it needed more memory than there was",
        "timed out": "it took longer than a trial may",
    }
    return Table(
        ["status", "#trials", "meaning"],
        [[s, f"{counts[s]:,}", meanings.get(s, "failed")] for s in [*known, *others]],
        "Trials by status; a trial that was tried again counts once",
    )


def _failures(failed: Collection[Row]) -> Table:
    return Table(
        ["configuration", "#seed", "status", "reason"],
        [
            [changes(row), str(row["seed"]), row["status"], _reason(row)]
            for row in sorted(failed, key=lambda row: (changes(row), row["seed"]))
        ],
        "Failed trials; their configurations are not recommended",
    )


def _reason(row: Row) -> str:
    text = " ".join(str(row.get("reason") or "none recorded").split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _warmups(material: Material) -> str:
    """The levels of the factor warmup are of the paper's length; what they were here."""
    settings = material.settings
    if settings is None:
        return ""
    levels = sorted({row["warmup"] for row in material.findings.rows})
    if not levels:
        return ""
    scaled = [str(scaled_warmup(warmup, settings.n_steps)) for warmup in levels]
    return (
        f"The levels of `warmup` are steps of the paper's {PAPER_STEPS:,}. Of the "
        f"{settings.n_steps:,} steps of a trial the same share was used: "
        f"{listed(scaled)} steps for {listed([level(w) for w in levels])}."
    )


def limits(material: Material) -> Section:
    """The limits of this study's conclusions."""
    found, settings = material.findings, material.settings
    n_all, n_measured = prod(len(levels) for levels in FACTORS.values()), len(found.measured)
    space = ", ".join(f"`{f}` {listed([level(v) for v in FACTORS[f]])}" for f in FACTORS)
    texts = [
        f"The space has {n_all:,} combinations ({space}); {n_measured:,} of them "
        f"{'was' if n_measured == 1 else 'were'} measured. A better one may be among the rest, "
        "between these levels or beyond them: this study cannot rule that out."
    ]
    if settings is not None:
        texts.append(
            "The learning rate was fixed: every schedule rises to "
            f"{settings.learning_rate:g}, chosen beforehand and not tuned for each configuration, "
            "so a configuration that needs another rate looks worse than it is. All of this holds "
            f"for {settings.n_steps:,} steps and one data set: regularization and model size often "
            "pay only in longer trainings, which were not tried."
        )
    return section("What was not tried", *texts)


def reproduction(material: Material) -> Section:
    """How to run the study again, and how to look into its database."""
    where = f"--storage {quote(material.url)} --name {quote(material.name)}"
    pruner = "" if material.pruner == "none" else f" --pruner {material.pruner}"
    commands = [
        f"course study run --profile {quote(material.profile)}{pruner} {where}",
        f"course study rows {where} --out results.csv",
        f"course study report {where} --out out/study",
    ]
    password = Paragraph("The password of the database is left out here.", "note")
    return section(
        "Reproduce",
        "The first command runs what is missing and nothing twice; with another `--name` it runs "
        "everything again. On a CPU the same seeds, versions and number of threads give the same "
        "qualities to the last digit; times differ.",
        Code("\n".join(commands)),
        "Every trial, with its curve, in the browser (`pip install optuna-dashboard`):",
        password if "@" in material.url else "",
        Code(f"optuna-dashboard {quote(material.url)}"),
    )
