"""The rows of the report's table of trials: what all share, how they ended, and why some failed."""

from collections import Counter
from collections.abc import Collection

from ..findings import UNFINISHED
from ..trial import Row
from .material import Material
from .wording import changes, counted

LONGEST = 160  # characters of a failure's reason
MEANINGS = {
    "complete": "trained to the last step and measured; only these enter a mean",
    "pruned": "ended early by the pruner, so their quality enters no mean",
    "waiting": "not begun",
    "running": "not ended",
    "worker lost": "its process died, and so did the processes that tried again",
    "diverged": "its loss became NaN or infinite",
    "out of memory": "it needed more memory than there was",
    "timed out": "it took longer than a trial may",
}
ORDER = ("complete", "pruned", *UNFINISHED)
Lines = list[list[str]]


def shared(material: Material) -> Lines:
    """Data, budget, machine and versions."""
    settings = material.settings
    lines = [["study", f"{material.name} in {material.url}"], ["profile", material.profile]]
    if material.data:
        sizes = ", ".join(f"{n:,} {split}" for split, n in material.data["splits"].items())
        about = f"{material.data['name']} from {material.data['origin']}: {sizes}"
        lines.append(["data", f"{about}; SHA-256 `{material.data['sha256'][:16]}…`"])
    elif settings:
        lines.append(["data", f"{settings.dataset} (which source served it was not recorded)"])
    if settings is not None:
        model = settings.model
        norm = "pre-norm" if model.norm_first else "post-norm"
        looks = f"the validation split measured every {settings.evaluate_every:,} steps"
        lines += [
            ["widths", f"d_model {model.d_model}, d_ff {model.d_ff}, {norm}; not varied"],
            ["budget of a trial", f"{settings.n_steps:,} steps of {settings.max_tokens:,} tokens"],
            ["measured", f"{looks}; the last counts, not the best"],
            ["highest learning rate", f"{settings.learning_rate:g}, the same for every schedule"],
            ["pruner", material.pruner],
        ]
    return lines + _machine(material.findings.rows)


def _machine(rows: Collection[Row]) -> Lines:
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


def statuses(rows: Collection[Row]) -> Lines:
    counts = Counter(row["status"] for row in rows)
    known = [status for status in ORDER if counts[status]]
    others = [status for status, _ in counts.most_common() if status not in ORDER]
    return [[s, f"{counts[s]:,}", MEANINGS.get(s, "failed")] for s in [*known, *others]]


def failures(rows: Collection[Row]) -> Lines:
    failed = [row for row in rows if row["status"] not in ORDER]
    return [
        [changes(row), str(row["seed"]), row["status"], _reason(row)]
        for row in sorted(failed, key=lambda row: (changes(row), row["seed"]))
    ]


def _reason(row: Row) -> str:
    text = " ".join(str(row.get("reason") or "none recorded").split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
