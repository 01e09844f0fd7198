"""The folder submitted with a notebook: a trained model and its predictions."""

from collections.abc import Sequence
from pathlib import Path

from .course import Course
from .exercise import MAX_TOTAL

FOLDER = "submission"


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

    A folder larger than the assignment whose files these are allows is not ready.
    """
    complete, total = True, 0
    models = [a.model for a in Course.here().assignments if a.model]
    most = next((model.most for model in models if set(model.files) == set(files)), MAX_TOTAL)
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
    if total > most:
        print(f"  too large: {total / 2**20:.0f} MiB of {most >> 20}; train a smaller model")
        return False
    print("Hand in this folder with the notebook." if complete else "Run the cells above again.")
    return complete
