"""What was run, what was not, and how to run it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from itertools import combinations
from math import prod
from shlex import quote

from ..findings import UNFINISHED
from ..space import DEFAULT, FACTORS
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
        "pruned": "ended early by the pruner; see “Pruned trials”",
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


def untested(material: Material) -> Section:
    """The limits of what this study can say."""
    title = "What was not tried"
    if not material.findings.rows:
        return section(title, "Everything: the study has no trial.")
    return section(title, _combinations(material), _levels(material), *_fixed(material))


def _combinations(material: Material) -> str:
    found = material.findings
    n_all = prod(len(levels) for levels in FACTORS.values())
    n_measured = len(found.measured)
    pairs = {
        ((f, line[f]), (g, line[g])) for line in found.measured for f, g in combinations(FACTORS, 2)
    }
    n_pairs = sum(len(FACTORS[f]) * len(FACTORS[g]) for f, g in combinations(FACTORS, 2))
    text = (
        f"{counted(len(FACTORS), 'factor')} at the levels below make {n_all:,} combinations; "
        f"{n_measured:,} of them {'was' if n_measured == 1 else 'were'} measured "
        f"({100 * n_measured / n_all:.1f} %), and {n_all - n_measured:,} were not. "
    )
    if n_pairs:
        text += (
            f"Of the {n_pairs:,} pairs of levels of two factors, {len(pairs):,} occur together in "
            "some measured configuration. "
        )
    return text + "A better one may be among the rest: this study cannot rule that out."


def _levels(material: Material) -> Table:
    found = material.findings
    rows = []
    for factor, levels in FACTORS.items():
        counts = [sum(line[factor] == value for line in found.measured) for value in levels]
        shown = ", ".join(f"{level(v)} ({n})" for v, n in zip(levels, counts, strict=True))
        rows.append([f"`{factor}`", shown, level(DEFAULT[factor])])
    return Table(
        ["factor", "levels (measured configurations)", "default"],
        rows,
        "The space of the study; what lies between or beyond these levels was not tried",
    )


def _fixed(material: Material) -> list[str]:
    found, settings = material.findings, material.settings
    texts: list[str] = []
    if settings is not None:
        texts.append(
            "The learning rate was fixed: every schedule rises to "
            f"{settings.learning_rate:g}, chosen beforehand and not "
            "tuned for each configuration, so a configuration that needs another rate looks worse "
            "than it is. Fixed as well: the optimizer (Adam, β₁ 0.9, β₂ 0.98), d_model "
            f"{settings.model.d_model}, d_ff {settings.model.d_ff}, a vocabulary of at most "
            f"{settings.vocab_size:,}, {settings.max_tokens:,} tokens a batch and one data set, "
            f"{(material.data or {}).get('name', settings.dataset)}."
        )
        texts.append(
            f"All of this holds for {settings.n_steps:,} steps. Regularization and model size "
            "often pay only in longer trainings, which were not tried."
        )
    if found.measured:
        most = max(line["n"] for line in found.measured)
        texts.append(f"No configuration was trained with more than {counted(most, 'seed')}.")
    return texts


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
