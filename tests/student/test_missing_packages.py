"""What a notebook's machine lacks is installed; what it has stays, torch and numpy above all."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from checkout import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from setup_world import COLAB, cell_of, run_cell, served, write_tree, zipped

from grader.course.problem import SetupError
from grader.course.tree import requirements
from grader.student import notebook_home

ADDED = {"jaxtyping", "optuna", "sacrebleu"}  # what Colab lacks


def versions(path):
    """The packages of one of Colab's lists."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    return {canonicalize_name(n): v for n, _, v in (line.partition("==") for line in lines)}


@pytest.fixture(params=COLAB, ids=[path.stem for path in COLAB])
def colab(request):
    return versions(request.param)


def test_colab_satisfies_the_course_as_it_is(colab, monkeypatch):
    def version(name):
        try:
            return colab[canonicalize_name(name)]
        except KeyError:
            raise PackageNotFoundError(name) from None

    monkeypatch.setattr(notebook_home, "version", version)
    found = notebook_home.compare(requirements(ROOT))
    tomli = {"tomli"} if sys.version_info < (3, 11) else set()
    assert {Requirement(line).name for line in found.absent} == ADDED | tomli
    assert found.older == []


def test_what_is_added_on_colab_fits_what_is_there(colab):
    for name in ADDED:
        for line in requires(name) or []:
            wanted = Requirement(line)
            there = colab.get(canonicalize_name(wanted.name))
            if there and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                assert wanted.specifier.contains(there, prereleases=True), (name, line, there)


def test_every_installed_package_is_pinned_once():
    lines = notebook_home.installed()
    names = [line.partition("==")[0] for line in lines]
    assert len(names) == len(set(names))
    assert {"torch", "numpy"} <= set(names)


def test_torch_and_numpy_are_never_installed(monkeypatch):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(notebook_home, "version", version)
    with pytest.raises(SetupError, match="^not installed: torch and numpy. Install what this week"):
        notebook_home.install(["torch>=2.5", "numpy>=1.26", "tqdm>=4.66"])


def test_an_older_package_is_told_and_left_alone():
    found = notebook_home.install(["pytest>=999"])
    assert found.absent == []
    (line,) = found.older
    assert line.startswith("pytest>=999 (")


def test_a_package_that_cannot_be_had_is_one_sentence(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(SetupError) as error:
        notebook_home.install(["course-of-nobody>=1"])
    sentence = str(error.value)
    assert sentence.startswith("course-of-nobody could not be installed (No matching distribution")
    assert "online" in sentence
    assert "\n" not in sentence


def test_a_folder_without_requirements_asks_for_nothing(tmp_path):
    assert requirements(tmp_path) == []
    (tmp_path / "requirements.txt").write_text("# ours\n\ntqdm>=4.66\n", encoding="utf-8")
    assert requirements(tmp_path) == ["tqdm>=4.66"]


def site_packages(python):
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(subprocess.check_output([str(python), "-c", code], text=True).strip())


def environment(path, folder):
    """A fresh environment with the versions of one of Colab's lists; torch is the one of here.

    Colab's own build of torch is not on PyPI, and gigabytes large.
    """
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    lines = path.read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line[0] != "#" and not line.startswith("torch=")]
    apart = ("accelerate=", "ipywidgets=")  # they would fetch torch, and all of Jupyter
    alone = [line for line in wanted if line.startswith(apart)]
    for packages in (sorted({*wanted} - {*alone}), ["--no-deps", *alone]):
        command = [str(python), "-m", "pip", "install", "--quiet", *packages]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"Colab's versions cannot be installed here: {done.stderr[-300:]}")
    here = site_packages(sys.executable)
    for part in [here / "torch", here / "torchgen", *here.glob("torch-*.dist-info")]:
        (site_packages(python) / part.name).symlink_to(part)
    return python


def freeze(python):
    code = "from grader.student.notebook_home import installed; print(*installed())"
    return set(subprocess.check_output([str(python), "-c", code], text=True, cwd=ROOT).split())


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="Colab's scipy needs Python 3.11")
@pytest.mark.parametrize("path", COLAB, ids=[path.stem for path in COLAB])
def test_with_colabs_versions_only_what_it_lacks_is_added(course, tmp_path, path):
    python = environment(path, tmp_path / "colab")
    before = freeze(python)
    tree = write_tree(course, tmp_path / "tree")
    zipped(tree, tmp_path / "student.zip")
    apart = tmp_path / "content"
    apart.mkdir()
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    with served(tmp_path) as address:
        cell = cell_of(course, "a4", f"{address}/student.zip")
        worked, said = run_cell(cell, apart, variables, python)
    assert worked, said
    assert "course/student-main; " in said
    assert "; installed jaxtyping" in said
    assert "older" not in said
    after = freeze(python)
    assert before <= after  # nothing was upgraded, replaced or removed
    assert {line.partition("==")[0] for line in after - before} >= ADDED
    assert not {line for line in after - before if line.startswith(("torch=", "numpy="))}
