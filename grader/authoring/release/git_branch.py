"""A release as one commit on a branch of the students' repository, which grows in one line.

The commit is made from the files alone: nothing of this repository's history goes along.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from . import folder
from .changes import ReleaseError
from .contents import Files

NOBODY = ("-c", "user.name=Course", "-c", "user.email=course@localhost")
SAME_BYTES = ("-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "core.fileMode=true")


class Branch:
    """A branch of the repository in a folder; the folder is made with the first commit."""

    def __init__(self, place: Path, name: str) -> None:
        self.place, self.name = place, name
        self.exists = (place / ".git").exists()
        if not self.exists and place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise ReleaseError(
                f"{place}: contains files and is not a git repository; give an empty folder, or "
                "the students' repository"
            )
        if self._git("check-ref-format", f"refs/heads/{name}", check=False, repository=False)[0]:
            raise ReleaseError(f"--git-branch {name}: is not a branch name; give one such as main")
        self.tip = self._tip() if self.exists else ""

    def _tip(self) -> str:
        reference = f"refs/heads/{self.name}^{{commit}}"
        code, out = self._git("rev-parse", "--verify", "--quiet", reference, check=False)
        return out.decode().strip() if code == 0 else ""

    def files(self) -> Files:
        """The files of the branch's newest commit."""
        if not self.tip:
            return {}
        found: Files = {}
        for line in self._git("ls-tree", "-r", "-z", self.tip)[1].split(b"\0"):
            if line:
                facts, _, name = line.partition(b"\t")
                blob = facts.split()[2].decode()
                found[name.decode()] = self._git("cat-file", "blob", blob)[1]
        return found

    def commit(self, files: Files, message: str) -> bool:
        """Commit exactly these files; returns False if the branch has them already.

        If the branch is checked out, the work tree follows; git refuses if that would cost a change
        of somebody's own. Raises ReleaseError.
        """
        if not self.exists:
            self.place.mkdir(parents=True, exist_ok=True)
            self._git("init", "--quiet", "--initial-branch", self.name, repository=False)
            self.exists = True
        tree = self._tree(files)
        if self.tip and self._git("rev-parse", f"{self.tip}^{{tree}}")[1].decode().strip() == tree:
            return False
        parent = ("-p", self.tip) if self.tip else ()
        identity = NOBODY if self._git("config", "user.email", check=False)[0] else ()
        made = self._git("commit-tree", tree, *parent, "-m", message, config=identity)[1]
        new = made.decode().strip()
        if self._is_checked_out():
            self._follow(new)
        self._git("update-ref", "-m", message, f"refs/heads/{self.name}", new, self.tip or "0" * 40)
        self.tip = new
        return True

    def _tree(self, files: Files) -> str:
        with tempfile.TemporaryDirectory() as place:
            tree, index = Path(place) / "tree", str(Path(place) / "index")
            tree.mkdir()
            folder.put(files, tree)
            work = (f"--work-tree={tree}",)
            self._git("add", "--all", "--force", ".", config=work, index=index, inside=tree)
            return self._git("write-tree", index=index)[1].decode().strip()

    def _is_checked_out(self) -> bool:
        code, out = self._git("symbolic-ref", "--quiet", "HEAD", check=False)
        bare = self._git("rev-parse", "--is-bare-repository")[1].decode().strip() == "true"
        return code == 0 and not bare and out.decode().strip() == f"refs/heads/{self.name}"

    def _follow(self, new: str) -> None:
        trees = (self.tip, new) if self.tip else (new,)
        code, _ = self._git("read-tree", "-m", "-u", *trees, check=False)
        if code:
            raise ReleaseError(
                f"{self.place}: branch {self.name} is checked out with changes of your own, which "
                "the release would overwrite; commit them elsewhere, or move them away"
            )

    def _git(
        self,
        *arguments: str,
        check: bool = True,
        config: tuple[str, ...] = (),
        index: str = "",
        inside: Path | None = None,
        repository: bool = True,
    ) -> tuple[int, bytes]:
        """Exit status and output of git. Raises ReleaseError if it fails and `check` is set."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        clean |= {"GIT_INDEX_FILE": index} if index else {}
        here = self.place if self.place.is_dir() else Path.cwd()
        where = [f"--git-dir={(self.place / '.git').resolve()}"] if repository else []
        if repository and not inside:
            where.append(f"--work-tree={self.place.resolve()}")
        command = ["git", *where, *SAME_BYTES, *config, *arguments]
        try:
            done = subprocess.run(command, cwd=inside or here, env=clean, capture_output=True)
        except FileNotFoundError:
            raise ReleaseError("--git-branch needs git, which is not installed here") from None
        if check and done.returncode:
            told = done.stderr.decode(errors="replace").strip().splitlines()
            raise ReleaseError(f"{self.place}: git failed: {told[-1] if told else arguments[0]}")
        return done.returncode, done.stdout
