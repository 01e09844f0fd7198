"""Which paths a worker may read: the nearest rule decides."""

from pathlib import Path

import pytest
from checkout import ROOT

from grader.sandbox.readable import Readable, for_python


@pytest.fixture
def disk(tmp_path) -> Path:
    for path in (
        "packages/numpy/core.py", "packages/course_lib/answer.py", "packages/autograder/x.py",
        "packages/_editable_impl_transformer_course.pth", "checkout/course_lib/answer.py",
        "checkout/.venv/lib/site/torch.py", "tree/course_lib/stub.py",
    ):  # fmt: skip
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    return tmp_path


def test_a_folder_without_secrets_is_granted_whole(disk):
    assert Readable((str(disk / "tree"),), ()).grants() == [str(disk / "tree")]


def test_the_courses_own_packages_are_left_out(disk):
    packages = str(disk / "packages")
    readable = for_python(str(disk / "tree"), [packages], [], ["autograder", "course_lib"])
    granted = [path for path in readable.grants() if path.startswith(str(disk))]
    assert granted == [str(disk / "packages" / "numpy"), str(disk / "tree")]


def test_an_environment_inside_the_checkout_is_granted_and_the_checkout_is_not(disk):
    site = str(disk / "checkout/.venv/lib/site")
    readable = Readable((site, str(disk / "tree")), (str(disk / "checkout"),))
    assert readable.grants() == [site, str(disk / "tree")]


def test_a_checkout_beneath_a_system_folder_is_cut_out(disk):
    readable = Readable((str(disk),), (str(disk / "checkout"),))
    assert readable.grants() == [str(disk / "packages"), str(disk / "tree")]


def test_nothing_granted_for_this_installation_holds_the_checkout(disk):
    import sys

    packages = [path for path in sys.path if path.endswith("site-packages")]
    readable = for_python(str(disk / "tree"), packages, [str(ROOT)], ["autograder", "course_lib"])
    secret = ROOT / "course_lib" / "attention.py"
    assert not [path for path in readable.grants() if secret.is_relative_to(path)]
    assert not [path for path in readable.grants() if Path(path).name.startswith("course_lib")]
