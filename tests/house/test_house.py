"""Project rules: what a new file may import, and lists that must stay in sync."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
import yaml
from checkout import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from user_texts import notebook_code

from bench.size import BUILDINGS, sizes
from book.outline import OUTLINE

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIBRARY = sorted(p for name in ("course_lib", "course_study") for p in (ROOT / name).rglob("*.py"))
OURS = [
    p
    for folder in ("course_lib", "course_study", "grader", "autograder", "tools")
    for p in (ROOT / folder).rglob("*.py")
]


def test_imports_point_down():
    """The layers of `pyproject.toml`: what may import what, and no circle anywhere."""
    command = [Path(sys.executable).parent / "lint-imports", "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def linted(name, code):
    """The linter's findings; a text notebook imports where it needs, and uses earlier cells."""
    options = ["--ignore=B905,E402,F811,F821", "--output-format=concise", "--quiet"]
    command = [sys.executable, "-m", "ruff", "check", *options, f"--stdin-filename={name}", "-"]
    done = subprocess.run(command, cwd=ROOT, input=code, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.parametrize("path", sorted(ROOT.glob("solutions/*.md")), ids=lambda path: path.stem)
def test_the_linter_finds_nothing_in_the_code_of_a_text_notebook(path):
    pytest.importorskip("ruff", reason="no ruff: `pip install -e .[dev]` brings it")
    name, code = f"{path.stem}.py", notebook_code(path)
    assert linted(name, code) == ""
    assert "`unused` imported but unused" in linted(name, f"{code}\nimport unused\n")


def test_components_import_only_earlier_components(course):
    weeks: dict[str, int] = {}
    for assignment in course.assignments:
        for component in (c for exercise in assignment.exercises for c in exercise.components):
            weeks.setdefault(component.partition(":")[0], assignment.week)
    late = [
        f"{module} (week {week}) imports {other} (week {weeks[other]})"
        for module, week in weeks.items()
        for other in _imported_modules(module)
        if weeks.get(other, 0) > week
    ]
    assert not late


def _imported_modules(module: str) -> set[str]:
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        ".".join([*(module.split(".")[: -n.level] if n.level else ()), n.module])
        for n in ast.walk(tree)
        if isinstance(n, ast.ImportFrom) and n.module
    }


def test_environment_yml_holds_what_pyproject_toml_holds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = sorted(r for extra in project["optional-dependencies"].values() for r in extra)
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    pip = next(entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
    assert sorted(pip) == wanted
    assert f"python {project['requires-python']}" in environment["dependencies"]


def test_constraints_pin_every_requirement():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    for requirement in (r for extra in project["optional-dependencies"].values() for r in extra):
        name = canonicalize_name(Requirement(requirement).name)
        assert name in pinned or name == "tomli"


def pins(constraints: str) -> dict[str, str]:
    lines = [line for line in constraints.splitlines() if line and not line.startswith("#")]
    return {line.partition("==")[0]: line for line in lines}


def test_constraints_are_what_the_lock_writes():
    """For the packages of which this environment has the tested version, markers included."""
    if sys.version_info[:2] != (3, 11):
        pytest.skip("constraints.txt is written with Python 3.11")
    command = [sys.executable, ROOT / "tools" / "lock.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    kept, here = pins((ROOT / "constraints.txt").read_text(encoding="utf-8")), pins(done.stdout)
    same = [name for name in here if here[name].split()[0] == kept.get(name, "?").split()[0]]
    assert len(here) > 100
    assert [here[name] for name in same] == [kept[name] for name in same]


def test_files_are_short_and_have_a_name_of_their_own():
    for path in OURS:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= 260 or path.is_relative_to(ROOT / "autograder"), (
            f"{path.name} has {lines} lines"
        )
        assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc"}


def test_the_hidden_tests_of_an_exercise_are_in_one_file():
    folders = Counter(path.parent for path in ROOT.glob("autograder/*/exercise_*/test_*.py"))
    assert len(folders) > 50
    assert not [folder.name for folder, files in folders.items() if files > 1]


def test_no_folder_holds_more_modules_than_one_can_look_over():
    """17, beside its `__init__.py`: more of them hide a concept that has no folder of its own."""
    modules = Counter(
        path.parent.relative_to(ROOT).as_posix()
        for building in BUILDINGS
        for path in (ROOT / building).rglob("*.py")
        if path.stem != "__init__"
    )
    assert len(modules) > 50
    assert {folder: many for folder, many in modules.items() if many > 17} == {}


def test_no_building_outgrows_its_budget():
    """By more than 2 %: otherwise, run `course bench size` and say in the commit what it is for."""
    budget = json.loads((ROOT / "results" / "bench_size.json").read_text())["measures"]
    grown = {
        f"{building}: {unit} {count}"
        for building, counts in sizes(ROOT).items()
        for unit, count in counts.items()
        if count > 1.02 * budget[f"{building}_{unit}"]["mean"]
    }
    assert not grown


@pytest.mark.xdist_group("kept_together")
def test_groups_of_tests_are_kept_together(request):
    """What is costly to set up is set up once: not every pair of pytest and xdist can do that."""
    if not hasattr(request.config, "workerinput"):
        pytest.skip("one process runs all tests")
    assert request.node.nodeid.endswith("@kept_together")


def test_every_link_between_documents_leads_somewhere():
    documents = [
        *ROOT.glob("*.md"),
        *ROOT.glob("*/README.md"),
        *ROOT.glob("autograder/*.md"),
        *ROOT.glob("assignments/*/*.md"),
    ]
    links = [
        (path, place)
        for path in documents
        for place in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    ]
    assert len(links) > 10
    assert [
        f"{path.parent.name}: {to}" for path, to in links if not (path.parent / to).exists()
    ] == []


def test_every_anchor_names_a_section_of_the_paper(course):
    anchors = [
        (path.name, section)
        for path in LIBRARY
        for section in re.findall(r"§(\d+(?:\.\d+)*)", path.read_text(encoding="utf-8"))
    ]
    sections = [
        (e.id, s)
        for a in course.assignments
        for e in a.exercises
        for s in re.findall(r"§(\d+(?:\.\d+)*)", e.section)
    ]
    assert [found for found in anchors + sections if found[1] not in OUTLINE] == []
    assert len(anchors) > 40


def test_the_map_of_changes_leads_somewhere():
    """Each "I want to change" of CONTRIBUTING.md names one or two files, or three equal ones."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("## I want to change")[2].partition("\n\n##")[0].partition("|---")[2]
    rows = [line.split("|")[1:3] for line in table.splitlines()[1:] if line.startswith("|")]
    assert 15 <= len(rows) <= 25
    for change, where in rows:
        places = [place for place in re.findall(r"`([^`]+)`", where) if "." in place]
        assert 1 <= len(places) <= 3, change
        for place in places:
            path, _, name = place.partition(":")
            assert (ROOT / path).is_file(), (change, path)
            defined = rf"^(async )?(def|class) {name}\b|^{name}\b.*="
            assert re.search(defined, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), (
                f"{path} defines no {name}"
            )


# What `make` installs.


def test_what_was_installed_is_said_and_not_what_was_asked_for(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_venv

    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho torch 2.13.0+cu130 with CUDA 13.0\n")
    python.chmod(0o755)
    assert make_venv.installed(str(python)) == "torch 2.13.0+cu130 with CUDA 13.0"
    assert make_venv.installed(sys.executable).startswith(f"torch {torch.__version__} with")
    python.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    assert "cannot be imported: no such library" in make_venv.installed(str(python))
    monkeypatch.setattr(make_venv, "has_gpu", lambda: False)
    monkeypatch.setattr(make_venv.sys, "platform", "linux")
    assert "6 GB" in make_venv.torch_build([])
    assert make_venv.torch_build(["--extra-index-url", "x"]) == "CPU build"


def test_a_python_that_is_too_old_is_told_what_to_do(monkeypatch, capsys, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_venv

    monkeypatch.setattr(make_venv.sys, "version_info", (3, 8, 0))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert make_venv.main(str(tmp_path / "venv")) == 2
    assert "3.10 to 3.13" in capsys.readouterr().out
    assert not (tmp_path / "venv").exists()
