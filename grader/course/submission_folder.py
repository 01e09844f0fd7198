"""The folder submitted with a notebook: a trained model and its predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

FOLDER = "submission"
MAX_TOTAL = 64 * 2**20  # bytes, all files of one submission together


def found_files(beside: Path, names: Sequence[str]) -> dict[str, Path]:
    """Files handed in, by name: in `submission` or, failing that, `beside` the notebook itself."""
    found = {}
    for name in names:
        places = (folder / name for folder in (beside / FOLDER, beside))
        place = next((p for p in places if p.is_file() and not p.is_symlink()), None)
        if place is not None:
            found[name] = place
    return found


def check_folder(folder: str | Path, files: Sequence[str]) -> bool:
    """Print which of `files` the folder has; True when it is ready to submit.

    A folder of more than `MAX_TOTAL`
    bytes is not ready.
    """
    complete, total = True, 0
    for name in files:
        path = Path(folder) / name
        if not path.exists():
            print(f"  missing  {path}")
            complete = False
            continue
        size = path.stat().st_size
        total += size
        content = f"{size / 2**20:.1f} MiB" if size > 2**18 else f"{size / 2**10:.1f} KiB"
        if path.suffix in (".csv", ".txt"):
            lines = path.read_bytes().count(b"\n")
            rows = f"{lines - 1:,} predictions" if path.suffix == ".csv" else f"{lines:,} lines"
            content += f", {rows}"
        print(f"  ready    {path} ({content})")
    if total > MAX_TOTAL:
        print(f"  too large: {total / 2**20:.0f} MiB of {MAX_TOTAL >> 20}; train a smaller model")
        return False
    print("Hand in this folder beside the notebook." if complete else "Run the cells above again.")
    return complete
