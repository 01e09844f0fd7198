"""Real sandbox workers, without mocks, on this machine's best tier and on the weaker ones."""

import contextlib
import shutil
from collections.abc import Iterator

import pytest
from checkout import ROOT
from opening import assert_nothing_is_left, backend_of

from grader.judge.workers.remote import WarmProcess
from grader.sandbox import detection
from grader.seam import Student


def pytest_generate_tests(metafunc):
    if "any_tier" in metafunc.fixturenames:
        metafunc.parametrize("any_tier", "ABCD", indirect=True)


def open_to_all(folder):
    """A folder of a test that workers can reach: they run under other users."""
    for parent in (folder, *folder.parents[:3]):
        with contextlib.suppress(PermissionError):  # not ours, and already accessible
            if parent.name.startswith(("pytest-", "popen-")) or parent == folder:
                parent.chmod(0o755)
    return folder


@pytest.fixture
def reachable(tmp_path):
    return open_to_all(tmp_path)


@pytest.fixture(scope="session")
def tree(tmp_path_factory):
    """A student's tree with the seam and without any component."""
    folder = open_to_all(tmp_path_factory.mktemp("student"))
    seam = ROOT / "grader" / "seam"
    shutil.copytree(seam, folder / "grader" / "seam", ignore=shutil.ignore_patterns("__py*"))
    shutil.copy(ROOT / "grader" / "__init__.py", folder / "grader")
    return folder


@pytest.fixture(scope="session")
def best() -> detection.Tier:
    return detection.detect()


@pytest.fixture(scope="session")
def warm(tree) -> Iterator[WarmProcess]:
    """A worker on the best tier, with all imports of the notebooks of assignments 1 and 2."""
    with WarmProcess(tree, ["numpy", "torch"], min_tier="D") as process:
        yield process


@pytest.fixture(scope="session")
def _light(tree) -> Iterator[dict[str, WarmProcess]]:
    with contextlib.ExitStack() as stack:
        yield _Started(tree, stack)


class _Started(dict):
    def __init__(self, tree, stack):
        super().__init__()
        self.tree, self.stack = tree, stack

    def __missing__(self, tier):
        process = WarmProcess(self.tree, ["numpy"], tier=tier, min_tier="D")
        self[tier] = self.stack.enter_context(process)
        return self[tier]


@pytest.fixture
def any_tier(request, best, _light) -> WarmProcess:
    """Run the test on every tier that this machine supports."""
    if request.param < best.name:
        pytest.skip(f"tier {request.param} is out of reach here: {best.missing}")
    return _light[request.param]


@pytest.fixture
def isolated(any_tier) -> WarmProcess:
    """The same on the tiers that close disk and network and count what a worker takes."""
    if any_tier.workers.tier == "D":
        pytest.skip("tier D is for trusted submissions")
    return any_tier


@pytest.fixture
def submit(warm):
    """Opens a worker on a source text, or on one of PROGRAMS by its name.

    At the end nothing may be left of any worker.
    """
    with contextlib.ExitStack() as stack:

        def open_worker(source: str, process: WarmProcess = warm, **options) -> Student:
            backend = backend_of(process, source, **options)
            return Student(stack.enter_context(backend))

        yield open_worker
    assert_nothing_is_left(warm)
