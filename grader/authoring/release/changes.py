"""The inputs of a release, and the changes since the last one: its manifest and changelog."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...classroom.roster import abridged
from ...course.problem import Problem
from .contents import LECTURES, Files

MANIFEST, CHANGELOG = ".course-release.json", "CHANGELOG.md"
HEAD = "# What changed, release by release\n"
FIRST = "The first release."


class ReleaseError(Problem):
    """A release that cannot be made; the message says why, in one sentence."""


@dataclass(frozen=True)
class Release:
    """The files that a release wrote: its name, the answers in it, and the SHA-256 of each file."""

    name: str = ""
    answers: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, data: bytes, where: str) -> "Release":
        """Raises ReleaseError if the manifest was damaged."""
        try:
            found = json.loads(data)
            return cls(found["name"], list(found["answers"]), dict(found["files"]))
        except (ValueError, KeyError, TypeError):
            raise ReleaseError(
                f"{where}: {MANIFEST} cannot be read; release into an empty folder instead"
            ) from None

    def written(self) -> bytes:
        """The manifest as a file."""
        content = {"name": self.name, "answers": self.answers, "files": self.files}
        return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def finished(
    files: Files, name: str, answers: list[str], before: Release | None, changelog: str
) -> Files:
    """The tree with its changelog and manifest; `changelog` is that of the last release.

    Without any change there is no new entry.
    """
    new = Release(name, answers, {path: digest(data) for path, data in sorted(files.items())})
    entry = _entry(new, before)
    text = changelog or HEAD
    if entry:
        head, _, earlier = text.partition("\n## ")
        rest = f"\n## {earlier}" if earlier else ""
        text = f"{head.rstrip()}\n\n## {name}\n\n{entry}{rest}"
    return {**files, CHANGELOG: text.encode(), MANIFEST: new.written()}


def _entry(new: Release, before: Release | None) -> str:
    """The changelog's entry, or "" if nothing changed."""
    if before is None:
        return f"{FIRST}{_answers(new.answers)}\n"
    kinds = {
        "New": sorted(new.files.keys() - before.files.keys()),
        "Changed": sorted(p for p, d in new.files.items() if before.files.get(p, d) != d),
        "Removed": sorted(before.files.keys() - new.files.keys()),
    }
    lines = [f"- {kind}: {_listed(paths)}" for kind, paths in kinds.items() if paths]
    if opened := [id for id in new.answers if id not in before.answers]:
        lines.insert(0, f"-{_answers(opened)}")
    return "\n".join([*lines, ""]) if lines else ""


def _answers(ids: list[str]) -> str:
    return f" Model answers are out for {', '.join(ids)}." if ids else ""


def _listed(paths: list[str]) -> str:
    """The paths; the hundreds of files of the lectures' pages are one."""
    site = f"{LECTURES}/"
    named = dict.fromkeys(site if path.startswith(site) else path for path in paths)
    return ", ".join(f"`{path}`" for path in named)


def previous(files: Mapping[str, bytes], where: str) -> tuple[Release | None, str]:
    """The last release in a folder's or branch's files, and its changelog.

    Raises ReleaseError if there are files which no release made, or that were changed since.
    """
    if not files:
        return None, ""
    if MANIFEST not in files:
        raise ReleaseError(
            f"{where}: holds {abridged(sorted(files), 3)}, which no release made; give an empty "
            "folder, or one that `course release` wrote"
        )
    before = Release.read(files[MANIFEST], where)
    known = {**before.files}
    own = sorted(path for path in files if path not in known and path not in (MANIFEST, CHANGELOG))
    if own:
        raise ReleaseError(
            f"{where}: holds {abridged(own, 3)}, which no release made; move such files away, as a "
            "release replaces the folder"
        )
    changed = sorted(p for p, data in files.items() if p in known and digest(data) != known[p])
    if changed:
        raise ReleaseError(
            f"{where}: {abridged(changed, 3)} changed after the release; move your version away, "
            "or release into an empty folder"
        )
    return before, files.get(CHANGELOG, b"").decode("utf-8", errors="replace")
