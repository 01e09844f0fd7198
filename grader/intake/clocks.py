"""When a submission came in: by the best clock that its place offers.

Gradescope's list; or, if the student's folder is a repository, the newest commit; or nbgrader's
timestamp beside the notebook; or else the date of the file, which copying may change: what is late
and what is not, Canvas's marks decide. A timestamp is believed only in the folder that nbgrader
makes (`STUDENT/a1/`), and in no repository or download, where a student could have put it.

A repository may be malicious: its settings can make git run programs (`core.fsmonitor`,
`gpg.program`, `ext::` remotes of missing objects and more). So git never sees them: it runs in an
empty repository of our own, which borrows only the objects, and the reference HEAD is read here.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import datetime, timezone, tzinfo
from pathlib import Path

from ..classroom.receipt import CANVAS, CANVAS_LATE, Receipt, with_zone
from . import plain_files
from .notebook_paths import Place

TIMESTAMP = "timestamp.txt"
SECONDS = 20.0  # for git
MEMORY = 512 * 2**20  # bytes that git may take; it reads what it needs of a large pack in windows
MAX_REFERENCES = 8 << 20
_COMMIT = re.compile(r"[0-9a-f]{40}")
_BRANCH = re.compile(r"ref: (refs/heads/[^\s:^~?*\[\\]+)")


class NoCommit(Exception):
    """The repository has no time for these bytes; the reason, in a few words."""


def receipt(place: Place, data: bytes, saved: Receipt, zone: tzinfo) -> tuple[Receipt, str]:
    """The time of receipt and a notice, if any.

    `saved` is the date of the file; `zone`, the course's, that of a timestamp without one.
    """
    if place.stated is not None:
        return place.stated, ""
    if place.late is not None:
        return replace(saved, clock=CANVAS_LATE if place.late else CANVAS), ""
    if place.root is None or place.entry:
        return saved, ""
    if os.path.lexists(place.root / ".git"):
        return _committed(place, data, saved)
    if place.depth == 1 and place.path.parent.name.lower() == place.assignment:
        return _stamped(place, saved, zone)
    return saved, ""


def _committed(place: Place, data: bytes, saved: Receipt) -> tuple[Receipt, str]:
    assert place.root is not None
    try:
        return Receipt(commit_time(place.root, place.path, data), "git"), ""
    except NoCommit as why:
        return saved, f"the time of its commit is unknown ({why}); the date of the file counts"


def _stamped(place: Place, saved: Receipt, zone: tzinfo) -> tuple[Receipt, str]:
    path = place.path.parent / TIMESTAMP
    if not path.exists():
        return saved, ""
    try:
        with plain_files.opened(path) as file:
            text = file.read(200).decode("utf-8", "replace")
        return Receipt(with_zone(text, zone), "nbgrader"), ""
    except (OSError, ValueError, plain_files.RefusedError) as error:
        return saved, f"`{TIMESTAMP}` cannot be read ({error}); the date of the file counts"


def commit_time(repository: Path, file: Path, data: bytes) -> datetime:
    """The time of the newest commit that changed `file`, whose content is `data`.

    It is what the committer's own clock said. Raises NoCommit, also if the file was changed since.
    """
    inside = repository / ".git"
    if _is_linked(inside) or _is_linked(inside / "objects"):
        raise NoCommit("its folder .git is a link or not a folder")
    if (inside / "shallow").exists():
        raise NoCommit("the clone is shallow: run `git fetch --unshallow`")
    name = file.relative_to(repository).as_posix()
    commit = _head(inside)
    with tempfile.TemporaryDirectory(prefix="commit-") as own:
        objects = {"GIT_OBJECT_DIRECTORY": str((inside / "objects").resolve())}
        _git(["init", "--quiet", "--bare", "--template="], own, {})
        blob = _git(["rev-parse", "--verify", "--end-of-options", f"{commit}:{name}"], own, objects)
        if blob != hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest():
            raise NoCommit("the notebook was changed after the last commit")
        log = ["--literal-pathspecs", "log", "-1", "--no-show-signature", "--format=%cI"]
        time = _git([*log, commit, "--", name], own, objects)
    try:
        return with_zone(time, timezone.utc)
    except ValueError as error:
        raise NoCommit(str(error)) from None


def _git(arguments: list[str], own: str, objects: dict[str, str]) -> str:
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_DIR": own,
        "HOME": own,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "",  # never fetch what is missing
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        **objects,
    }
    try:
        done = subprocess.run(
            ["git", "--no-pager", *arguments],
            cwd=own,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,  # a hash or a date
            stderr=subprocess.DEVNULL,  # a line for each object that is broken
            timeout=SECONDS,
            preexec_fn=_limit if sys.platform == "linux" else None,
        )
    except FileNotFoundError:
        raise NoCommit("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise NoCommit(f"git took more than {SECONDS:g} s") from None
    answer = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode or (not answer and objects):
        raise NoCommit("the notebook is in no commit that can be read")
    return answer


def _limit() -> None:
    """Limit what git allocates: an object in a handed-in repository may unpack to gigabytes."""
    import resource  # not on Windows, and not as strict elsewhere

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _head(inside: Path) -> str:
    """The commit that HEAD names."""
    head = _text(inside / "HEAD")
    if _COMMIT.fullmatch(head):
        return head
    branch = _BRANCH.fullmatch(head)
    if branch and ".." not in branch[1]:
        loose = inside / branch[1]
        commit = _text(loose) if loose.is_file() else _packed(inside, branch[1])
        if _COMMIT.fullmatch(commit):
            return commit
    raise NoCommit("its HEAD names no commit")


def _packed(inside: Path, branch: str) -> str:
    path = inside / "packed-refs"
    lines = _text(path).splitlines() if path.is_file() else []
    return next((line[:40] for line in lines if line[40:] == f" {branch}"), "")


def _text(path: Path) -> str:
    try:
        with plain_files.opened(path) as file:
            return file.read(MAX_REFERENCES).decode("utf-8", "replace").strip()
    except (OSError, plain_files.RefusedError):
        raise NoCommit(f"its file {path.name} cannot be read") from None


def _is_linked(folder: Path) -> bool:
    return folder.is_symlink() or not folder.is_dir()
